#pragma once
// Tiny models with random weights, one of each kind of position, norm place and stack: enough to compare one way of computing with another.

#include <memory>
#include <string>
#include <vector>

#include "model/model.h"

namespace webformer::test {

struct TinyModel {
  const char* name;
  const char* config;  ///< config.json
};

/// Every decoder and encoder-decoder that generates.
const std::vector<TinyModel>& generating_models();

/// Encoders with every head.
const std::vector<TinyModel>& labelling_models();

/// Weights large enough that every part of the model matters.
std::shared_ptr<const Model> make_model(std::string_view config, std::uint64_t seed = 1);

/// `count` ids in [first, vocab).
std::vector<std::int32_t> random_ids(int count, int first, int vocab, std::uint64_t seed);

}  // namespace webformer::test
