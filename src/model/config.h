#pragma once
// What a model is, in enums and numbers. Every field is set from config.json by the family's row (families/); nothing is inferred from
// which tensor exists in the file.

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/elementwise.h"

namespace webformer {

enum class Kind { encoder, decoder, encoder_decoder };

/// What stands on top of the last hidden state.
enum class Head {
  none,
  masked_lm,
  pretraining,  ///< masked LM and next sentence on the pooled output (BertForPreTraining)
  next_sentence,
  causal_lm,                ///< also the decoder of an encoder-decoder model
  sequence_classification,  ///< labels from one vector a text
  token_classification,
  question_answering,  ///< start and end of an answer
};

/// Which vector stands for a text that gets one label.
enum class Pooling {
  pooled,  ///< the pooler's output (BERT)
  first,   ///< the first token
  mean,
  last,      ///< the last token that is not padding (LLaMA)
  last_eos,  ///< the last end-of-sequence token (BART)
};

enum class NormKind { layer_norm, rms_norm };

struct NormConfig {
  NormKind kind = NormKind::layer_norm;
  float epsilon = 1e-5f;
  bool weight = true;  ///< false: it multiplies by nothing (OLMo)
  bool bias = true;
  float weight_offset = 0;  ///< 1 for Gemma, whose norms multiply by 1 + weight
  bool operator==(const NormConfig&) const = default;
};

/// Where a layer normalizes.
enum class NormPlace {
  pre,       ///< x + f(norm(x)): GPT-2, LLaMA
  post,      ///< norm(x + f(x)): the 2017 Transformer, BERT
  both,      ///< x + norm(f(norm(x))): Gemma 2
  output,    ///< x + norm(f(x)): OLMo 2
  parallel,  ///< x + attention(norm(x)) + ffn(norm(x)): GPT-NeoX, Phi
};

enum class Positions { none, learned, sinusoidal, rope, alibi, relative };

/// The table of sinusoidal positions (Vaswani et al. 2017, section 3.5).
enum class SinusoidLayout {
  interleaved,  ///< sin, cos, sin, cos, …: the paper
  halves,       ///< all sines, then all cosines, exponent 2i/C: Marian, Pegasus
  halves_m2m,   ///< the same with exponent i/(C/2 - 1): fairseq, M2M100
};

/// How position numbers are counted.
enum class PositionCount {
  plain,     ///< 0, 1, 2, …
  unmasked,  ///< the same, padding not counted: OPT
  from_pad,  ///< padding_id + 1, …; a padding token gets padding_id: RoBERTa, M2M100
};

struct RopeConfig {
  int rotated = 0;  ///< numbers of a head that turn; the rest stays
  RopeLayout layout = RopeLayout::half;
  std::vector<float> frequencies;  ///< [rotated/2], radians a position, scaling included
  float magnitude = 1;             ///< multiplies sine and cosine (YaRN)
  std::int64_t longest = 0;        ///< positions that the frequencies hold for, where the model has others beyond them; 0: all
  bool operator==(const RopeConfig&) const = default;
};

/// Where one layer differs from the next.
struct LayerConfig {
  float attention_scale = 1;   ///< times that of the stack
  std::int64_t window = 0;     ///< 0: sees all; else only keys less than `window` away (see AttentionArgs)
  int rope = -1;               ///< index in StackConfig::ropes, -1: none
  bool attention_norm = true;  ///< ModernBERT's first layer has none
  bool operator==(const LayerConfig&) const = default;
};

/// One stack of layers with the embedding below it.
struct StackConfig {
  int width = 0;            ///< C
  int embedding_width = 0;  ///< E: C, unless a projection follows (ALBERT, ELECTRA)
  bool embedding_projection = false;
  bool embedding_projection_bias = true;
  bool positions_after_projection = false;  ///< positions have width C (OPT), else E
  bool output_projection = false;           ///< from C back to E after the final norm (OPT)
  int layers = 0;                           ///< L
  int distinct_layers = 0;                  ///< how many have weights of their own; fewer than L where they are shared (ALBERT)
  int heads = 0;                            ///< H
  int kv_heads = 0;                         ///< K
  int head_size = 0;                        ///< D
  int inner = 0;                            ///< F
  bool causal = false;
  bool cross_attention = false;
  std::vector<LayerConfig> layer;  ///< one a layer

  NormConfig norm;
  NormPlace norm_place = NormPlace::post;
  bool ffn_norm = true;  ///< false: the FFN of a parallel layer reads attention's norm (Phi)
  bool embedding_norm = false;
  bool final_norm = false;

  Activation activation = Activation::gelu;
  bool gated = false;      ///< activation(gate) * up: SwiGLU, GeGLU
  bool query_bias = true;  ///< of query, key and value
  bool key_bias = true;
  bool output_bias = true;
  bool ffn_bias = true;
  bool query_key_norm = false;  ///< one norm a head, over D (Qwen3, Gemma 3)
  float attention_scale = 0;    ///< 1/sqrt(D) as a rule
  float attention_softcap = 0;

  float embedding_scale = 1;  ///< sqrt(C) in the 2017 Transformer, Marian, Gemma
  int token_types = 0;        ///< rows of the segment table, 0: none
  Positions positions = Positions::none;
  PositionCount position_count = PositionCount::plain;
  SinusoidLayout sinusoid = SinusoidLayout::interleaved;
  int position_offset = 0;         ///< rows skipped at the start of the table (BART, OPT: 2)
  std::int64_t max_positions = 0;  ///< rows of a learned table after the offset
  std::vector<RopeConfig> ropes;
  float alibi_max_bias = 8;
  int relative_buckets = 32;  ///< T5
  int relative_max_distance = 128;

  /// Of the last hidden state.
  int output_width() const noexcept { return output_projection ? embedding_width : width; }
  bool operator==(const StackConfig&) const = default;
};

struct ModelConfig {
  std::string model_type;
  std::string architecture;  ///< config.json's architectures[0], "" where absent
  Kind kind = Kind::encoder;
  Head head = Head::none;
  StackConfig encoder;              ///< unused in a decoder
  StackConfig decoder;              ///< unused in an encoder
  int vocab_size = 0;               ///< V: rows of the embedding
  int target_vocab_size = 0;        ///< the decoder's, where it has its own (Marian); else V
  std::int64_t context_length = 0;  ///< the most tokens a sequence may have; of the decoder too, in an encoder-decoder

  bool shared_embeddings = true;  ///< encoder and decoder read one table
  bool tied = true;               ///< the LM head is the embedding's table
  bool lm_head_bias = false;
  bool lm_head_transform = false;  ///< dense, activation, norm before the LM head (BERT)
  bool lm_head_transform_bias = true;
  Activation head_activation = Activation::gelu;
  NormConfig head_norm;
  bool classifier_bias = true;
  bool classifier_dense = false;  ///< a dense layer before the labels (RoBERTa)
  bool classifier_dense_bias = true;
  bool classifier_norm = false;  ///< and a norm after it (ModernBERT)
  Pooling classifier_pooling = Pooling::first;
  float logits_scale = 1;    ///< T5 1.0: C^-0.5, before the head
  float logits_softcap = 0;  ///< Gemma 2
  bool pooler = false;       ///< tanh of a dense layer over the first token (BERT)

  std::vector<std::string> labels;
  std::string problem_type;        ///< "", "regression", "single_label_classification", "multi_label_classification"
  std::int32_t pad_token_id = -1;  ///< -1: none
  std::int32_t decoder_start_token_id = -1;
  bool starts_with_last = false;  ///< decoder inputs that nobody gave begin with the last token of the text, its language (mBART)
  std::vector<std::int32_t> eos_token_ids;

  /// The stack that makes the last hidden state.
  const StackConfig& top() const noexcept { return kind == Kind::encoder ? encoder : decoder; }
  bool operator==(const ModelConfig&) const = default;
};

}  // namespace webformer
