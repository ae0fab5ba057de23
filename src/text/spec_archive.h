#pragma once
// How the plain data of a TokenizerSpec travels (text/archive.h). The model has functions of its own.

#include "text/archive.h"
#include "text/spec.h"

namespace webformer {

template <class Archive>
void transfer(Archive& a, PatternSpec& it) {
  a(it.text, it.is_regex);
}
template <class Archive>
void transfer(Archive& a, BertNormalizer& it) {
  a(it.clean_text, it.handle_chinese_chars, it.strip_accents, it.lowercase);
}
template <class Archive>
void transfer(Archive& a, NormalForm& it) {
  a(it.kind);
}
template <class Archive>
void transfer(Archive&, Lowercase&) {}
template <class Archive>
void transfer(Archive&, Nmt&) {}
template <class Archive>
void transfer(Archive&, StripAccents&) {}
template <class Archive>
void transfer(Archive& a, StripSpaces& it) {
  a(it.left, it.right);
}
template <class Archive>
void transfer(Archive& a, Replace& it) {
  a(it.pattern, it.content);
}
template <class Archive>
void transfer(Archive& a, Prepend& it) {
  a(it.prefix);
}
template <class Archive>
void transfer(Archive& a, Precompiled& it) {
  a(it.charsmap);
}
template <class Archive>
void transfer(Archive&, ByteLevelNormalizer&) {}
template <class Archive>
void transfer(Archive& a, SentencePieceNormalizer& it) {
  a(it.charsmap, it.add_dummy_prefix, it.remove_extra_whitespaces, it.escape_whitespaces, it.treat_whitespace_as_suffix);
}

template <class Archive>
void transfer(Archive&, BertPreTokenizer&) {}
template <class Archive>
void transfer(Archive&, WhitespacePreTokenizer&) {}
template <class Archive>
void transfer(Archive&, WhitespaceSplit&) {}
template <class Archive>
void transfer(Archive& a, ByteLevelPreTokenizer& it) {
  a(it.add_prefix_space, it.use_regex);
}
template <class Archive>
void transfer(Archive& a, MetaspaceSpec& it) {
  a(it.replacement, it.prepend, it.split);
}
template <class Archive>
void transfer(Archive& a, SplitPreTokenizer& it) {
  a(it.pattern, it.behavior, it.invert);
}
template <class Archive>
void transfer(Archive& a, PunctuationPreTokenizer& it) {
  a(it.behavior);
}
template <class Archive>
void transfer(Archive& a, DigitsPreTokenizer& it) {
  a(it.individual_digits);
}
template <class Archive>
void transfer(Archive& a, DelimiterPreTokenizer& it) {
  a(it.delimiter);
}
template <class Archive>
void transfer(Archive& a, FixedLengthPreTokenizer& it) {
  a(it.length);
}

template <class Archive>
void transfer(Archive& a, TemplateToken& it) {
  a(it.text, it.ids, it.tokens);
}
template <class Archive>
void transfer(Archive& a, TemplatePiece& it) {
  a(it.kind, it.type_id, it.special);
}
template <class Archive>
void transfer(Archive& a, TemplateProcessing& it) {
  a(it.single, it.pair, it.special_tokens);
}
template <class Archive>
void transfer(Archive& a, TokenAndId& it) {
  a(it.token, it.id);
}
template <class Archive>
void transfer(Archive& a, BertProcessing& it) {
  a(it.sep, it.cls);
}
template <class Archive>
void transfer(Archive& a, RobertaProcessing& it) {
  a(it.sep, it.cls, it.trim_offsets, it.add_prefix_space);
}
template <class Archive>
void transfer(Archive& a, ByteLevelProcessing& it) {
  a(it.trim_offsets, it.add_prefix_space);
}

template <class Archive>
void transfer(Archive&, ByteLevelDecoder&) {}
template <class Archive>
void transfer(Archive& a, WordPieceDecoder& it) {
  a(it.prefix, it.cleanup);
}
template <class Archive>
void transfer(Archive& a, BpeDecoder& it) {
  a(it.suffix);
}
template <class Archive>
void transfer(Archive& a, CtcDecoder& it) {
  a(it.pad_token, it.word_delimiter, it.cleanup);
}
template <class Archive>
void transfer(Archive&, FuseDecoder&) {}
template <class Archive>
void transfer(Archive&, ByteFallbackDecoder&) {}
template <class Archive>
void transfer(Archive& a, StripDecoder& it) {
  a(it.content, it.start, it.stop);
}
template <class Archive>
void transfer(Archive& a, SentencePieceDecoder& it) {
  a(it.unknown_surface, it.add_dummy_prefix, it.remove_extra_whitespaces);
}

template <class Archive>
void transfer(Archive& a, AddedTokenSpec& it) {
  a(it.content, it.special, it.lstrip, it.rstrip, it.single_word, it.normalized, it.id);
}
template <class Archive>
void transfer(Archive& a, Truncation& it) {
  a(it.max_length, it.stride, it.strategy, it.direction);
}
template <class Archive>
void transfer(Archive& a, Padding& it) {
  a(it.length, it.multiple_of, it.direction, it.id, it.token, it.type_id);
}
template <class Archive>
void transfer(Archive& a, SpecialTokenNames& it) {
  a(it.bos, it.eos, it.unk, it.sep, it.pad, it.cls, it.mask, it.additional);
}

/// All but the model.
template <class Archive>
void transfer_stages(Archive& a, TokenizerSpec& it) {
  a(it.normalizers, it.pre_tokenizers, it.post_processors, it.decoders, it.added_tokens, it.truncation, it.padding, it.names,
    it.chat_template, it.model_max_length, it.clean_up_tokenization_spaces, it.source);
}

}  // namespace webformer
