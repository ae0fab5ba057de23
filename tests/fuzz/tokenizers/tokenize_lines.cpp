// One side of compare.py: a tokenizer of files, and what it makes of the lines that come in.
//   webformer_tokenize [--plain] NAME=PATH...     NAME is what the file is called in a checkpoint's folder; --plain: no template's tokens
//   webformer_tokenize --json NAME=PATH...        prints the tokenizer as tokenizer.json
// Numbers are 32-bit and little-endian. In: a count, then for each line the sizes of its text and of a list of ids, text, ids.
// Out: for each line the size of what follows, the count of tokens, ids, offsets in characters, and three texts with their sizes:
// the ids decoded without and with special tokens, and the given ids decoded with them.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/tokenizer_files.h"
#include "text/text.h"

using namespace webformer;

namespace {

bool read_bytes(void* to, std::size_t size) { return std::fread(to, 1, size, stdin) == size; }

void put(std::string& out, const void* from, std::size_t size) { out.append(static_cast<const char*>(from), size); }
void put_number(std::string& out, std::size_t value) {
  const auto number = std::uint32_t(value);
  put(out, &number, sizeof number);
}
void put_text(std::string& out, const std::string& text) {
  put_number(out, text.size());
  out += text;
}

/// The index of the character at each UTF-16 unit of `text`, and of its end.
std::vector<std::uint32_t> characters_of_units(std::string_view text) {
  std::vector<std::uint32_t> result;
  std::uint32_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++characters) {
    const std::size_t width = utf8_step(text, at).width;
    result.insert(result.end(), width == 4 ? 2 : 1, characters);
    at += width;
  }
  result.push_back(characters);
  return result;
}

std::string answer(const Tokenizer& tokenizer, bool is_plain, std::string_view text, std::span<const std::int32_t> ids) {
  EncodeOptions options;
  options.add_special_tokens = !is_plain;
  const Encoding encoding = tokenizer.encode(text, options);
  const std::vector<std::uint32_t> characters = characters_of_units(text);
  std::string out;
  put_number(out, encoding.size());
  put(out, encoding.ids.data(), encoding.ids.size() * sizeof(std::int32_t));
  for (const auto& [begin, end] : encoding.offsets) {
    put_number(out, characters.at(begin));
    put_number(out, characters.at(end));
  }
  put_text(out, tokenizer.decode(encoding.ids, true));
  put_text(out, tokenizer.decode(encoding.ids, false));
  put_text(out, tokenizer.decode(ids, false));
  return out;
}

void answer_lines(const Tokenizer& tokenizer, bool is_plain) {
  std::uint32_t count = 0;
  std::string text, out;
  std::vector<std::int32_t> ids;
  while (read_bytes(&count, sizeof count)) {
    out.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint32_t sizes[2];
      if (!read_bytes(sizes, sizeof sizes)) return;
      text.resize(sizes[0]);
      ids.resize(sizes[1]);
      if (!read_bytes(text.data(), text.size()) || !read_bytes(ids.data(), ids.size() * sizeof(std::int32_t))) return;
      put_text(out, answer(tokenizer, is_plain, text, ids));
    }
    std::fwrite(out.data(), 1, out.size(), stdout);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  bool is_plain = false, prints_json = false;
  std::map<std::string, std::string> contents;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--plain") is_plain = true;
    else if (argument == "--json") prints_json = true;
    else {
      const std::size_t equals = argument.find('=');
      std::ifstream file(argument.substr(equals + 1), std::ios::binary);
      if (equals == std::string::npos || !file) {
        std::fprintf(stderr, "%s: not there\n", arguments[i]);
        return 1;
      }
      contents[argument.substr(0, equals)] = {std::istreambuf_iterator<char>(file), {}};
    }
  }
  try {
    const TokenizerSpec spec = read_tokenizer({contents.begin(), contents.end()});
    if (prints_json) std::printf("%s", write_tokenizer_json(spec).c_str());
    else answer_lines(Tokenizer::compile(spec), is_plain);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
