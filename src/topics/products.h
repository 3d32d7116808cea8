// The products of a vector with the directions of groups.
#pragma once

#include <span>

#include "topics/term_matrix.h"
#include "topics/vectors.h"

namespace kith::topics {

// Groups whose products are made together, and how many values more an array of products has.
inline constexpr size_t product_lanes = TermMatrix<float>::beyond + 1;

// By group, the sum over the coordinates of the vector in their order.
// REQUIRES: products.size() >= directions.groups() + product_lanes.
void set_products(Vector vector, const TermMatrix<float>& directions, std::span<double> products);

}  // namespace kith::topics
