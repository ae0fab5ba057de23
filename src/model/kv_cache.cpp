#include "model/kv_cache.h"

#include <algorithm>
#include <utility>

namespace webformer {

int KvCache::add() {
  const auto unused = std::ranges::find_if(sequences_, [](const Sequence& s) { return !s.alive; });
  if (unused != sequences_.end()) {
    *unused = Sequence{};
    return int(unused - sequences_.begin());
  }
  sequences_.emplace_back();
  return int(sequences_.size()) - 1;
}

int KvCache::fork(int sequence) {
  Sequence same = sequences_[std::size_t(sequence)];
  const int copy = add();
  for (const int page : same.pages) ++pages_[std::size_t(page)].users;
  sequences_[std::size_t(copy)] = std::move(same);
  return copy;
}

void KvCache::release(int sequence) noexcept {
  truncate(sequence, 0);
  sequences_[std::size_t(sequence)].alive = false;
}

void KvCache::clear() noexcept {
  sequences_.clear();
  pages_.clear();
  free_pages_.clear();
}

bool KvCache::alive(int sequence) const noexcept {
  return sequence >= 0 && std::size_t(sequence) < sequences_.size() && sequences_[std::size_t(sequence)].alive;
}

void KvCache::truncate(int sequence, std::int64_t length) noexcept {
  Sequence& s = sequences_[std::size_t(sequence)];
  const auto kept = std::size_t((length + page_rows - 1) / page_rows);
  while (s.pages.size() > kept) {
    drop(s.pages.back());
    s.pages.pop_back();
  }
  s.length = std::min(s.length, length);
}

void KvCache::extend(int sequence, std::int64_t count) {
  Sequence& s = sequences_[std::size_t(sequence)];
  if (s.length % page_rows && pages_[std::size_t(s.pages.back())].users > 1) {  // about to write to a page that others read
    const int copy = new_page();
    std::copy_n(pages_[std::size_t(s.pages.back())].rows.get(), page_floats(), pages_[std::size_t(copy)].rows.get());
    drop(std::exchange(s.pages.back(), copy));
  }
  const auto needed = std::size_t((s.length + count + page_rows - 1) / page_rows);
  s.pages.reserve(needed);
  while (s.pages.size() < needed) s.pages.push_back(new_page());
  s.length += count;
}

void KvCache::write(int layer, int sequence, ConstMatrix keys, ConstMatrix values) noexcept {
  const Sequence& s = sequences_[std::size_t(sequence)];
  for (std::int64_t i = 0, row = s.length - keys.rows; i < keys.rows; ++i, ++row) {
    const int page = s.pages[std::size_t(row / page_rows)];
    std::copy_n(keys.row(i), width_, at(page, layer, 0) + row % page_rows * width_);
    std::copy_n(values.row(i), width_, at(page, layer, 1) + row % page_rows * width_);
  }
}

KeyValues KvCache::view(int layer, int sequence, Workspace& workspace) const {
  const Sequence& s = sequences_[std::size_t(sequence)];
  auto** keys = workspace.allocate<const float*>(std::int64_t(s.pages.size()));
  auto** values = workspace.allocate<const float*>(std::int64_t(s.pages.size()));
  for (std::size_t i = 0; i < s.pages.size(); ++i) {
    keys[i] = at(s.pages[i], layer, 0);
    values[i] = at(s.pages[i], layer, 1);
  }
  return {keys, values, s.length, page_rows, width_};
}

float* KvCache::at(int page, int layer, int which) const noexcept {
  return pages_[std::size_t(page)].rows.get() + (std::size_t(layer) * 2 + std::size_t(which)) * page_rows * std::size_t(width_);
}

int KvCache::new_page() {
  int page;
  if (free_pages_.empty()) {
    free_pages_.reserve(pages_.size() + 1);  // so that drop() never allocates
    pages_.push_back({std::make_unique_for_overwrite<float[]>(page_floats()), 0});
    page = int(pages_.size()) - 1;
  } else {
    page = free_pages_.back();
    free_pages_.pop_back();
  }
  pages_[std::size_t(page)].users = 1;
  return page;
}

void KvCache::drop(int page) noexcept {
  if (--pages_[std::size_t(page)].users == 0) free_pages_.push_back(page);
}

}  // namespace webformer
