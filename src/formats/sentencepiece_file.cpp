#include "formats/sentencepiece_file.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/utf8.h"

namespace webformer {
namespace {

/// The fields of a protobuf message, one after the other. https://protobuf.dev/programming-guides/encoding
class Message {
 public:
  struct Field {
    std::uint64_t number = 0;  ///< of the field
    std::uint64_t value = 0;   ///< of a varint, or the bits of a fixed 32 or 64
    std::string_view bytes;    ///< of a string or message
  };

  Message(std::string_view bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  std::optional<Field> next() {
    if (at_ == bytes_.size()) return std::nullopt;
    const std::uint64_t tag = varint();
    Field field{tag >> 3, 0, {}};
    switch (tag & 7) {
      case 0: field.value = varint(); break;
      case 1: field.value = fixed(8); break;
      case 2: field.bytes = take(varint()); break;
      case 5: field.value = fixed(4); break;
      default: refuse("has a field of unknown kind");
    }
    if (field.number == 0) refuse("has a field without number");
    return field;
  }
  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(Code::invalid_file, "{}: no SentencePiece model: the message {}", file_, what);
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) refuse("ends within a field");
    const std::string_view part = bytes_.substr(at_, std::size_t(size));
    at_ += std::size_t(size);
    return part;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t(byte & 127u) << shift;
      if (byte < 128) return value;
    }
    refuse("has a number of over 64 bits");
  }
  std::uint64_t fixed(unsigned size) {
    std::uint64_t value = 0;
    const std::string_view part = take(size);
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t(static_cast<unsigned char>(part[i])) << (8 * i);
    return value;
  }

  std::string_view bytes_, file_;
  std::size_t at_ = 0;
};

class FileReader {
 public:
  explicit FileReader(std::string_view file) : file_(file) {}

  TokenizerSpec read(std::string_view bytes) {
    Message message(bytes, file_);
    while (const auto field = message.next()) {
      switch (field->number) {
        case 1: read_piece(field->bytes); break;
        case 2: read_trainer(field->bytes); break;
        case 3: read_normalizer(field->bytes, normalizer_); break;
        case 5: {
          SentencePieceNormalizer denormalizer;
          read_normalizer(field->bytes, denormalizer);
          if (!denormalizer.charsmap.empty()) unsupported("a denormalizer");
          break;
        }
        default: break;  // self-test data
      }
    }
    if (model_.pieces.empty()) message.refuse("has no pieces");
    TokenizerSpec spec;
    spec.source = file_;
    decoder_.add_dummy_prefix = normalizer_.add_dummy_prefix;
    decoder_.remove_extra_whitespaces = normalizer_.remove_extra_whitespaces;
    name_special_pieces(spec.names);
    spec.normalizers.emplace_back(std::move(normalizer_));
    spec.model = std::move(model_);
    spec.decoders.emplace_back(std::move(decoder_));
    return spec;
  }

 private:
  using Type = SentencePieceSpec::Type;

  [[noreturn]] void unsupported(std::string_view what) const {
    throw Error(Code::unsupported_model, "{}: {}, which is not supported", file_, what);
  }

  std::string_view text(std::string_view bytes, std::string_view what) const {
    if (repair_utf8(bytes)) throw Error(Code::invalid_file, "{}: {} is not UTF-8", file_, what);
    return bytes;
  }

  void read_piece(std::string_view bytes) {
    std::string_view piece;
    float score = 0;
    Type type = Type::normal;
    Message message(bytes, file_);
    while (const auto field = message.next()) {
      if (field->number == 1) piece = text(field->bytes, "a piece");
      if (field->number == 2) score = std::bit_cast<float>(std::uint32_t(field->value));
      if (field->number == 3) {
        if (field->value < 1 || field->value > 6) message.refuse("has a piece of unknown type");
        type = Type(field->value);
      }
    }
    model_.pieces.push_back(piece);
    model_.scores.push_back(score);
    model_.types.push_back(type);
  }

  void read_trainer(std::string_view bytes) {
    Message message(bytes, file_);
    while (const auto field = message.next()) {
      switch (field->number) {
        case 3:
          if (field->value < 1 || field->value > 4) message.refuse("has an unknown model type");
          model_.algorithm = SentencePieceSpec::Algorithm(field->value - 1);
          break;
        case 24: normalizer_.treat_whitespace_as_suffix = field->value != 0; break;
        case 35: model_.byte_fallback = field->value != 0; break;
        case 44: decoder_.unknown_surface = text(field->bytes, "unk_surface"); break;
        case 45: unk_ = field->bytes; break;
        case 46: bos_ = field->bytes; break;
        case 47: eos_ = field->bytes; break;
        case 48: pad_ = field->bytes; break;
        default: break;  // how it was trained
      }
    }
  }

  void read_normalizer(std::string_view bytes, SentencePieceNormalizer& normalizer) {
    Message message(bytes, file_);
    while (const auto field = message.next()) {
      switch (field->number) {
        case 2: normalizer.charsmap = field->bytes; break;
        case 3: normalizer.add_dummy_prefix = field->value != 0; break;
        case 4: normalizer.remove_extra_whitespaces = field->value != 0; break;
        case 5: normalizer.escape_whitespaces = field->value != 0; break;
        default: break;
      }
    }
  }

  /// Where the file has a piece of that name, and it is one that no text becomes.
  void name_special_pieces(SpecialTokenNames& names) const {
    for (std::size_t i = 0; i < model_.pieces.size(); ++i) {
      const std::string_view piece = model_.pieces[i];
      if (model_.types[i] == Type::unknown) names.unk = piece;
      if (model_.types[i] != Type::control) continue;
      if (piece == bos_) names.bos = piece;
      if (piece == eos_) names.eos = piece;
      if (piece == pad_) names.pad = piece;
    }
  }

  std::string_view file_;
  SentencePieceSpec model_;
  SentencePieceNormalizer normalizer_;
  SentencePieceDecoder decoder_;
  std::string_view unk_ = "<unk>", bos_ = "<s>", eos_ = "</s>", pad_ = "<pad>";
};

}  // namespace

TokenizerSpec read_sentencepiece_file(std::string_view bytes, std::string_view file) { return FileReader(file).read(bytes); }

}  // namespace webformer
