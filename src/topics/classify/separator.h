// What tells the members of one class from all other examples: a hyperplane of LIBLINEAR. Internal
// to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topics/classify/examples.h"

namespace kith::topics {

// The score of a vector is its product with `weights`, plus `constant`: above 0 for members.
struct Separator {
  std::vector<float> weights;  // by number of the term
  float constant = -1;
};

// Trains by the L2-regularised support vector machine with squared hinge loss (Fan et al.,
// LIBLINEAR, 2008), C = 1, by its trust region method for the primal problem, which draws nothing
// at random. rows: of the vectors, ascending. Where all rows are members, or none is, every score
// is -1. Thread-safe; the same for the same arguments.
Separator train_separator(const ExampleVectors& vectors, std::span<const uint32_t> rows,
                          uint32_t class_number);

// What it takes meanwhile, in bytes.
uint64_t separator_bytes(uint64_t rows, uint64_t terms);

}  // namespace kith::topics
