#pragma once
// A file of weights that arrives in pieces: its table first, then each wanted tensor complete, in file order. Apart from the header,
// at most the largest wanted tensor is held, and nothing where a piece holds a whole tensor.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/tensor_table.h"

namespace webformer {

/// What a stream gives to. Each may throw; the stream is of no use then.
struct TensorSink {
  std::function<void(const TensorTable&)> table;     ///< once, before any tensor: to check names and shapes, and to allocate
  std::function<bool(const TensorInfo&)> wants;      ///< after the table; what is not wanted is skipped without being stored
  std::function<void(const TensorInfo&, std::span<const std::byte>)> tensor;  ///< its bytes, at any alignment, valid during the call
};

/// Reads safetensors and GGUF, told apart by the first bytes.
class TensorStream {
 public:
  TensorStream(std::string file, std::uint64_t file_size, TensorSink sink);

  /// The next bytes of the file. Throws invalid_file for what is no such file or longer than `file_size`, unsupported_model for a tensor
  /// type that is not read, out_of_memory where a wanted tensor is larger than a buffer can be.
  void push(std::span<const std::byte> piece);
  /// After the last piece. Throws invalid_file where the file is shorter than `file_size`.
  void finish();

  std::uint64_t file_size() const noexcept { return file_size_; }
  std::uint64_t received() const noexcept { return received_; }
  const std::optional<TensorTable>& table() const noexcept { return table_; }  ///< once the header is complete

 private:
  void read_header();
  void start_data();
  void take_data(std::span<const std::byte> piece);

  std::string file_;
  std::uint64_t file_size_;
  TensorSink sink_;
  std::uint64_t received_ = 0;
  std::vector<std::byte> header_;
  std::size_t header_target_ = 0;  // bytes to collect before the header is looked at
  std::optional<TensorTable> table_;
  std::vector<bool> wanted_;       // of each tensor of the table
  std::uint64_t largest_ = 0;      // bytes of the largest that is wanted
  std::size_t next_ = 0;           // the tensor at or after `at_`
  std::uint64_t at_ = 0;           // place in the file of the next byte that take_data gets
  std::vector<std::byte> buffer_;  // the bytes so far of tensor `next_`
};

}  // namespace webformer
