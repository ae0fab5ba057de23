#pragma once
// SentencePiece's normalization by default, nmt_nfkc. https://github.com/google/sentencepiece, src/builder.cc

#include <string>

namespace webformer {

/// A charsmap (text/charsmap.h) of single characters: NFKC, but for the full-width tilde; white space of all kinds to a space, control
/// characters to nothing. NFC after it makes the whole: what several characters compose to. SentencePiece's own file of the same rule lists
/// 220 000 sequences for that, most of them of Hangul letters.
std::string nmt_nfkc_charsmap();

}  // namespace webformer
