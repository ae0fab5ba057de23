#include "text/pre_tokenizers.h"

#include <utility>

#include "core/format.h"
#include "core/unicode.h"
#include "text/byte_alphabet.h"

namespace webformer {
namespace {

constexpr std::string_view gpt2_pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
// \w+|[^\w\s]+, where \w is that of Rust's regular expressions (see added_vocabulary.cpp).
constexpr std::string_view word_pattern =
    R"([[\w\u200c\u200d]&&[^\u00b2\u00b3\u00b9\u00bc-\u00be]]+|[^[[\w\u200c\u200d]&&[^\u00b2\u00b3\u00b9\u00bc-\u00be]]\s]+)";

struct Segment {
  std::uint32_t begin, end;
  bool is_match;
};

/// The segments of a word, matches and what is between them, to words. The rules are those of tokenizers' SplitDelimiterBehavior.
void cut(const std::vector<Segment>& segments, SplitBehavior behavior, std::vector<Word>& words) {
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    if (begin < end) words.push_back({begin, end});
  };
  const std::size_t count = segments.size();
  switch (behavior) {
    case SplitBehavior::removed:
      for (const Segment& one : segments) {
        if (!one.is_match) add(one.begin, one.end);
      }
      return;
    case SplitBehavior::isolated:
      for (const Segment& one : segments) add(one.begin, one.end);
      return;
    case SplitBehavior::contiguous:
      for (std::size_t i = 0, end = 0; i < count; i = end) {
        for (end = i + 1; end < count && segments[end].is_match == segments[i].is_match;) ++end;
        add(segments[i].begin, segments[end - 1].end);
      }
      return;
    case SplitBehavior::merged_with_previous:
      for (std::size_t i = 0; i < count;) {
        const bool takes_next = !segments[i].is_match && i + 1 < count && segments[i + 1].is_match;
        const std::size_t last = takes_next ? i + 1 : i;
        add(segments[i].begin, segments[last].end);
        i = last + 1;
      }
      return;
    case SplitBehavior::merged_with_next:
      for (std::size_t i = 0; i < count;) {
        const bool takes_next = segments[i].is_match && i + 1 < count && !segments[i + 1].is_match;
        const std::size_t last = takes_next ? i + 1 : i;
        add(segments[i].begin, segments[last].end);
        i = last + 1;
      }
      return;
  }
}

/// Replaces each word that is no added token by what `cut_one(word, text, result)` makes of it.
template <class CutOne>
void cut_each(Words& words, CutOne cut_one) {
  std::vector<Word> result;
  result.reserve(words.list.size() + words.text.text.size() / 4);
  for (const Word& word : words.list) {
    if (word.added_id >= 0) result.push_back(word);
    else cut_one(word, words.of(word), result);
  }
  words.list = std::move(result);
}

/// Makes the text anew, word by word: `write(word, from, to)` appends to `to`, whose spans are spelled out.
template <class Write>
void rewrite_each(Words& words, Write write) {
  words.text.spell_out();
  AlignedText to;
  to.text.reserve(words.text.text.size() + words.text.text.size() / 2);
  to.spans.reserve(words.text.spans.size() + words.text.spans.size() / 2);
  std::vector<Word> list;
  list.reserve(words.list.size());
  for (const Word& word : words.list) {
    const auto begin = std::uint32_t(to.text.size());
    if (word.added_id >= 0) {
      to.text.append(words.of(word));
      to.spans.insert(to.spans.end(), words.text.spans.begin() + word.begin, words.text.spans.begin() + word.end);
    } else {
      write(word, words.text, to);
    }
    list.push_back({begin, std::uint32_t(to.text.size()), word.added_id});
  }
  words.text = std::move(to);
  words.list = std::move(list);
}

void append(AlignedText& to, std::string_view text, SourceSpan span) {
  to.text.append(text);
  to.spans.insert(to.spans.end(), text.size(), span);
}

}  // namespace

PreTokenizerChain::PreTokenizerChain(const std::vector<PreTokenizer>& specs, bool bytes_stay, std::string_view source) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    add(specs[i], bytes_stay && i + 1 == specs.size(), format("{}: pre_tokenizer {}", source, i));
  }
}

void PreTokenizerChain::add(const PreTokenizer& spec, bool bytes_stay, std::string_view where) {
  const auto regex = [&](std::string_view text, SplitBehavior behavior, bool invert) {
    stages_.push_back(Cut{Finder({std::string(text), true}, where), behavior, invert});
  };
  std::visit(
      [&]<class Spec>(const Spec& it) {
        if constexpr (std::is_same_v<Spec, BertPreTokenizer>) {
          stages_.push_back(CutCharacters{CharacterTest::white_space, SplitBehavior::removed});
          stages_.push_back(CutCharacters{CharacterTest::punctuation, SplitBehavior::isolated});
        } else if constexpr (std::is_same_v<Spec, WhitespacePreTokenizer>) {
          regex(word_pattern, SplitBehavior::removed, true);
        } else if constexpr (std::is_same_v<Spec, WhitespaceSplit>) {
          stages_.push_back(CutCharacters{CharacterTest::white_space, SplitBehavior::removed});
        } else if constexpr (std::is_same_v<Spec, ByteLevelPreTokenizer>) {
          if (it.add_prefix_space) stages_.push_back(AddPrefixSpace{});
          if (it.use_regex) regex(gpt2_pattern, SplitBehavior::isolated, false);
          if (!bytes_stay) stages_.push_back(SpellBytes{});
        } else if constexpr (std::is_same_v<Spec, SplitPreTokenizer>) {
          stages_.push_back(Cut{Finder(it.pattern, where), it.behavior, it.invert});
        } else if constexpr (std::is_same_v<Spec, PunctuationPreTokenizer>) {
          stages_.push_back(CutCharacters{CharacterTest::punctuation, it.behavior});
        } else if constexpr (std::is_same_v<Spec, DigitsPreTokenizer>) {
          stages_.push_back(
              CutCharacters{CharacterTest::numeric, it.individual_digits ? SplitBehavior::isolated : SplitBehavior::contiguous});
        } else if constexpr (std::is_same_v<Spec, DelimiterPreTokenizer>) {
          stages_.push_back(Cut{Finder({it.delimiter, false}, where), SplitBehavior::removed, false});
        } else {
          stages_.push_back(it);
        }
      },
      spec);
}

void PreTokenizerChain::apply(Words& words) const {
  for (const Stage& stage : stages_) {
    std::visit([&](const auto& one) { run(one, words); }, stage);
  }
}

void PreTokenizerChain::run(const Cut& stage, Words& words) {
  std::vector<PatternMatch> matches;
  std::vector<Segment> segments;
  cut_each(words, [&](const Word& word, std::string_view text, std::vector<Word>& result) {
    matches.clear();
    segments.clear();
    stage.finder.find_all(text, matches);
    std::uint32_t at = word.begin;
    for (const PatternMatch& match : matches) {
      const auto begin = word.begin + std::uint32_t(match.begin), end = word.begin + std::uint32_t(match.end);
      if (at < begin) segments.push_back({at, begin, stage.invert});
      segments.push_back({begin, end, !stage.invert});
      at = end;
    }
    if (at < word.end) segments.push_back({at, word.end, stage.invert});
    cut(segments, stage.behavior, result);
  });
}

void PreTokenizerChain::run(const CutCharacters& stage, Words& words) {
  const auto test = [&](char32_t c) {
    switch (stage.test) {
      case CharacterTest::white_space: return is_white_space(c);
      case CharacterTest::punctuation: return contains(CharSet::punctuation, c);
      case CharacterTest::numeric: return c < 0x80 ? c >= '0' && c <= '9' : contains(CharSet::numeric, c);
    }
    return false;
  };
  std::vector<Segment> segments;
  cut_each(words, [&](const Word& word, std::string_view text, std::vector<Word>& result) {
    segments.clear();
    std::uint32_t from = word.begin;
    for (std::size_t at = 0; at < text.size();) {
      const auto begin = word.begin + std::uint32_t(at);
      if (!test(next_code_point(text, at))) continue;
      const auto end = word.begin + std::uint32_t(at);
      if (from < begin) segments.push_back({from, begin, false});
      segments.push_back({begin, end, true});
      from = end;
    }
    if (from < word.end) segments.push_back({from, word.end, false});
    cut(segments, stage.behavior, result);
  });
}

void PreTokenizerChain::run(const FixedLengthPreTokenizer& stage, Words& words) {
  cut_each(words, [&](const Word& word, std::string_view text, std::vector<Word>& result) {
    std::uint32_t begin = word.begin, count = 0;
    for (std::size_t at = 0; at < text.size();) {
      at += utf8_width(text[at]);
      const auto end = word.begin + std::uint32_t(at);
      if (++count < stage.length && end < word.end) continue;
      result.push_back({begin, end});
      begin = end;
      count = 0;
    }
  });
}

void PreTokenizerChain::run(const MetaspaceSpec& stage, Words& words) {
  rewrite_each(words, [&](const Word& word, const AlignedText& from, AlignedText& to) {
    const std::string_view text = std::string_view(from.text).substr(word.begin, word.end - word.begin);
    const bool is_first = from.spans[word.begin].begin == 0;
    const bool has_it = text.starts_with(' ') || text.starts_with(stage.replacement);
    const bool prepends = stage.prepend == MetaspaceSpec::Prepend::always || (stage.prepend == MetaspaceSpec::Prepend::first && is_first);
    if (prepends && !has_it) append(to, stage.replacement, from.spans[word.begin]);
    for (std::uint32_t i = word.begin; i < word.end; ++i) {
      append(to, from.text[i] == ' ' ? std::string_view(stage.replacement) : std::string_view(from.text).substr(i, 1), from.spans[i]);
    }
  });
  if (!stage.split) return;
  cut_each(words, [&](const Word& word, std::string_view text, std::vector<Word>& result) {
    std::size_t begin = 0;
    for (std::size_t at = text.find(stage.replacement, 1); at != std::string_view::npos; at = text.find(stage.replacement, at + 1)) {
      result.push_back({word.begin + std::uint32_t(begin), word.begin + std::uint32_t(at)});
      begin = at;
    }
    result.push_back({word.begin + std::uint32_t(begin), word.end});
  });
}

void PreTokenizerChain::run(const AddPrefixSpace&, Words& words) {
  rewrite_each(words, [&](const Word& word, const AlignedText& from, AlignedText& to) {
    if (from.text[word.begin] != ' ') append(to, " ", from.spans[word.begin]);
    to.text.append(from.text, word.begin, word.end - word.begin);
    to.spans.insert(to.spans.end(), from.spans.begin() + word.begin, from.spans.begin() + word.end);
  });
}

void PreTokenizerChain::run(const SpellBytes&, Words& words) {
  rewrite_each(words, [&](const Word& word, const AlignedText& from, AlignedText& to) {
    for (std::uint32_t i = word.begin; i < word.end; ++i) {
      append(to, to_utf8(byte_alphabet[static_cast<unsigned char>(from.text[i])]), from.spans[i]);
    }
  });
}

}  // namespace webformer
