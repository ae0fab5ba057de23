#include "wasm/tokenizer_handle.h"

#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/json.h"
#include "formats/tokenizer_files.h"
#include "wasm/encode_options.h"
#include "wasm/guard.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

std::string_view name(TokenizerKind kind) {
  constexpr std::string_view names[] = {"word", "char", "bpe", "wordpiece", "unigram"};
  return names[std::size_t(kind)];
}

/// Appends an encoding to two flat blocks, so that it crosses to JavaScript in one piece: n, the number of parts that were cut off, of
/// surfaces; n ids, 2n offsets, n type ids, n attention and n special flags, n word ids; index and length of each surface, whose texts
/// stand one after the other in the other block; then the parts in the same way.
void write_encoding(const Encoding& encoding, std::vector<std::int32_t>& ints, std::string& surfaces) {
  ints.insert(ints.end(), {std::int32_t(encoding.size()), std::int32_t(encoding.overflow.size()), std::int32_t(encoding.surfaces.size())});
  ints.insert(ints.end(), encoding.ids.begin(), encoding.ids.end());
  for (const auto& [start, end] : encoding.offsets) ints.insert(ints.end(), {std::int32_t(start), std::int32_t(end)});
  ints.insert(ints.end(), encoding.type_ids.begin(), encoding.type_ids.end());
  ints.insert(ints.end(), encoding.attention_mask.begin(), encoding.attention_mask.end());
  ints.insert(ints.end(), encoding.special_mask.begin(), encoding.special_mask.end());
  ints.insert(ints.end(), encoding.word_ids.begin(), encoding.word_ids.end());
  for (const auto& [index, text] : encoding.surfaces) {
    ints.insert(ints.end(), {std::int32_t(index), std::int32_t(text.size())});
    surfaces += text;
  }
  for (const Encoding& part : encoding.overflow) write_encoding(part, ints, surfaces);
}

val encode_texts(const Tokenizer& tokenizer, const std::vector<std::int32_t>& lengths, const EncodeOptions& options) {
  std::size_t total = 0;
  for (const std::int32_t length : lengths) total += std::size_t(std::max(length, 0));
  std::string_view staged = Staging::text(total);
  const auto take = [&](std::int32_t length) {
    const std::string_view text = staged.substr(0, std::size_t(length));
    staged.remove_prefix(text.size());
    return text;
  };

  std::vector<std::pair<std::string_view, std::optional<std::string_view>>> texts;
  for (std::size_t i = 0; i + 1 < lengths.size(); i += 2) {
    const std::string_view text = take(lengths[i]);
    texts.emplace_back(text, lengths[i + 1] < 0 ? std::nullopt : std::optional(take(lengths[i + 1])));
  }
  std::vector<std::int32_t> ints;
  std::string surfaces;
  for (const Encoding& encoding : tokenizer.encode_batch(texts, options)) write_encoding(encoding, ints, surfaces);
  val result = val::object();
  result.set("ints", to_js(std::span<const std::int32_t>(ints)));
  result.set("surfaces", bytes_to_js(surfaces));
  return result;
}

val steps_to_js(const Trace& trace) {
  val steps = val::array();
  for (const TraceStep& step : trace.steps) {
    val item = val::object();
    item.set("word", to_js(trace.words[step.word]));
    item.set("pieces", to_js(step.pieces));
    if (step.merge) item.set("merge", to_js(std::vector{step.merge->first, step.merge->second}));
    if (step.score) item.set("score", *step.score);
    steps.call<void>("push", item);
  }
  return steps;
}

}  // namespace

val TokenizerHandle::info() const {
  return guarded([&] {
    val special = val::object();
    for (const auto& [token, id] : tokenizer_->special()) special.set(to_js(token), id);
    const SpecialTokenNames& names = tokenizer_->names();
    val name_list = val::object();
    const std::pair<const char*, const std::string&> pairs[] = {
        {"bos_token", names.bos}, {"eos_token", names.eos}, {"unk_token", names.unk},  {"sep_token", names.sep},
        {"pad_token", names.pad}, {"cls_token", names.cls}, {"mask_token", names.mask}};
    for (const auto& [key, token] : pairs) {
      if (!token.empty()) name_list.set(key, to_js(token));
    }
    val info = val::object();
    info.set("kind", to_js(name(tokenizer_->kind())));
    info.set("vocabSize", double(tokenizer_->vocab_size()));
    info.set("special", special);
    info.set("names", name_list);
    info.set("chatTemplate", to_js(tokenizer_->chat_template()));
    if (const auto length = tokenizer_->model_max_length()) info.set("modelMaxLength", double(*length));
    return info;
  });
}

val TokenizerHandle::encode(val lengths, bool add_special_tokens, std::string options) const {
  return guarded([&] {
    EncodeOptions parsed = options.empty() ? EncodeOptions{} : read_encode_options(JsonDocument::parse(options, "options").root());
    parsed.add_special_tokens = add_special_tokens;
    return encode_texts(*tokenizer_, ids_from_js(lengths), parsed);
  });
}

val TokenizerHandle::decode(val ids, bool skip_special_tokens) const {
  return guarded([&] {
    const std::vector<std::int32_t> list = ids_from_js(ids);
    tokenizer_->check_ids(list);
    return to_js(tokenizer_->decode(list, skip_special_tokens));
  });
}

val TokenizerHandle::decode_tokens(val tokens) const {
  return guarded([&] { return to_js(tokenizer_->decode_tokens(texts_from_js(tokens))); });
}

val TokenizerHandle::decode_stream(bool skip_special_tokens) const {
  return guarded([&] { return val(std::make_shared<DecodeStreamHandle>(DecodeStream(*tokenizer_, skip_special_tokens))); });
}

val TokenizerHandle::id_of(std::size_t length) const {
  return guarded([&] { return val(tokenizer_->id_of(Staging::text(length)).value_or(-1)); });
}

val TokenizerHandle::token_of(int id) const {
  return guarded([&] { return tokenizer_->has_token(id) ? to_js(tokenizer_->token_of(id)) : val::null(); });
}

val TokenizerHandle::add_tokens(std::string tokens) {
  return guarded([&] {
    const JsonDocument document = JsonDocument::parse(tokens, "tokens");
    std::vector<AddedToken> list;
    for (const Json& token : document.root().items()) list.push_back(read_added_token(token));
    return val(double(tokenizer_->add_tokens(list)));
  });
}

val TokenizerHandle::trace(std::size_t length) const {
  return guarded([&] {
    const Trace trace = tokenizer_->trace(Staging::text(length));
    val result = val::object();
    result.set("normalized", to_js(trace.normalized));
    result.set("words", to_js(trace.words));
    result.set("steps", steps_to_js(trace));
    return result;
  });
}

val TokenizerHandle::save() const {
  return guarded([&] { return to_js(write_tokenizer_json(tokenizer_->spec())); });
}

val TokenizerHandle::pack() const {
  return guarded([&] {
    const std::vector<std::byte> packed = tokenizer_->pack();
    return bytes_to_js({reinterpret_cast<const char*>(packed.data()), packed.size()});
  });
}

val DecodeStreamHandle::push(val ids) {
  return guarded([&] { return to_js(stream_.push(ids_from_js(ids))); });
}

val DecodeStreamHandle::end() {
  return guarded([&] { return to_js(stream_.end()); });
}

}  // namespace webformer
