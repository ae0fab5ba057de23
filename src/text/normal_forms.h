#pragma once
// NFC, NFD, NFKC and NFKD (UAX 15), with what each character comes from.

#include "text/aligned_text.h"
#include "text/spec.h"

namespace webformer {

void normalize(AlignedText& text, NormalForm::Kind form);

}  // namespace webformer
