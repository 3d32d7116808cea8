#include "kith/sets.h"

#include "api/batch.h"

namespace kith {

Status validate(const SetsView& sets) {
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets.offsets[i] > sets.offsets[i + 1]) {
      return api::usage(fmt::format("set {}: its offsets descend", i));
    }
    if (sets.offsets[i + 1] > sets.elements.size()) {
      return api::usage(fmt::format("set {}: ends at {}, but there are {} elements", i,
                                    sets.offsets[i + 1], sets.elements.size()));
    }
  }
  return Status::ok();
}

}  // namespace kith
