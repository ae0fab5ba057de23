#include "native/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"

namespace webformer {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  throw Error(Code::invalid_file, "{}: {} ({})", path.string(), what, std::strerror(errno));
}

/// A file that is closed whatever happens.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : path_(path), number_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) fail(path, "cannot be opened");
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void put(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path_, "cannot be written");
      bytes = bytes.subspan(std::size_t(written));
    }
  }
  void flush() {
    if (fsync(number_) != 0 && errno != EINVAL) fail(path_, "cannot be written");  // EINVAL: a folder that does not know of it
  }

 private:
  fs::path path_;
  int number_;
};

}  // namespace

std::vector<std::byte> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail(path, "cannot be opened");
  const std::streamoff size = file.tellg();
  if (size < 0) fail(path, "cannot be read");
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size)) fail(path, "cannot be read");
  return bytes;
}

std::string read_text(const fs::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void replace_file(const fs::path& path, const std::function<void(const std::function<void(std::span<const std::byte>)>& put)>& write) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::path partial = fs::path(path).concat(".partial");
  {
    Descriptor file(partial, O_WRONLY | O_CREAT | O_TRUNC);
    write([&](std::span<const std::byte> bytes) { file.put(bytes); });
    file.flush();
  }
  if (rename(partial.c_str(), path.c_str()) != 0) fail(path, "cannot be written");
  Descriptor(folder, O_RDONLY).flush();  // the name, too
}

void replace_file(const fs::path& path, std::span<const std::byte> bytes) {
  replace_file(path, [&](const auto& put) { put(bytes); });
}

void replace_file(const fs::path& path, std::string_view text) { replace_file(path, std::as_bytes(std::span(text))); }

}  // namespace webformer
