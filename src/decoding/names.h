#pragma once
// Names of options: Hugging Face writes max_new_tokens, JavaScript maxNewTokens.

#include <string>
#include <string_view>

namespace webformer {

/// "maxNewTokens" to "max_new_tokens"; a name in snake_case stays.
std::string snake_case(std::string_view name);
/// "max_new_tokens" to "maxNewTokens".
std::string camel_case(std::string_view name);
/// The fewest insertions, deletions and substitutions of bytes that make one of the other (Levenshtein 1966).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace webformer
