#include "formats/tensor_stream.h"

#include <doctest/doctest.h>

#include <array>

#include "allocations.h"
#include "formats/safetensors.h"
#include "formats/weight_files.h"

using namespace webformer;
using namespace webformer::test;

namespace {

/// Three tensors of bytes; the one in the middle is much the largest.
std::vector<std::byte> three_tensors(std::int64_t middle) {
  const std::vector<std::byte> small(10, std::byte(1)), large(std::size_t(middle), std::byte(2)), last(20, std::byte(3));
  const std::array<SafetensorsTensor, 3> tensors{
      {{{"small", DType::u8, Shape{10}}, small}, {{"large", DType::u8, Shape{middle}}, large}, {{"last", DType::u8, Shape{20}}, last}}};
  return write_safetensors(tensors);
}

}  // namespace

TEST_CASE("pieces of every size give the same tensors") {
  const auto file = three_tensors(100);
  const StreamedFile whole = stream_file(file, file.size());
  CHECK(whole.order == std::vector<std::string>{"small", "large", "last"});
  CHECK(whole.tensors.at("large") == std::vector<std::byte>(100, std::byte(2)));
  for (std::size_t piece = 1; piece < file.size(); ++piece) {
    const StreamedFile pieces = stream_file(file, piece);
    CAPTURE(piece);
    CHECK(pieces.order == whole.order);
    CHECK(pieces.tensors == whole.tensors);
  }
}

TEST_CASE("the table is seen before any tensor, as soon as the header is complete") {
  const auto file = three_tensors(100);
  std::vector<std::string> events;
  TensorSink sink;
  sink.table = [&](const TensorTable& table) { events.push_back("table of " + std::to_string(table.tensors.size())); };
  sink.wants = [&](const TensorInfo& tensor) {
    events.push_back("wants " + tensor.name);
    return tensor.name == "last";
  };
  sink.tensor = [&](const TensorInfo& tensor, std::span<const std::byte> bytes) {
    events.push_back(tensor.name + " " + std::to_string(bytes.size()));
  };
  TensorStream stream("model.safetensors", file.size(), sink);
  const std::size_t header = file.size() - 130;
  stream.push(std::span(file).first(header - 1));
  CHECK(events.empty());
  CHECK_FALSE(stream.table().has_value());
  stream.push(std::span(file).subspan(header - 1, 1));
  CHECK(events == std::vector<std::string>{"table of 3", "wants small", "wants large", "wants last"});
  stream.push(std::span(file).subspan(header));
  stream.finish();
  CHECK(events.back() == "last 20");
  CHECK(events.size() == 5);
  CHECK(stream.received() == file.size());
}

TEST_CASE("memory holds the largest wanted tensor, and nothing of what is not wanted") {
  constexpr std::size_t large = 1 << 20;
  const auto file = three_tensors(large);
  const auto peak_of = [&](bool all, std::size_t piece) {
    std::size_t delivered = 0;
    const std::size_t before = live_bytes();
    reset_peak_bytes();
    TensorStream stream("model.safetensors", file.size(),
                        {.table = {}, .wants = [&](const TensorInfo& tensor) { return all || tensor.name != "large"; },
                         .tensor = [&](const TensorInfo&, std::span<const std::byte> bytes) { delivered += bytes.size(); }});
    for (std::size_t at = 0; at < file.size(); at += piece) stream.push(std::span(file).subspan(at, std::min(piece, file.size() - at)));
    stream.finish();
    CHECK(delivered == (all ? large + 30 : 30));
    return peak_bytes() - before;
  };
  CHECK(peak_of(true, 1000) < large + 50'000);
  CHECK(peak_of(false, 3) < 50'000);
  CHECK(peak_of(true, file.size()) < 50'000);  // each tensor is delivered from the piece itself
}

TEST_CASE("a file that is longer or shorter than was said is refused with both numbers") {
  const auto file = three_tensors(100);
  const auto stream_with_size = [&](std::uint64_t size) {
    TensorStream stream("model.safetensors", size, {.table = {}, .wants = [](const TensorInfo&) { return false; }, .tensor = {}});
    stream.push(file);
    stream.finish();
  };
  const std::string size = std::to_string(file.size()), less = std::to_string(file.size() - 1);
  CHECK(message_of([&] { stream_with_size(file.size()); }) == "no error");
  CHECK(message_of([&] { stream_with_size(file.size() - 1); }) == "model.safetensors: " + size + " bytes arrived, " + less + " expected");
  TensorStream stream("model.safetensors", file.size(), {.table = {}, .wants = [](const TensorInfo&) { return false; }, .tensor = {}});
  stream.push(std::span(file).first(file.size() - 1));
  CHECK(message_of([&] { stream.finish(); }) == "model.safetensors: " + less + " bytes arrived, " + size + " expected");
}

TEST_CASE("an empty piece is no piece") {
  const auto file = three_tensors(5);
  int delivered = 0;
  TensorStream stream("model.safetensors", file.size(), {.table = {}, .wants = [](const TensorInfo&) { return true; },
                                                         .tensor = [&](const TensorInfo&, std::span<const std::byte>) { ++delivered; }});
  for (const std::byte& byte : file) {
    stream.push({});
    stream.push({&byte, 1});
  }
  stream.push({});
  stream.finish();
  CHECK(delivered == 3);
}
