#include "passages_json.h"

#include <algorithm>
#include <string_view>

namespace kith::server {
namespace {

using Json = nlohmann::ordered_json;

bool stands_in_a(const Passage& passage) {
  return passage.kind == PassageKind::shared || passage.kind == PassageKind::only_a ||
         passage.kind == PassageKind::elsewhere_a;
}
bool stands_in_b(const Passage& passage) {
  return passage.kind == PassageKind::shared || passage.kind == PassageKind::only_b ||
         passage.kind == PassageKind::elsewhere_b;
}

// The passages of a document by the bytes at which they begin, ascending.
struct Start {
  uint64_t byte;
  size_t passage;
};

// The passage that a byte lies in. `starts` has one at or before it.
size_t passage_at(const std::vector<Start>& starts, uint64_t byte) {
  const auto after = std::ranges::upper_bound(starts, byte, {}, &Start::byte);
  return after == starts.begin() ? starts.front().passage : (after - 1)->passage;
}

std::string_view part_of(const Document& document, const TextRange& range) {
  return std::string_view(document.text).substr(range.begin, range.end - range.begin);
}

}  // namespace

Json passages_json(const Document& a, const Document& b, const std::vector<Passage>& passages) {
  std::vector<Start> in_a;
  std::vector<Start> in_b;
  for (size_t i = 0; i < passages.size(); ++i) {
    if (stands_in_a(passages[i])) in_a.push_back({passages[i].a.begin, i});
    if (stands_in_b(passages[i])) in_b.push_back({passages[i].b.begin, i});
  }
  Json list = Json::array();
  for (const Passage& passage : passages) {
    Json row{{"kind", name(passage.kind)}};
    if (stands_in_a(passage)) row["a"] = part_of(a, passage.a);
    if (stands_in_b(passage)) row["b"] = part_of(b, passage.b);
    if (passage.kind == PassageKind::elsewhere_a) row["twin"] = passage_at(in_b, passage.b.begin);
    if (passage.kind == PassageKind::elsewhere_b) row["twin"] = passage_at(in_a, passage.a.begin);
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace kith::server
