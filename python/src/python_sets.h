// kith.Sets, and the sets of an argument.
#pragma once

#include <memory>

#include <nanobind/nanobind.h>

#include "kith/sets.h"

#include "sets_input.h"

namespace kith::python {

// kith.Sets: what shingles() makes of many texts.
using SharedSets = std::shared_ptr<const Sets>;
struct PythonSets {
  SharedSets sets;
};

// The sets of an argument; those of kith are shared.
inline SharedSets sets_of(nanobind::handle object) {
  if (PythonSets* own = nullptr; nanobind::try_cast(object, own) && own != nullptr)
    return own->sets;
  return std::make_shared<const Sets>(take_sets(object));
}

}  // namespace kith::python
