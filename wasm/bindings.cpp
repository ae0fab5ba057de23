// The functions and classes of the module, as JavaScript sees them. web/module.ts has their types.

#include <emscripten/bind.h>

#include "formats/tokenizer_files.h"
#include "kernels/self_test.h"
#include "wasm/adapter_entries.h"
#include "wasm/attention_piece.h"
#include "wasm/attention_probe.h"
#include "wasm/gguf_header.h"
#include "wasm/guard.h"
#include "wasm/job.h"
#include "wasm/layer_handle.h"
#include "wasm/loader_handle.h"
#include "wasm/memory_limit.h"
#include "wasm/model_handle.h"
#include "wasm/model_saver.h"
#include "wasm/position_tables.h"
#include "wasm/tokenizer_handle.h"
#include "wasm/tokenizer_trainer.h"
#include "wasm/trainer_handle.h"
#include "wasm/values.h"
#include "wasm/word_vector_files.h"
#include "wasm/word_vector_trainer.h"

using emscripten::val;

namespace webformer {

namespace {

/// The address of `size` bytes that JavaScript fills before it calls what reads them.
val stage(double size) {
  return guarded([&] {
    if (!(size < double(max_memory()))) throw Error(Code::out_of_memory, "{} bytes are asked for, {} are there", size, max_memory());
    return val(double(Staging::reserve(std::size_t(size))));
  });
}

/// names, lengths: the files of a tokenizer, staged one after the other. Returns [tokenizer, of the target or null where it is the same].
val read_tokenizers(val names, val lengths) {
  return guarded([&] {
    const std::vector<std::string> keys = texts_from_js(names);
    const std::vector<std::string_view> contents = Staging::texts(lengths);
    std::map<std::string, std::string_view> files;
    for (std::size_t i = 0; i < keys.size(); ++i) files.emplace(keys[i], contents[i]);
    const auto compile = [](TokenizerSpec spec) {
      return val(std::make_shared<TokenizerHandle>(std::make_shared<Tokenizer>(Tokenizer::compile(std::move(spec)))));
    };
    val pair = val::array();
    pair.call<void>("push", compile(read_tokenizer(files)));
    pair.call<void>("push", files.contains("target.spm") ? compile(read_target_tokenizer(files)) : val::null());
    Staging::shrink();
    return pair;
  });
}

val unpack_tokenizer(std::size_t length) {
  return guarded([&] {
    val handle(std::make_shared<TokenizerHandle>(std::make_shared<Tokenizer>(Tokenizer::unpack(Staging::bytes(length)))));
    Staging::shrink();
    return handle;
  });
}

void set_tokenizer(ModelHandle& model, const TokenizerHandle& tokenizer) { model.set_tokenizer(tokenizer.tokenizer()); }

}  // namespace

EMSCRIPTEN_BINDINGS(webformer) {
  using emscripten::class_;
  using emscripten::function;

  function("build", +[] { return to_js(simd_build()); });
  function("selfTest", +[] { return simd_self_test(); });
  function("maxMemory", +[] { return double(max_memory()); });
  function("stage", &stage);
  function("readTokenizers", &read_tokenizers);
  function("unpackTokenizer", &unpack_tokenizer);
  function("trainTokenizer", &start_tokenizer_training);
  function("attention", &attend);
  function("createLayer", &create_layer);
  function("createTrainer", &create_trainer);
  function("createWordVectorTrainer", &create_word_vector_trainer);
  function("loadAdapter", &load_adapter);
  function("mergeAdapter", &merge_adapter);
  function("saveAdapter", &save_adapter);
  function("saveModel", &save_model);
  function("positionTable", &position_table);
  function("readWordVectors", &read_word_vectors);
  function("writeWordVectors", &save_word_vectors);

  class_<TokenizerHandle>("Tokenizer")
      .smart_ptr<std::shared_ptr<TokenizerHandle>>("TokenizerPointer")
      .function("info", &TokenizerHandle::info)
      .function("encode", &TokenizerHandle::encode)
      .function("decode", &TokenizerHandle::decode)
      .function("decodeTokens", &TokenizerHandle::decode_tokens)
      .function("decodeStream", &TokenizerHandle::decode_stream)
      .function("idOf", &TokenizerHandle::id_of)
      .function("tokenOf", &TokenizerHandle::token_of)
      .function("addTokens", &TokenizerHandle::add_tokens)
      .function("trace", &TokenizerHandle::trace)
      .function("save", &TokenizerHandle::save)
      .function("pack", &TokenizerHandle::pack);
  class_<DecodeStreamHandle>("DecodeStream")
      .smart_ptr<std::shared_ptr<DecodeStreamHandle>>("DecodeStreamPointer")
      .function("push", &DecodeStreamHandle::push)
      .function("end", &DecodeStreamHandle::end);

  class_<TokenizerTrainerHandle>("TokenizerTrainer")
      .smart_ptr<std::shared_ptr<TokenizerTrainerHandle>>("TokenizerTrainerPointer")
      .function("feed", &TokenizerTrainerHandle::feed)
      .function("train", &TokenizerTrainerHandle::train);

  class_<LayerHandle>("Layer")
      .smart_ptr<std::shared_ptr<LayerHandle>>("LayerPointer")
      .function("forward", &LayerHandle::forward);
  class_<GgufHeader>("GgufHeader")
      .constructor<std::string, double>()
      .function("push", &GgufHeader::push)
      .function("tokenizer", &GgufHeader::tokenizer);
  class_<LoaderHandle>("Loader")
      .constructor<std::string>()
      .function("config", &LoaderHandle::config)
      .function("newHead", &LoaderHandle::new_head)
      .function("generationConfig", &LoaderHandle::generation_config)
      .function("shards", &LoaderHandle::shards)
      .function("open", &LoaderHandle::open)
      .function("push", &LoaderHandle::push)
      .function("close", &LoaderHandle::close)
      .function("randomize", &LoaderHandle::randomize)
      .function("configJson", &LoaderHandle::config_json)
      .function("tokenizer", &LoaderHandle::tokenizer)
      .function("finish", &LoaderHandle::finish);
  class_<ModelHandle>("Model")
      .smart_ptr<std::shared_ptr<ModelHandle>>("ModelPointer")
      .function("info", &ModelHandle::info)
      .function("setTokenizer", &set_tokenizer)
      .function("forward", &ModelHandle::forward)
      .function("generate", &ModelHandle::generate)
      .function("attentionProbe", &ModelHandle::attention_probe);
  class_<TrainerHandle>("Trainer")
      .smart_ptr<std::shared_ptr<TrainerHandle>>("TrainerPointer")
      .function("addRows", &TrainerHandle::add_rows)
      .function("addBatches", &TrainerHandle::add_batches)
      .function("close", &TrainerHandle::close)
      .function("begin", &TrainerHandle::begin)
      .function("state", &TrainerHandle::state)
      .function("step", &TrainerHandle::step)
      .function("evaluate", &TrainerHandle::evaluate)
      .function("checkpoint", &TrainerHandle::checkpoint);
  class_<WordVectorTrainerHandle>("WordVectorTrainer")
      .smart_ptr<std::shared_ptr<WordVectorTrainerHandle>>("WordVectorTrainerPointer")
      .function("feed", &WordVectorTrainerHandle::feed)
      .function("begin", &WordVectorTrainerHandle::begin)
      .function("done", &WordVectorTrainerHandle::done)
      .function("step", &WordVectorTrainerHandle::step)
      .function("vectors", &WordVectorTrainerHandle::vectors)
      .function("checkpoint", &WordVectorTrainerHandle::checkpoint);
  class_<ModelSaver>("ModelSaver")
      .smart_ptr<std::shared_ptr<ModelSaver>>("ModelSaverPointer")
      .function("size", &ModelSaver::size)
      .function("header", &ModelSaver::header)
      .function("next", &ModelSaver::next);
  class_<AttentionProbe>("AttentionProbe")
      .smart_ptr<std::shared_ptr<AttentionProbe>>("AttentionProbePointer")
      .function("args", &AttentionProbe::args)
      .function("run", &AttentionProbe::run)
      .function("difference", &AttentionProbe::difference);
  class_<JobHandle>("Job")
      .smart_ptr<std::shared_ptr<JobHandle>>("JobPointer")
      .function("useGpu", &JobHandle::use_gpu)
      .function("step", &JobHandle::step)
      .function("accept", &JobHandle::accept)
      .function("result", &JobHandle::result);
}

}  // namespace webformer
