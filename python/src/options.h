// Options and words of Python as those of the library.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "kith/shingles.h"
#include "kith/text_dedup.h"

#include "bindings.h"
#include "cli/program.h"

namespace kith::python {

// The words that name what shingles are made of.

// "words" or "characters". Throws an error of kind usage.
inline ShingleUnit unit_named(const std::string& name) {
  if (name == "words") return ShingleUnit::words;
  if (name == "characters") return ShingleUnit::characters;
  throw Raised{{ErrorKind::usage, fmt::format("unit: '{}' is not one of words, characters", name)}};
}

// "keep", "mask" or "drop". Throws an error of kind usage.
inline Numbers numbers_named(const std::string& name) {
  if (name == "keep") return Numbers::keep;
  if (name == "mask") return Numbers::mask;
  if (name == "drop") return Numbers::drop;
  throw Raised{
      {ErrorKind::usage, fmt::format("numbers: '{}' is not one of keep, mask, drop", name)}};
}

}  // namespace kith::python
