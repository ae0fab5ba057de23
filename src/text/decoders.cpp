#include "text/decoders.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/format.h"
#include "text/byte_alphabet.h"
#include "text/byte_tokens.h"

namespace webformer {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

/// What WordPiece's and CTC's decoders of tokenizers do to the spaces of one token.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> clean_up_rules{{{" .", "."},
                                                                                        {" ?", "?"},
                                                                                        {" !", "!"},
                                                                                        {" ,", ","},
                                                                                        {" ' ", "'"},
                                                                                        {" n't", "n't"},
                                                                                        {" 'm", "'m"},
                                                                                        {" do not", " don't"},
                                                                                        {" 's", "'s"},
                                                                                        {" 've", "'ve"},
                                                                                        {" 're", "'re"}}};
/// The one that transformers, which does the same to whole texts, has not.
constexpr std::string_view rule_of_tokens = " do not";

void clean_up(std::string& token) {
  if (token.find(' ') == std::string::npos) return;
  for (const auto& [from, to] : clean_up_rules) replace_all(token, from, to);
}

std::string replaced(const Finder& finder, std::string_view text, std::string_view content) {
  std::vector<PatternMatch> matches;
  finder.find_all(text, matches);
  std::string result;
  std::size_t at = 0;
  for (const PatternMatch& match : matches) {
    result += text.substr(at, match.begin - at);
    result += content;
    at = match.end;
  }
  return result += text.substr(at);
}

/// How much of the end of `text` could be the beginning of `what`.
std::size_t begun_at_end(std::string_view text, std::string_view what) {
  for (std::size_t length = std::min(text.size(), what.size() - 1); length > 0; --length) {
    if (text.ends_with(what.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

DecoderChain::DecoderChain(const std::vector<Decoder>& specs, std::string_view source) {
  bool is_joined = false;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    Stage stage{specs[i], std::nullopt, is_joined};
    if (const auto* replace = std::get_if<Replace>(&specs[i])) stage.finder.emplace(replace->pattern, format("{}: decoder {}", source, i));
    is_joined = is_joined || std::holds_alternative<FuseDecoder>(specs[i]) || std::holds_alternative<ByteLevelDecoder>(specs[i]);
    stages_.push_back(std::move(stage));
  }
}

const DecoderChain& clean_up_chain() {
  static const DecoderChain chain = [] {
    std::vector<Decoder> stages{FuseDecoder()};
    for (const auto& [from, to] : clean_up_rules)
      if (from != rule_of_tokens) stages.push_back(Replace{{std::string(from), false}, std::string(to)});
    return DecoderChain(stages, "clean_up_tokenization_spaces");
  }();
  return chain;
}

DecodePipeline::DecodePipeline(const DecoderChain& chain, const SentencePieceModel* pieces)
    : chain_(&chain), pieces_(pieces), states_(std::max<std::size_t>(chain.stages().size(), 1)) {}

void DecodePipeline::push(std::string_view token, std::int32_t id, std::string& text) {
  if (!chain_->stages().empty()) return take(0, token, id, text);
  if (states_[0].index++ > 0) text += ' ';
  text += token;
}

void DecodePipeline::finish(std::string& text) {
  for (std::size_t i = 0; i < chain_->stages().size(); ++i) end(i, text);
  std::ranges::fill(states_, State{});
}

/// To the stage after `stage`, or to the text.
void DecodePipeline::give(std::size_t stage, std::string_view token, std::string& text) {
  if (stage + 1 == chain_->stages().size()) text += token;
  else take(stage + 1, token, -1, text);
}

void DecodePipeline::take(std::size_t stage, std::string_view token, std::int32_t id, std::string& text) {
  const DecoderChain::Stage& it = chain_->stages()[stage];
  if (it.input_is_joined) return take_part(stage, token, text);
  std::visit([&](const auto& spec) { decode(spec, stage, token, id, text); }, it.spec);
  ++states_[stage].index;
}

/// Of the one token that an earlier stage joins all of them to.
void DecodePipeline::take_part(std::size_t stage, std::string_view part, std::string& text) {
  const DecoderChain::Stage& it = chain_->stages()[stage];
  State& state = states_[stage];
  state.held += part;
  state.has_held = true;
  if (const auto* replace = std::get_if<Replace>(&it.spec); replace && !replace->pattern.is_regex && !replace->pattern.text.empty()) {
    std::string all = std::exchange(state.held, {});
    const std::string& what = replace->pattern.text;
    std::size_t done = 0;
    for (std::size_t at = 0; (at = all.find(what, done)) != std::string::npos;) done = at + what.size();
    state.held = all.substr(all.size() - begun_at_end(std::string_view(all).substr(done), what));
    all.resize(all.size() - state.held.size());
    give(stage, replaced(*it.finder, all, replace->content), text);
  } else if (const auto* strip = std::get_if<StripDecoder>(&it.spec); strip && strip->stop == 0) {
    std::string_view rest = state.held;
    while (!state.is_past_start && !rest.empty()) {
      state.is_past_start = state.stripped == strip->start || !rest.starts_with(strip->content);
      if (state.is_past_start) break;
      rest.remove_prefix(strip->content.size());
      ++state.stripped;
    }
    const std::string kept(rest);
    state.held.clear();
    if (!kept.empty()) give(stage, kept, text);
  } else if (std::holds_alternative<FuseDecoder>(it.spec)) {
    const std::string all = std::exchange(state.held, {});
    give(stage, all, text);
  }
}

void DecodePipeline::end(std::size_t stage, std::string& text) {
  const DecoderChain::Stage& it = chain_->stages()[stage];
  State& state = states_[stage];
  if (it.input_is_joined && state.has_held) {
    const std::string all = std::exchange(state.held, {});
    const bool is_rest = std::holds_alternative<FuseDecoder>(it.spec) ||
                         (std::holds_alternative<StripDecoder>(it.spec) && std::get<StripDecoder>(it.spec).stop == 0);
    if (is_rest) {
      give(stage, all, text);
    } else {
      std::visit([&](const auto& spec) { decode(spec, stage, all, -1, text); }, it.spec);
      ++state.index;
    }
  }
  if (std::holds_alternative<ByteLevelDecoder>(it.spec)) give_well_formed(stage, text, true);
  if (std::holds_alternative<ByteFallbackDecoder>(it.spec)) give_fallback_bytes(stage, text);
  if (std::holds_alternative<SentencePieceDecoder>(it.spec)) give_sentencepiece_bytes(stage, text, true);
  if (const auto* bpe = std::get_if<BpeDecoder>(&it.spec); bpe && state.has_held) {
    std::string last = std::exchange(state.held, {});
    replace_all(last, bpe->suffix, "");
    give(stage, last, text);
  }
}

void DecodePipeline::decode(const ByteLevelDecoder&, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  std::string bytes;
  for (std::size_t at = 0; at < token.size();) {
    const auto byte = byte_of_character(next_code_point(token, at));
    if (!byte) {  // a token that is not written in the alphabet is text
      bytes = token;
      break;
    }
    bytes.push_back(static_cast<char>(*byte));
  }
  states_[stage].held += bytes;
  give_well_formed(stage, text, false);
}

void DecodePipeline::give_well_formed(std::size_t stage, std::string& text, bool is_end) {
  std::string bytes = std::exchange(states_[stage].held, {});
  std::size_t whole = bytes.size();
  for (std::size_t back = 1; !is_end && back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const std::size_t at = bytes.size() - back;
    if (is_utf8_continuation(bytes[at])) continue;
    if (utf8_step(bytes, at).is_cut) whole = at;
    break;
  }
  states_[stage].held = bytes.substr(whole);
  bytes.resize(whole);
  if (bytes.empty()) return;
  const auto repaired = repair_utf8(bytes);
  give(stage, repaired ? *repaired : bytes, text);
}

void DecodePipeline::decode(const WordPieceDecoder& spec, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  std::string result(token);
  if (states_[stage].index > 0) {
    if (token.starts_with(spec.prefix)) result.erase(0, spec.prefix.size());
    else result.insert(0, " ");
  }
  if (spec.cleanup) clean_up(result);
  give(stage, result, text);
}

void DecodePipeline::decode(const MetaspaceSpec& spec, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  std::string result(token);
  const bool is_dropped = states_[stage].index == 0 && spec.prepend != MetaspaceSpec::Prepend::never;
  replace_all(result, spec.replacement, is_dropped ? "" : " ");
  give(stage, result, text);
}

void DecodePipeline::decode(const BpeDecoder& spec, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  State& state = states_[stage];
  std::string before = std::exchange(state.held, std::string(token));
  if (!std::exchange(state.has_held, true)) return;
  replace_all(before, spec.suffix, " ");
  give(stage, before, text);
}

void DecodePipeline::decode(const CtcDecoder& spec, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  State& state = states_[stage];
  if (state.index > 0 && state.held == token) return;
  state.held = token;
  std::string result(token);
  replace_all(result, spec.pad_token, "");
  if (spec.cleanup) {
    clean_up(result);
    replace_all(result, spec.word_delimiter, " ");
  }
  if (!result.empty()) give(stage, result, text);
}

void DecodePipeline::decode(const Replace& spec, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  give(stage, replaced(*chain_->stages()[stage].finder, token, spec.content), text);
}

void DecodePipeline::decode(const FuseDecoder&, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  give(stage, token, text);
}

void DecodePipeline::decode(const ByteFallbackDecoder&, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  if (const auto byte = byte_of_token(token)) {
    states_[stage].held.push_back(static_cast<char>(*byte));
    return;
  }
  give_fallback_bytes(stage, text);
  give(stage, token, text);
}

/// A run of bytes is text as a whole or not at all.
void DecodePipeline::give_fallback_bytes(std::size_t stage, std::string& text) {
  const std::string bytes = std::exchange(states_[stage].held, {});
  if (bytes.empty()) return;
  if (!repair_utf8(bytes)) return give(stage, bytes, text);
  for (std::size_t i = 0; i < bytes.size(); ++i) give(stage, "\ufffd", text);
}

void DecodePipeline::decode(const StripDecoder& spec, std::size_t stage, std::string_view token, std::int32_t, std::string& text) {
  for (std::uint32_t i = 0; i < spec.start && token.starts_with(spec.content); ++i) token.remove_prefix(spec.content.size());
  for (std::uint32_t i = 0; i < spec.stop && token.ends_with(spec.content); ++i) token.remove_suffix(spec.content.size());
  give(stage, token, text);
}

void DecodePipeline::decode(const SentencePieceDecoder& spec, std::size_t stage, std::string_view token, std::int32_t id,
                            std::string& text) {
  using Type = SentencePieceSpec::Type;
  constexpr std::string_view space = "\u2581";
  State& state = states_[stage];
  const Type type = pieces_ && id >= 0 ? pieces_->type(id) : Type::normal;
  if (type == Type::byte) {
    state.held.push_back(static_cast<char>(byte_of_token(token).value_or(0)));
    return give_sentencepiece_bytes(stage, text, false);
  }
  give_sentencepiece_bytes(stage, text, true);
  // The space that was put before the first word goes: that of the first piece, or of all pieces so far where extra spaces are removed.
  if (state.space_seen) state.is_past_start = true;
  state.space_seen = false;
  if (type == Type::control) return;
  if (type == Type::unknown) {
    state.is_past_start = true;
    return give(stage, spec.unknown_surface, text);
  }
  if (!state.is_past_start && (spec.add_dummy_prefix || spec.remove_extra_whitespaces) && token.starts_with(space)) {
    token.remove_prefix(space.size());
    state.space_seen = !spec.remove_extra_whitespaces;
  }
  std::string result(token);
  replace_all(result, space, " ");
  if (result.empty()) return;
  state.is_past_start = true;
  give(stage, result, text);
}

/// Bytes become characters as soon as they are whole, and each byte that is part of none U+FFFD.
void DecodePipeline::give_sentencepiece_bytes(std::size_t stage, std::string& text, bool is_end) {
  State& state = states_[stage];
  const std::string bytes = std::exchange(state.held, {});
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Step step = utf8_step(bytes, at);
    if (step.is_cut && !is_end) {
      state.held = bytes.substr(at);
      return;
    }
    state.is_past_start = true;
    give(stage, step.is_valid ? std::string_view(bytes).substr(at, step.width) : "\ufffd", text);
    at += step.is_valid ? step.width : 1;
  }
}

}  // namespace webformer
