#include "formats/metadata.h"

#include "core/error.h"
#include "formats/sorted_names.h"
#include "formats/excerpt.h"

namespace webformer {

namespace {
const std::string& key_of(const Metadata::Entry& entry) noexcept { return entry.first; }
}  // namespace

Metadata::Metadata(std::vector<Entry> entries, std::string_view file)
    : entries_(std::move(entries)), by_key_(sort_by_name(entries_, key_of)) {
  if (const auto twin = find_twin(by_key_, entries_, key_of)) {
    throw Error(Code::invalid_file, "{}: metadata \"{}\" is there twice", file, excerpt(entries_[*twin].first));
  }
}

const MetadataValue* Metadata::find(std::string_view key) const noexcept {
  const Entry* entry = find_by_name(by_key_, entries_, key_of, key);
  return entry ? &entry->second : nullptr;
}

}  // namespace webformer
