// Arrays of NumPy as spans, each checked before C++ reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "kith/status.h"

namespace kith::python {

// NumPy arrays in and out.
template <class T>
using Matrix = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>;
template <class T>
using Vector = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
template <class T>
using Input =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// A NumPy array that keeps the values of a vector.
template <class Array, class T>
Array to_numpy(std::vector<T> values, std::initializer_list<size_t> shape) {
  auto* const held = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(
      held, [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
  return Array(held->data(), shape, owner);
}

template <class T>
Vector<T> vector_of(std::vector<T> values) {
  const size_t n = values.size();
  return to_numpy<Vector<T>>(std::move(values), {n});
}

template <class T>
std::span<const T> span_of(const Input<T>& array) {
  return {array.data(), array.size()};
}

// Records on their way: arrays of structs that NumPy has the same fields of.

template <class T>
Vector<uint8_t> bytes_of(const std::vector<T>& records) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(records.data());
  return vector_of(std::vector<uint8_t>(begin, begin + records.size() * sizeof(T)));
}

template <class T>
std::vector<T> records_of(const Input<uint8_t>& bytes) {
  std::vector<T> records(bytes.size() / sizeof(T));
  if (!records.empty()) std::memcpy(records.data(), bytes.data(), records.size() * sizeof(T));
  return records;
}

// Arrays of numbers that a caller gives, without a silent loss.

// An argument as an array of one dimension: what numpy.asarray() makes of it, converted where every
// value stays what it is. Raises UsageError that names the argument, and of a value the row: a
// masked one, a fraction or negative number where integers are asked for, a number that the type
// cannot hold. T: uint16_t, uint32_t, uint64_t or double. `name` is what messages call it.
template <class T>
Input<T> checked_array(nanobind::handle object, const char* name);

// Bags in fewer bytes, as they travel between machines.

// The entries of bags (distributed::PageBags) in some five bytes each: of a bag for each term the
// distance from the term before it, and its weight, in groups of seven bits. offsets: of the bags.
Result<std::vector<uint8_t>> shorten(std::span<const uint64_t> offsets,
                                     std::span<const uint64_t> entries);

// What was shortened, by the sizes of the bags. An error of kind corrupt where they do not fit.
Result<std::vector<uint64_t>> restore(std::span<const uint8_t> bytes,
                                      std::span<const uint64_t> sizes);

}  // namespace kith::python
