// How a long job tells where it is. The library itself never prints.
#pragma once

#include <functional>
#include <string_view>

namespace kith {

struct Progress {
  std::string_view stage;  // "bags", "pairs", ...; a new name begins a new stage
  double done = 0;         // in `unit`
  double total = 0;        // 0 when it is not known
  std::string_view unit;   // "bytes", "URLs", "steps"; may be empty
  // A line that the user should read now: a damaged file and what is done about it. Empty in all
  // other calls.
  std::string_view note = {};
  // The stage that is finished and safe on the disk: from now on the same command goes on behind
  // it. Empty in all other calls.
  std::string_view finished = {};
};

// Called often, from one thread at a time; must return fast. An empty function is allowed.
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace kith
