// Files of weights in tests: read whole, or streamed in pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "formats/tensor_stream.h"

namespace webformer::test {

inline std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Code::internal_error, "{}: not there; the tests run in the repository's folder", path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto start = reinterpret_cast<const std::byte*>(text.data());
  return {start, start + text.size()};
}

inline std::span<const std::byte> bytes_of(std::string_view text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }

struct StreamedFile {
  std::shared_ptr<TensorStream> stream;
  const TensorTable& table() const { return *stream->table(); }
  std::vector<std::string> order;  // in which tensors came
  std::map<std::string, std::vector<std::byte>, std::less<>> tensors;
};

inline StreamedFile stream_file(std::span<const std::byte> file, std::size_t piece, const std::string& name = "model.safetensors") {
  StreamedFile result;
  TensorSink sink;
  sink.wants = [](const TensorInfo&) { return true; };
  sink.tensor = [&](const TensorInfo& tensor, std::span<const std::byte> bytes) {
    result.order.push_back(tensor.name);
    result.tensors[tensor.name] = {bytes.begin(), bytes.end()};
  };
  result.stream = std::make_shared<TensorStream>(name, file.size(), sink);
  for (std::size_t at = 0; at < file.size(); at += piece) result.stream->push(file.subspan(at, std::min(piece, file.size() - at)));
  result.stream->finish();
  return result;
}

/// "ok", or the code of the error that `call` throws.
template <class Call>
std::string verdict_of(Call call) {
  try {
    call();
    return "ok";
  } catch (const Error& error) {
    return std::string(name(error.code()));
  }
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
    return "no error";
  } catch (const Error& error) {
    return error.message();
  }
}

}  // namespace webformer::test
