// Where a passage stands in the other text.
#include <algorithm>

#include "kith/compare.h"

namespace kith {
namespace {

// Where the passages of a text begin, ascending, and their numbers.
struct Start {
  uint64_t byte;
  size_t passage;
};

// Of passages without a byte of their own (a blank between words) the last one leads.
std::vector<Start> starts_of(const std::vector<Passage>& passages, bool of_b) {
  std::vector<Start> starts;
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    if (!(of_b ? stands_in_b(passage.kind) : stands_in_a(passage.kind))) continue;
    starts.push_back({(of_b ? passage.b : passage.a).begin, i});
  }
  return starts;
}

// The passage in which a byte lies. `starts` has one at or before it.
size_t passage_at(const std::vector<Start>& starts, uint64_t byte) {
  const auto after = std::ranges::upper_bound(starts, byte, {}, &Start::byte);
  return after == starts.begin() ? starts.front().passage : (after - 1)->passage;
}

}  // namespace

bool stands_in_a(PassageKind kind) {
  return kind == PassageKind::shared || kind == PassageKind::only_a ||
         kind == PassageKind::elsewhere_a;
}

bool stands_in_b(PassageKind kind) {
  return kind == PassageKind::shared || kind == PassageKind::only_b ||
         kind == PassageKind::elsewhere_b;
}

std::vector<size_t> twins_of(const std::vector<Passage>& passages) {
  const std::vector<Start> in_a = starts_of(passages, false);
  const std::vector<Start> in_b = starts_of(passages, true);
  std::vector<size_t> twins;
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    if (passage.kind == PassageKind::elsewhere_a) {
      twins.push_back(passage_at(in_b, passage.b.begin));
    } else if (passage.kind == PassageKind::elsewhere_b) {
      twins.push_back(passage_at(in_a, passage.a.begin));
    } else {
      twins.push_back(i);
    }
  }
  return twins;
}

}  // namespace kith
