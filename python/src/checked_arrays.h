// Arrays of numbers that a caller gives, without a silent loss.
#pragma once

#include <cstdint>

#include <nanobind/nanobind.h>

#include "numpy_arrays.h"

namespace kith::python {

// An argument as an array of one dimension: what numpy.asarray() makes of it, converted where every
// value stays what it is. Raises UsageError that names the argument, and of a value the row: a
// masked one, a fraction or negative number where integers are asked for, a number that the type
// cannot hold. T: uint16_t, uint32_t, uint64_t or double. `name` is what messages call it.
template <class T>
Input<T> checked_array(nanobind::handle object, const char* name);

}  // namespace kith::python
