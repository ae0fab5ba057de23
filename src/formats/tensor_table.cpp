#include "formats/tensor_table.h"

#include <algorithm>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/json_writer.h"
#include "formats/sorted_names.h"
#include "formats/excerpt.h"

namespace webformer {

namespace {

constexpr std::size_t longest_name = 4096;
constexpr std::int64_t most_numbers = std::int64_t(1) << 53;  // sizes stay exact in JavaScript's numbers

const std::string& name_of(const TensorInfo& tensor) noexcept { return tensor.name; }

void check_name(std::string_view file, std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const auto refuse = [&](std::string_view fault) {
    throw Error(Code::invalid_file, "{}: a tensor is named {}: {}", file, quote_json(excerpt(name)), fault);
  };
  if (name.empty()) refuse("a name of 1 byte or more expected");
  if (name.size() > longest_name) refuse(format("{} bytes found, {} at most", name.size(), longest_name));
  if (repair_utf8(name)) refuse("it is no UTF-8");
  if (std::ranges::any_of(name, is_control)) refuse("it has a control character");
  if (name.find("../") != std::string_view::npos) refuse("it has \"../\"");
  if (name == "__proto__") refuse("not allowed");
}

}  // namespace

TensorInfo checked_tensor(std::string_view file, std::string_view name, DType dtype, std::span<const std::int64_t> sizes) {
  check_name(file, name);
  const auto refuse = [&](const std::string& fault) {
    throw Error(Code::invalid_file, "{}: tensor \"{}\": {}", file, excerpt(name), fault);
  };
  if (sizes.size() > Shape::max_rank) refuse(format("{} axes found, {} at most", sizes.size(), Shape::max_rank));
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0) refuse(format("an axis of size {}, 0 or more expected", size));
    if (size != 0 && count > most_numbers / size) refuse(format("an axis of size {} makes more than 2^53 numbers", size));
    count *= size;
  }
  const BlockSize block = block_size(dtype);
  const std::int64_t row = sizes.empty() ? 1 : sizes.back();
  if (row % block.numbers != 0) {
    refuse(format("rows of {} numbers, blocks of {} expected for {}", row, block.numbers, webformer::name(dtype)));
  }
  return {.name = std::string(name), .dtype = dtype, .shape = Shape(sizes), .begin = 0, .end = bytes_for(block, count)};
}

TensorTable::TensorTable(std::string file, std::vector<TensorInfo> tensors, Metadata metadata, std::uint64_t data_begin,
                         std::uint64_t file_size, std::uint64_t alignment)
    : file(std::move(file)), tensors(std::move(tensors)), metadata(std::move(metadata)) {
  std::ranges::sort(this->tensors, [](const TensorInfo& a, const TensorInfo& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;  // a tensor without data before the one at the same place
  });
  by_name_ = sort_by_name(this->tensors, name_of);
  if (const auto twin = find_twin(by_name_, this->tensors, name_of)) {
    throw Error(Code::invalid_file, "{}: tensor \"{}\" is there twice", this->file, excerpt(this->tensors[*twin].name));
  }
  check_coverage(data_begin, file_size, alignment);
}

const TensorInfo* TensorTable::find(std::string_view name) const noexcept { return find_by_name(by_name_, tensors, name_of, name); }

void TensorTable::check_coverage(std::uint64_t data_begin, std::uint64_t file_size, std::uint64_t alignment) const {
  const auto aligned = [&](std::uint64_t at) { return (at + alignment - 1) / alignment * alignment; };
  std::uint64_t covered = data_begin;
  std::string_view before;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.begin < covered) {
      throw Error(Code::invalid_file, "{}: tensors \"{}\" and \"{}\" overlap: the first ends at byte {}, the second begins at byte {}",
                  file, excerpt(before), excerpt(tensor.name), covered, tensor.begin);
    }
    if (tensor.begin != aligned(covered)) {
      throw Error(Code::invalid_file, "{}: tensor \"{}\" begins at byte {}, {} expected", file,
                  excerpt(tensor.name), tensor.begin, aligned(covered));
    }
    if (tensor.end > file_size) {
      throw Error(Code::invalid_file, "{}: the file has {} bytes, and tensor \"{}\" ends at byte {}", file, file_size, excerpt(tensor.name),
                  tensor.end)
          .with("found", file_size)
          .with("expected", tensor.end);
    }
    covered = tensor.end;
    before = tensor.name;
  }
  if (file_size > aligned(covered)) {
    throw Error(Code::invalid_file, "{}: {} bytes after the last tensor, which ends at byte {}", file, file_size - covered, covered)
        .with("found", file_size)
        .with("expected", covered);
  }
}

}  // namespace webformer
