// safetensors and GGUF: the same verdict and the same tensors in pieces of any size, and every number converted.
#include <algorithm>
#include <string>
#include <vector>

#include "formats/tensor_stream.h"
#include "fuzz.h"

using namespace webformer;

namespace {

/// All that was delivered, as one text to compare.
std::string read_in_pieces(std::span<const std::byte> file, std::size_t piece) {
  std::string events;
  TensorSink sink;
  sink.wants = [](const TensorInfo& tensor) { return tensor.name.size() % 4 != 3; };
  sink.tensor = [&](const TensorInfo& tensor, std::span<const std::byte> bytes) {
    fuzz::require(bytes.size() == bytes_for(tensor.dtype, tensor.shape.size()), "a tensor has the bytes that its shape takes");
    const auto count = std::size_t(tensor.shape.size());
    if (is_float(tensor.dtype)) {
      std::vector<float> numbers(count);
      to_floats(tensor.dtype, bytes, numbers.data());
    } else {
      std::vector<std::int64_t> numbers(count);
      to_integers(tensor.dtype, bytes, numbers.data());
    }
    events += tensor.name;
    events.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  try {
    TensorStream stream("fuzzed", file.size(), std::move(sink));
    for (std::size_t at = 0; at < file.size(); at += piece) stream.push(file.subspan(at, std::min(piece, file.size() - at)));
    stream.finish();
  } catch (const Error& error) {
    if (error.code() == Code::internal_error) throw;
    return std::string(name(error.code()));
  }
  return events + " ok";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::expect_documented_end([&] {
    const auto file = std::as_bytes(std::span(data, size));
    const std::string whole = read_in_pieces(file, size + 1);
    fuzz::require(read_in_pieces(file, 1 + size / 7) == whole, "pieces give what the whole gives");
    fuzz::require(read_in_pieces(file, 3) == whole, "pieces of 3 bytes give what the whole gives");
  });
  return 0;
}
