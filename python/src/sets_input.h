// Sets of hashes that Python gives: an Arrow column of lists of integers, or sequences of these.
#pragma once

#include <memory>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/sets.h"

#include "arrow_import.h"

namespace kith::python {

// Owned sets.
Sets take_sets(nanobind::handle object);

}  // namespace kith::python
