#include "model/model.h"

namespace webformer {

Model Model::declare(const ModelConfig& c, WeightPlan& plan) {
  const WeightScope w(plan, "");
  Model model;
  model.config = c;
  if (c.kind == Kind::encoder_decoder && c.shared_embeddings) {
    const Embedding shared = Embedding::declare(w("shared")("embed")("tokens"), c.vocab_size, c.encoder.width, TableUse::tokens);
    model.encoder = Stack::declare(w, "encoder", c.encoder, c.vocab_size, c.context_length, c.pad_token_id, &shared, 0);
    model.decoder = Stack::declare(w, "decoder", c.decoder, c.vocab_size, c.context_length, c.pad_token_id, &shared, c.encoder.width);
  } else {
    if (c.kind != Kind::decoder)
      model.encoder = Stack::declare(w, "encoder", c.encoder, c.vocab_size, c.context_length, c.pad_token_id, nullptr, 0);
    if (c.kind != Kind::encoder) {
      const int vocab = c.kind == Kind::encoder_decoder ? c.target_vocab_size : c.vocab_size;
      model.decoder = Stack::declare(w, "decoder", c.decoder, vocab, c.context_length, c.pad_token_id, nullptr, c.encoder.width);
    }
  }
  model.heads = Heads::declare(w("heads"), c);
  return model;
}

}  // namespace webformer
