#pragma once
// SentencePiece's own normalizer. https://github.com/google/sentencepiece, src/normalizer.cc

#include "text/aligned_text.h"
#include "text/charsmap.h"
#include "text/double_array.h"
#include "text/spec.h"

namespace webformer {

/// What `charsmap` (null: nothing) replaces, the longest first; spaces are made one, a first one is added, and they become U+2581, as
/// `options` say. Pieces of `user_defined` stay as they are. Spans are as SentencePiece counts: what comes of a replaced text begins where
/// that began, and only the last byte of it reaches the end.
void normalize_as_sentencepiece(AlignedText& text, const SentencePieceNormalizer& options, const Charsmap* charsmap,
                                const DoubleArray& user_defined);

}  // namespace webformer
