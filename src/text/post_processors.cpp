#include "text/post_processors.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/unicode.h"
#include "core/utf8.h"

namespace webformer {
namespace {

using Kind = TemplatePiece::Kind;

/// White space, or what the byte alphabet writes a space as.
bool is_space(char32_t c) { return is_white_space(c) || c == 0x120; }

Encoding with_type(Encoding encoding, std::int32_t type_id) {
  std::ranges::fill(encoding.type_ids, type_id);
  return encoding;
}

}  // namespace

PostProcessorChain::PostProcessorChain(const std::vector<PostProcessor>& specs, std::string_view source) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    std::visit([&](const auto& spec) { add(spec, format("{}: post_processor {}", source, i)); }, specs[i]);
  }
}

void PostProcessorChain::set_layout(Layout layout, std::string_view where) {
  if (layout_) throw Error(Code::unsupported_model, "{}: a second template; one is supported", where);
  layout_ = std::move(layout);
}

void PostProcessorChain::add(const TemplateProcessing& spec, std::string_view where) {
  const auto parts = [&](const std::vector<TemplatePiece>& pieces, bool is_pair) {
    Parts result;
    for (const TemplatePiece& piece : pieces) {
      Part part{piece.kind, piece.type_id, {}};
      if (piece.kind == Kind::second && !is_pair)
        throw Error(Code::invalid_file, "{}: the template of one text names the sequence B", where);
      if (piece.kind == Kind::special) {
        if (piece.special >= spec.special_tokens.size())
          throw Error(Code::invalid_file, "{}: the template names a special token that it does not define", where);
        const TemplateToken& token = spec.special_tokens[piece.special];
        for (std::size_t i = 0; i < token.ids.size(); ++i)
          part.tokens.push_back({i < token.tokens.size() ? token.tokens[i] : token.text, token.ids[i]});
      }
      result.push_back(std::move(part));
    }
    return result;
  };
  set_layout({parts(spec.single, false), parts(spec.pair, true)}, where);
}

void PostProcessorChain::add(const BertProcessing& spec, std::string_view where) {
  const auto special = [](const TokenAndId& token, std::int32_t type_id) { return Part{Kind::special, type_id, {token}}; };
  const Parts single{special(spec.cls, 0), {Kind::first, 0, {}}, special(spec.sep, 0)};
  Parts pair = single;
  pair.push_back({Kind::second, 1, {}});
  pair.push_back(special(spec.sep, 1));
  set_layout({single, pair}, where);
}

void PostProcessorChain::add(const RobertaProcessing& spec, std::string_view where) {
  const auto special = [](const TokenAndId& token) { return Part{Kind::special, 0, {token}}; };
  const Parts single{special(spec.cls), {Kind::first, 0, {}}, special(spec.sep)};
  Parts pair = single;
  pair.push_back(special(spec.sep));
  pair.push_back({Kind::second, 0, {}});
  pair.push_back(special(spec.sep));
  set_layout({single, pair}, where);
  trims_offsets_ = trims_offsets_ || spec.trim_offsets;
  keeps_first_space_ = spec.add_prefix_space;
}

void PostProcessorChain::add(const ByteLevelProcessing& spec, std::string_view) {
  trims_offsets_ = trims_offsets_ || spec.trim_offsets;
  keeps_first_space_ = spec.add_prefix_space;
}

std::size_t PostProcessorChain::added_count(bool is_pair) const {
  std::size_t count = 0;
  if (!layout_) return count;
  for (const Part& part : is_pair ? layout_->pair : layout_->single) count += part.tokens.size();
  return count;
}

Encoding PostProcessorChain::apply(const Encoding& first, const Encoding* second, bool add_special_tokens) const {
  Encoding result;
  if (!layout_) {
    result = first;
    if (second) append(result, *second);
    return result;
  }
  for (const Part& part : second ? layout_->pair : layout_->single) {
    if (part.kind == Kind::first) append(result, with_type(first, part.type_id));
    if (part.kind == Kind::second) append(result, with_type(*second, part.type_id));
    if (part.kind != Kind::special || !add_special_tokens) continue;
    for (const TokenAndId& token : part.tokens) {
      if (!token.token.empty()) result.surfaces.emplace_back(std::uint32_t(result.size()), token.token);
      push_token(result, token.id, {0, 0}, part.type_id, -1, true);
    }
  }
  return result;
}

SourceSpan trimmed(std::string_view token, SourceSpan span, std::string_view text, bool keeps_leading) {
  std::size_t leading = 0, trailing = 0;
  for (std::size_t at = 0; at < token.size() && is_space(next_code_point(token, at));) ++leading;
  for (std::size_t end = token.size(); end > 0; ++trailing) {
    std::size_t at = end = previous_code_point(token, end);
    if (!is_space(next_code_point(token, at))) break;
  }
  std::size_t begin = span.begin, end = span.end;
  if (keeps_leading && leading == 1) leading = 0;
  for (; leading > 0 && begin < end; --leading) begin += utf8_width(text[begin]);
  std::size_t cut = end;
  for (; trailing > 0 && cut > 0; --trailing) cut = previous_code_point(text, cut);
  if (trailing == 0) end = std::max(cut, begin);
  return {std::uint32_t(begin), std::uint32_t(end)};
}

}  // namespace webformer
