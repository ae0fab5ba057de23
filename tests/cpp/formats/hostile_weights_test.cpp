#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>

#include "allocations.h"
#include "core/format.h"
#include "formats/safetensors.h"
#include "formats/weight_files.h"

using namespace webformer;
using namespace webformer::test;

namespace {

std::vector<std::filesystem::path> hostile_files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fixtures/hostile")) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

/// "a.invalid_file.gguf" -> "invalid_file"
std::string stated_verdict(const std::filesystem::path& path) { return path.stem().extension().string().substr(1); }

std::string with_length(const std::string& header) {
  std::uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  return file += header;
}

double seconds_of(auto work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("every hostile file of weights gets the verdict in its name, whatever the pieces that it comes in") {
  const auto paths = hostile_files();
  REQUIRE(paths.size() >= 170);
  for (const auto& path : paths) {
    const std::vector<std::byte> file = read_file(path.string());
    for (const std::size_t piece : {std::size_t(1), std::size_t(7), std::size_t(64), file.size() + 1}) {
      CAPTURE(path.filename().string());
      CAPTURE(piece);
      CHECK(verdict_of([&] { stream_file(file, piece); }) == stated_verdict(path));
    }
  }
}

TEST_CASE("no hostile file makes more be allocated than its own bytes explain") {
  for (const auto& path : hostile_files()) {
    const std::vector<std::byte> file = read_file(path.string());
    const std::size_t before = live_bytes();
    reset_peak_bytes();
    verdict_of([&] { stream_file(file, file.size() + 1); });
    CAPTURE(path.filename().string());
    CHECK(peak_bytes() - before < 50 * file.size() + 100'000);
    CHECK(live_bytes() == before);
  }
}

TEST_CASE("a file of weights cut anywhere is refused") {
  for (const char* name : {"parent.ok.safetensors", "parent.ok.gguf"}) {
    const std::vector<std::byte> file = read_file(std::string("tests/fixtures/hostile/") + name);
    for (std::size_t size = 0; size < file.size(); ++size) {
      CAPTURE(size);
      CHECK(verdict_of([&] { stream_file(std::span(file).first(size), 1000); }) == "invalid_file");
      // The same where the transport says the right size and then fails to deliver.
      CHECK(verdict_of([&] {
              TensorStream stream(name, file.size(), {.table = {}, .wants = [](const TensorInfo&) { return false; }, .tensor = {}});
              stream.push(std::span(file).first(size));
              stream.finish();
            }) == "invalid_file");
    }
  }
}

TEST_CASE("any refused allocation while weights are read is an out-of-memory error, and nothing leaks") {
  for (const char* name : {"tests/fixtures/hostile/parent.ok.safetensors", "tests/fixtures/quantized.gguf"}) {
    const std::vector<std::byte> file = read_file(name);
    const std::size_t before = live_bytes();
    CHECK(refuse_each_allocation([&] { stream_file(file, 100); }) > 20);
    CHECK(live_bytes() == before);
  }
}

TEST_CASE("a header nested 100000 levels deep is refused") {
  const std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  const std::string file = with_length(deep);
  CHECK(message_of([&] { stream_file(bytes_of(file), file.size()); }).find("less nesting expected") != std::string::npos);
}

TEST_CASE("a name of a megabyte is refused, and not repeated in the message") {
  const std::string file = with_length(R"({")" + std::string(1'000'000, 'n') + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})");
  const std::string message = message_of([&] { stream_file(bytes_of(file), file.size()); });
  CHECK(message.find("1000000 bytes found, 4096 at most") != std::string::npos);
  CHECK(message.size() < 300);
}

TEST_CASE("a header of 90 MB is done with in seconds, be it 10 million things that are no tensors or 1.5 million empty tensors") {
  std::string wrong = "{";
  for (int i = 0; i < 10'000'000; ++i) wrong += "\"a" + std::to_string(i % 10) + "\":0,";
  wrong.back() = '}';
  std::string many = "{";
  for (int i = 0; i < 1'500'000; ++i) many += "\"" + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
  many.back() = '}';
  std::string twins = many;
  twins.replace(twins.find("\"1499999\""), 9, "\"1499998\"");
  for (const auto& [header, verdict] : {std::pair{&wrong, "invalid_file"}, {&many, "ok"}, {&twins, "invalid_file"}}) {
    const std::string file = with_length(*header);
    CAPTURE(file.size());
    const double seconds = seconds_of([&] { CHECK(verdict_of([&] { stream_file(bytes_of(file), 1 << 20); }) == verdict); });
    CHECK(seconds < 60);  // 1 to 3 on an idle machine; what is quadratic takes hours
  }
}
