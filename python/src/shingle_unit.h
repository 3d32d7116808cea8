// The word that names what shingles are made of.
#pragma once

#include <string>

#include <fmt/format.h>

#include "kith/shingles.h"

#include "errors.h"

namespace kith::python {

// "words" or "characters". Throws an error of kind usage.
inline ShingleUnit unit_named(const std::string& name) {
  if (name == "words") return ShingleUnit::words;
  if (name == "characters") return ShingleUnit::characters;
  throw Raised{{ErrorKind::usage, fmt::format("unit: '{}' is not one of words, characters", name)}};
}

}  // namespace kith::python
