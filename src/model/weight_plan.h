#pragma once
// Which tensors a model wants, under which names a checkpoint keeps them, and how they get from one to the other.
// A model is declared first (every layer asks a WeightScope for its weights), then bound to a file's table, which checks names and shapes
// before anything is allocated, then filled, tensor by tensor, as the file streams in.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"
#include "formats/tensor_table.h"
#include "kernels/weights.h"

namespace webformer {

/// Which part of a checkpoint's tensor a weight is, where several are stored as one.
enum class Part {
  whole,
  query,
  key,
  value,  ///< rows [query; key; value]
  interleaved_query,
  interleaved_key,
  interleaved_value,  ///< rows [H][query, key, value][D]: GPT-NeoX, BLOOM
  first_half,
  second_half,  ///< rows [gate; up]
};

/// One row of a family's table of names. `#` stands for the number of a layer. Several rows with one `ours` are alternatives.
struct WeightName {
  std::string_view ours;    ///< "encoder.#.self_attention.query", without .weight or .bias; or a whole name
  std::string_view theirs;  ///< "bert.encoder.layer.#.attention.self.query"
  Part part = Part::whole;
  bool transposed = false;  ///< stored as [in, out] (GPT-2's Conv1D)
};

struct WeightNames {
  std::vector<std::string_view> prefixes{""};  ///< tried in this order before each of `theirs`; "" too, if bare names occur
  std::vector<WeightName> rows;
  std::vector<std::string_view> ignored;  ///< ends of names of tensors that hold nothing to learn: position ids, mask buffers
};

/// What a table is for; decides how it is kept.
enum class TableUse { tokens, positions };

/// How few bits the numbers of a matrix may have where weights are quantized.
enum class Precision {
  full,    ///< it stays as floats
  fine,    ///< 8: what all later layers build on, such as embeddings, values and heads
  coarse,  ///< 4
};

/// How weights are kept. int4: matrices of coarse precision, the others have 8 bits, as llama.cpp mixes (Q4_K_M).
enum class WeightPolicy { as_stored, f32, f16, int8, int4 };

/// A weight by our name: a matrix or a vector.
struct Weight {
  std::string name;
  std::shared_ptr<PackedWeights> matrix;
  std::shared_ptr<std::vector<float>> vector;

  /// Row `row` of a matrix, or a whole vector, as floats.
  void read(std::int64_t row, float* out) const;
};

class WeightPlan {
 public:
  /// heads, kv_heads and head_size tell parts of fused tensors apart.
  struct Fused {
    int heads = 0, kv_heads = 0, head_size = 0;
  };

  explicit WeightPlan(const WeightNames& names, Fused fused) : names_(names), fused_(fused) {}

  std::shared_ptr<PackedWeights> matrix(std::string name, std::int64_t rows, std::int64_t cols, Precision precision = Precision::fine);
  std::shared_ptr<std::vector<float>> vector(std::string name, std::int64_t size);
  /// A matrix that the file may lack, because it is tied to another one; see filled().
  std::shared_ptr<PackedWeights> optional_matrix(std::string name, std::int64_t rows, std::int64_t cols);
  std::shared_ptr<std::vector<float>> optional_vector(std::string name, std::int64_t size);

  /// Finds the wanted tensors of one file, checks their shapes, and allocates. Called once a file. Throws weight_mismatch with all whose
  /// shape is wrong (both shapes named), invalid_file for numbers that are no floats and for a tensor that an earlier file had,
  /// out_of_memory where `memory_limit` bytes (0: no limit) are too few for what is kept.
  void bind(const TensorTable& table, WeightPolicy policy, std::uint64_t memory_limit = 0);
  /// After all files are bound: throws weight_missing with the names of all that no file had.
  void check_complete() const;
  /// Whether a tensor of the file is wanted; call after bind.
  bool wants(std::string_view tensor) const;
  /// Takes one tensor's bytes. Throws numeric_error where one of its numbers is NaN or infinite.
  void fill(const TensorInfo& tensor, std::span<const std::byte> bytes);
  /// Random weights instead of a file's: matrices N(0, deviation^2), norms 1 (or 0, where they multiply by 1 + weight), biases 0. Optional
  /// ones stay away.
  void randomize(Random& random, float deviation, WeightPolicy policy, float norm_weight);
  /// The weights whose names begin with `ours` are new, whatever the files have: not looked for in them. After bind, randomize_missing()
  /// gives them and all others that no file had below `or_missing` random numbers, as randomize() does.
  void leave_out(std::string_view ours);
  void randomize_missing(Random& random, float deviation, WeightPolicy policy, float norm_weight, std::string_view or_missing);
  /// After randomize(): the tensors of a file that the model is saved to get the names of transformers' class, which has something above
  /// the base model or not. `has` says which of two alternatives the model has.
  void name_stored(bool has_head, const std::function<bool(std::string_view tensor)>& has);
  /// The tensors that were read from a file are saved by the names of transformers' class.
  void rename_stored(bool has_head);
  /// Checks that all is filled. Throws internal_error where the file's reader left something out.
  void finish() const;
  /// Whether the file had this one.
  bool filled(const std::shared_ptr<PackedWeights>& matrix) const;
  bool filled(const std::shared_ptr<std::vector<float>>& vector) const;

  /// The file had `own` beside `shared`, whose numbers it repeats: the model has one of them, a saved file both.
  void tie(const std::shared_ptr<PackedWeights>& own, const std::shared_ptr<PackedWeights>& shared);
  /// Lets go of what nobody else holds.
  void release();

  /// All weights that were filled and that somebody holds, each once.
  std::vector<Weight> weights() const;
  struct Stored {
    std::string name;
    Shape shape;
  };
  using ReadRow = std::function<void(const Weight& weight, std::int64_t row, float* out)>;
  /// The tensors that weights() were read from, their copies, and what was tied to them, by name; of weights whose name begins with `ours`.
  std::vector<Stored> stored(std::string_view ours = "") const;
  /// The backward of fill for one of stored(): what `read` gives for each of its weights, in the layout of the file. `read` writes row
  /// `row` of a matrix, or a whole vector.
  Array put_back(std::string_view tensor, const ReadRow& read) const;
  /// Where a matrix stands among the modules of transformers' class, however the file names them; nothing for one that is not a module's
  /// whole width.
  struct Place {
    std::string module;              ///< "transformer.h.0.attn.c_attn"
    std::int64_t rows;               ///< outputs of the module
    std::vector<std::int64_t> row;   ///< which of them each row of the matrix is
    bool transposed;                 ///< stored as [in, out]
  };
  std::optional<Place> place_of(const PackedWeights& matrix, bool has_head) const;
  /// Overwrites what was read from a tensor of stored(). Its numbers are finite.
  void refill(const TensorInfo& tensor, std::span<const std::byte> bytes) const;
  /// The same for all tensors but those that only repeat another one.
  std::map<std::string, Array> put_back(const ReadRow& read) const;

  std::vector<std::string> unused;  ///< tensors of the files that nothing wants
  std::int64_t parameters = 0;      ///< numbers that were bound
  std::uint64_t bytes = 0;          ///< what they take as kept

 private:
  struct Slot {
    std::string name;
    Shape shape;  // [rows, cols] or [size]
    Precision precision = Precision::fine;
    bool optional = false;
    std::shared_ptr<PackedWeights> matrix;
    std::shared_ptr<std::vector<float>> vector;
    Part part = Part::whole;
    bool transposed = false;
    std::string stored_as;   // "" while unbound
    std::size_t choice = 0;  // of its candidates
    Shape stored_shape;
    std::vector<std::string> copies;  // tensors of the file that hold the same under another name, in the same layout
    bool left_out = false;
    bool filled = false;
    bool tied = false;  // repeats another slot

    bool is_stored_as(std::string_view name) const noexcept;
    /// transformers puts the prefix of the base model before all names but those of the heads; poolers are the base model's.
    bool is_head() const noexcept { return name.starts_with("heads.") && !name.starts_with("heads.pooler"); }
    /// Whether it was filled, and somebody else has it.
    bool held() const noexcept { return filled && matrix.use_count() + vector.use_count() > 1; }
  };
  struct Candidate {
    std::string name;
    std::size_t prefix;
    Part part;
    bool transposed;
    bool exact;        // by a row for this weight, not for its module
    std::string bare;  // without the prefix
  };

  std::vector<Candidate> candidates(const std::string& name) const;
  std::string family_name(const Slot& slot, const Candidate& candidate, bool has_head) const;
  /// What the file's tensor must have.
  Shape expected_shape(const Slot& slot) const;
  bool fits(const Slot& slot, const Shape& stored) const;
  /// The name that a missing one would have, as those that are there are named; "a or b" where none tells.
  std::string missing_name(const Slot& slot) const;
  std::int64_t source_row(const Slot& slot, std::int64_t row) const;
  void randomize_slot(Slot& slot, Random& random, float deviation, WeightPolicy policy, float norm_weight);
  void fill_slot(Slot& slot, const TensorInfo& tensor, std::span<const std::byte> bytes) const;

  WeightNames names_;
  Fused fused_;
  std::vector<Slot> slots_;
};

/// A place in the tree of names: scope("self_attention")("query") declares "….self_attention.query.weight".
class WeightScope {
 public:
  WeightScope(WeightPlan& plan, std::string path) : plan_(plan), path_(std::move(path)) {}
  WeightScope operator()(std::string_view name) const {
    return {plan_, path_.empty() ? std::string(name) : path_ + "." + std::string(name)};
  }

  std::shared_ptr<PackedWeights> matrix(std::string_view name, std::int64_t rows, std::int64_t cols,
                                        Precision precision = Precision::fine) const {
    return plan_.matrix((*this)(name).path_, rows, cols, precision);
  }
  std::shared_ptr<std::vector<float>> vector(std::string_view name, std::int64_t size) const {
    return plan_.vector((*this)(name).path_, size);
  }
  WeightPlan& plan() const noexcept { return plan_; }
  const std::string& path() const noexcept { return path_; }

 private:
  WeightPlan& plan_;
  std::string path_;
};

}  // namespace webformer
