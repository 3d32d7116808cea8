#include "text/html/foreign.h"

namespace kith::text {

void ForeignStack::open(ForeignKind kind, Tag tag) {
  if (depth_ == max_depth) {
    ++deeper_;
  } else {
    entries_[depth_++] = {kind, tag};
  }
}

void ForeignStack::close(Tag tag) {
  if (deeper_ > 0) {
    --deeper_;
    return;
  }
  for (size_t depth = depth_; depth > 0; --depth) {
    if (entries_[depth - 1].tag == tag) {
      depth_ = depth - 1;
      return;
    }
  }
}

void ForeignStack::leave() {
  deeper_ = 0;
  while (is_foreign()) --depth_;
}

}  // namespace kith::text
