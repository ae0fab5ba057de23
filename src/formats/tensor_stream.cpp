#include "formats/tensor_stream.h"

#include <algorithm>

#include "core/error.h"
#include "formats/gguf.h"
#include "formats/safetensors.h"
#include "formats/excerpt.h"

namespace webformer {

namespace {
constexpr std::size_t first_look = 8;
constexpr std::size_t second_look = 1 << 16;
}  // namespace

TensorStream::TensorStream(std::string file, std::uint64_t file_size, TensorSink sink)
    : file_(std::move(file)),
      file_size_(file_size),
      sink_(std::move(sink)),
      header_target_(std::size_t(std::min<std::uint64_t>(first_look, file_size))) {}

void TensorStream::push(std::span<const std::byte> piece) {
  if (piece.size() > file_size_ - received_) {
    throw Error(Code::invalid_file, "{}: {} bytes arrived, {} expected", file_, received_ + piece.size(), file_size_)
        .with("found", received_ + piece.size())
        .with("expected", file_size_);
  }
  received_ += piece.size();
  while (!table_ && !piece.empty()) {
    const std::size_t taken = std::min(piece.size(), header_target_ - header_.size());
    header_.insert(header_.end(), piece.begin(), piece.begin() + std::ptrdiff_t(taken));
    piece = piece.subspan(taken);
    if (header_.size() == header_target_) read_header();
  }
  if (table_) take_data(piece);
}

void TensorStream::finish() {
  if (received_ < file_size_) {
    throw Error(Code::invalid_file, "{}: {} bytes arrived, {} expected", file_, received_, file_size_)
        .with("found", received_)
        .with("expected", file_size_);
  }
  if (!table_) read_header();  // an empty file: this says so
}

void TensorStream::read_header() {
  if (is_gguf(header_)) {
    table_ = parse_gguf_header(header_, file_size_, file_);
    if (!table_) header_target_ = std::size_t(std::min<std::uint64_t>(file_size_, std::max(second_look, 2 * header_.size())));
  } else if (const std::uint64_t needed = safetensors_header_bytes(header_, file_size_, file_); header_.size() < needed) {
    header_target_ = std::size_t(needed);
    header_.reserve(header_target_);
  } else {
    table_ = parse_safetensors_header(header_, file_size_, file_);
  }
  if (table_) start_data();
}

void TensorStream::start_data() {
  if (sink_.table) sink_.table(*table_);
  for (const TensorInfo& tensor : table_->tensors) {
    wanted_.push_back(sink_.wants(tensor));
    const std::uint64_t bytes = tensor.end - tensor.begin;
    if (wanted_.back()) largest_ = std::max(largest_, bytes);
    if (wanted_.back() && bytes > buffer_.max_size()) {
      throw Error(Code::out_of_memory, "{}: tensor \"{}\" has {} bytes, {} at most here", file_, excerpt(tensor.name), bytes,
                  buffer_.max_size());
    }
  }
  take_data(header_);
  header_ = {};
}

void TensorStream::take_data(std::span<const std::byte> piece) {
  const std::uint64_t end = at_ + piece.size();
  for (; next_ < table_->tensors.size(); ++next_) {
    const TensorInfo& tensor = table_->tensors[next_];
    const bool is_here = wanted_[next_] && tensor.begin < end;
    if (tensor.end > end && !is_here) break;
    if (!wanted_[next_]) continue;
    const std::uint64_t from = std::max(tensor.begin, at_), to = std::min(tensor.end, end);
    const auto part = piece.subspan(std::size_t(from - at_), std::size_t(to - from));
    if (from == tensor.begin && to == tensor.end) {
      sink_.tensor(tensor, part);
      continue;
    }
    buffer_.reserve(std::size_t(largest_));
    buffer_.insert(buffer_.end(), part.begin(), part.end());
    if (to < tensor.end) break;
    sink_.tensor(tensor, buffer_);
    buffer_.clear();
  }
  at_ = end;
}

}  // namespace webformer
