#pragma once
// A sequence in a session's key-value cache that is released with its owner, however a generation ends.

#include <utility>

#include "model/session.h"

namespace webformer {

class OwnedSequence {
 public:
  /// A new one; for encoder-decoder models it looks at source `source`.
  OwnedSequence(Session& session, int source) : session_(&session), id_(session.add_sequence(source)) {}
  OwnedSequence(OwnedSequence&& other) noexcept : session_(std::exchange(other.session_, nullptr)), id_(other.id_) {}
  OwnedSequence& operator=(OwnedSequence&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~OwnedSequence() {
    if (session_) session_->release(id_);
  }

  int id() const noexcept { return id_; }
  /// Another with the same past.
  OwnedSequence fork() const { return OwnedSequence(session_, session_->fork(id_)); }

 private:
  OwnedSequence(Session* session, int id) noexcept : session_(session), id_(id) {}

  Session* session_;
  int id_;
};

}  // namespace webformer
