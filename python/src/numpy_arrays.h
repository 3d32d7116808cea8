// NumPy arrays in and out.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace kith::python {

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

}  // namespace kith::python
