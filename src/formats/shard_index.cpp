#include "formats/shard_index.h"

#include <algorithm>

#include "core/error.h"
#include "formats/json.h"
#include "formats/sorted_names.h"
#include "formats/excerpt.h"

namespace webformer {

namespace {

constexpr std::size_t longest_file_name = 255;

bool is_plain_file_name(std::string_view name) noexcept {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  };
  if (name.size() > longest_file_name || name.starts_with('.') || !name.ends_with(".safetensors")) return false;
  return std::ranges::all_of(name, is_plain);
}

}  // namespace

ShardIndex::ShardIndex(std::string_view json, std::string file) : name_(std::move(file)) {
  const JsonDocument document = JsonDocument::parse(json, name_);
  const auto members = document.root()["weight_map"].members();
  if (members.empty()) throw Error(Code::invalid_file, "{}: weight_map is empty, the names of tensors expected", name_);
  for (const auto& [tensor, value] : members) {
    const std::string_view shard = value.get_string();
    if (!is_plain_file_name(shard)) {
      throw Error(Code::invalid_file, "{}: {} is {}, the plain name of a .safetensors file expected", name_, value.path(),
                  quote_json(excerpt(shard)));
    }
    if (files_.empty() || files_.back() != shard) files_.emplace_back(shard);
  }
  std::ranges::sort(files_);
  files_.erase(std::unique(files_.begin(), files_.end()), files_.end());

  for (const auto& [tensor, value] : members) {
    const auto number = std::ranges::lower_bound(files_, value.get_string()) - files_.begin();
    places_.push_back({std::string(tensor), std::uint32_t(number)});
  }
  by_name_ = sort_by_name(places_, tensor_of);
  if (const auto twin = find_twin(by_name_, places_, tensor_of)) {
    throw Error(Code::invalid_file, "{}: tensor \"{}\" is there twice", name_, excerpt(places_[*twin].tensor));
  }
}

void ShardIndex::check(std::size_t number, const TensorTable& table) const {
  for (const Place& place : places_) {
    if (place.file == number && !table.find(place.tensor)) {
      throw Error(Code::invalid_file, "{}: tensor \"{}\" is not in it, though {} says so", table.file, excerpt(place.tensor), name_);
    }
  }
  for (const TensorInfo& tensor : table.tensors) {
    const Place* place = find_by_name(by_name_, places_, tensor_of, tensor.name);
    if (place && place->file != number) {
      throw Error(Code::invalid_file, "{}: tensor \"{}\" is in it, though {} says that it is in {}", table.file, excerpt(tensor.name),
                  name_, files_[place->file]);
    }
  }
}

}  // namespace webformer
