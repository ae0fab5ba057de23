#pragma once
// An arena: the scratch memory of a forward pass, so that no step allocates once it has warmed up.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/tensor.h"

namespace webformer {

class Workspace {
 public:
  /// What a Scope gives back: a place in the blocks.
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
  };

  /// `count` objects of T, 64-byte aligned, not initialised. They live until the enclosing Scope ends.
  template <class T>
  T* allocate(std::int64_t count) {
    return static_cast<T*>(allocate_bytes(std::size_t(count) * sizeof(T)));
  }
  Matrix matrix(std::int64_t rows, std::int64_t cols) { return {allocate<float>(rows * cols), rows, cols}; }

  Mark mark() const noexcept { return {block_, used_}; }
  void release(Mark mark) noexcept;
  /// Bytes held, in use or not.
  std::size_t bytes() const noexcept;

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size;
  };
  void* allocate_bytes(std::size_t count);

  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // blocks before it are full; at blocks_.size() there is none to use
  std::size_t used_ = 0;
};

/// Gives back at its end what was allocated since its start. Scopes nest.
class Scope {
 public:
  explicit Scope(Workspace& workspace) : workspace_(workspace), mark_(workspace.mark()) {}
  ~Scope() { workspace_.release(mark_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Workspace& workspace_;
  Workspace::Mark mark_;
};

}  // namespace webformer
