#include "text/vocabulary.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "text/archive.h"
#include "text/hash.h"

namespace webformer {
namespace {

constexpr std::size_t allowed_gaps = 1'000'000;  // ids may go this far beyond eight times the count of tokens

}  // namespace

Vocabulary::Vocabulary(const VocabularySpec& spec, std::string_view source) {
  const std::size_t bound = spec.tokens.size() * 8 + allowed_gaps;
  std::size_t end = 0;
  for (std::size_t i = 0; i < spec.ids.size(); ++i) {
    if (spec.ids[i] < 0 || std::size_t(spec.ids[i]) >= bound) {
      throw Error(Code::invalid_file, "{}: token \"{}\" has the id {}, 0 to {} expected for a vocabulary of {}", source, spec.tokens[i],
                  spec.ids[i], bound - 1, spec.ids.size());
    }
    end = std::max(end, std::size_t(spec.ids[i]) + 1);
  }
  constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> entry_of(end, none);
  for (std::uint32_t i = 0; i < spec.ids.size(); ++i) {
    std::uint32_t& entry = entry_of[std::size_t(spec.ids[i])];
    if (entry != none && spec.tokens[entry] != spec.tokens[i]) {
      throw Error(Code::invalid_file, "{}: the tokens \"{}\" and \"{}\" have one id, {}", source, spec.tokens[entry], spec.tokens[i],
                  spec.ids[i]);
    }
    entry = i;
  }
  tokens_.reserve(end, spec.tokens.byte_size());
  present_.resize(end);
  for (std::size_t id = 0; id < end; ++id) {
    present_[id] = entry_of[id] != none;
    tokens_.push_back(entry_of[id] == none ? std::string_view() : spec.tokens[entry_of[id]]);
  }
  index();
}

Vocabulary::Vocabulary(StringPool tokens) : tokens_(std::move(tokens)), present_(tokens_.size(), 1) { index(); }

void Vocabulary::index() {
  count_ = 0;
  slots_.assign(std::bit_ceil(std::max<std::size_t>(tokens_.size() * 2, 2)), -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < tokens_.size(); ++id) {
    if (!present_[id]) continue;
    std::size_t slot = hash_text(tokens_[id]) & mask;
    while (slots_[slot] >= 0 && tokens_[std::size_t(slots_[slot])] != tokens_[id]) slot = (slot + 1) & mask;
    slots_[slot] = std::int32_t(id);
    ++count_;
  }
}

void Vocabulary::check() const {
  const bool is_whole = tokens_.is_consistent() && present_.size() == tokens_.size() && std::has_single_bit(slots_.size()) &&
                        count_ <= tokens_.size() && slots_.size() > tokens_.size() &&
                        std::ranges::all_of(slots_, [&](std::int32_t id) { return id < end(); });
  if (!is_whole) UnpackArchive::refuse("the vocabulary contradicts itself");
}

std::optional<std::int32_t> Vocabulary::find(std::string_view token) const noexcept {
  if (slots_.empty()) return std::nullopt;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_text(token) & mask;
  for (std::size_t tries = 0; tries < slots_.size(); ++tries, slot = (slot + 1) & mask) {
    const std::int32_t id = slots_[slot];
    if (id < 0) return std::nullopt;
    if (tokens_[std::size_t(id)] == token) return id;
  }
  return std::nullopt;
}

VocabularySpec Vocabulary::spec() const {
  VocabularySpec result;
  result.tokens.reserve(count_, tokens_.byte_size());
  for (std::size_t id = 0; id < present_.size(); ++id) {
    if (!present_[id]) continue;
    result.tokens.push_back(tokens_[id]);
    result.ids.push_back(std::int32_t(id));
  }
  return result;
}

}  // namespace webformer
