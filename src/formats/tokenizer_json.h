#pragma once
// tokenizer.json of Hugging Face's tokenizers, current and older forms.

#include <string>
#include <string_view>
#include <vector>

#include "formats/json.h"
#include "formats/json_writer.h"
#include "text/spec.h"

namespace webformer {

/// Throws invalid_file with the path of what is wrong, and unsupported_model for a stage that is not built, with its path and what is
/// built.
TokenizerSpec read_tokenizer_json(std::string_view text, std::string file);

// The parts of it; each is null or one stage, or a Sequence of them, and is appended flat.
void read_normalizers(Json json, std::vector<Normalizer>& stages);
void read_pre_tokenizers(Json json, std::vector<PreTokenizer>& stages);
void read_post_processors(Json json, std::vector<PostProcessor>& stages);
void read_decoders(Json json, std::vector<Decoder>& stages);
TokenModel read_token_model(Json json);
/// {"token": id, …}
VocabularySpec read_vocabulary(Json json);
/// An id of a token: 0 to 2^31 - 1.
std::int32_t read_token_id(Json json);

void write_normalizers(JsonWriter& json, const std::vector<Normalizer>& stages);
void write_pre_tokenizers(JsonWriter& json, const std::vector<PreTokenizer>& stages);
void write_post_processors(JsonWriter& json, const std::vector<PostProcessor>& stages);
void write_decoders(JsonWriter& json, const std::vector<Decoder>& stages);
void write_token_model(JsonWriter& json, const TokenModel& model);

}  // namespace webformer
