#pragma once
// What post-processors put around the tokens of a text.

#include <optional>
#include <string_view>
#include <vector>

#include "text/aligned_text.h"
#include "text/encoding_parts.h"
#include "text/spec.h"

namespace webformer {

class PostProcessorChain {
 public:
  PostProcessorChain() = default;
  /// Throws invalid_file for a template that names a special token which it does not define.
  PostProcessorChain(const std::vector<PostProcessor>& specs, std::string_view source);

  /// How many tokens are put around one text or two.
  std::size_t added_count(bool is_pair) const;
  /// Whether a token's offsets leave its white space out.
  bool trims_offsets() const noexcept { return trims_offsets_; }
  bool keeps_first_space() const noexcept { return keeps_first_space_; }
  /// One text, or two.
  Encoding apply(const Encoding& first, const Encoding* second, bool add_special_tokens) const;

 private:
  struct Part {
    TemplatePiece::Kind kind = TemplatePiece::Kind::first;
    std::int32_t type_id = 0;
    std::vector<TokenAndId> tokens;  ///< of special
  };
  using Parts = std::vector<Part>;
  struct Layout {
    Parts single, pair;
  };

  void add(const TemplateProcessing& spec, std::string_view where);
  void add(const BertProcessing& spec, std::string_view where);
  void add(const RobertaProcessing& spec, std::string_view where);
  void add(const ByteLevelProcessing& spec, std::string_view where);
  void set_layout(Layout layout, std::string_view where);

  std::optional<Layout> layout_;
  bool trims_offsets_ = false, keeps_first_space_ = false;
};

/// `span` of `text` without the white space (Ġ included) at both ends of `token`, counted in characters. One space at the beginning stays
/// where `keeps_leading`: it was put there.
SourceSpan trimmed(std::string_view token, SourceSpan span, std::string_view text, bool keeps_leading);

}  // namespace webformer
