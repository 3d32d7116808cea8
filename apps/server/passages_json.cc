#include "passages_json.h"

#include <string_view>

namespace kith::server {
namespace {

std::string_view part_of(const Document& document, const TextRange& range) {
  return std::string_view(document.text).substr(range.begin, range.end - range.begin);
}

}  // namespace

Json passages_json(const Document& a, const Document& b, const std::vector<Passage>& passages) {
  const std::vector<size_t> twins = twins_of(passages);
  Json list = Json::array();
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    Json row{{"kind", name(passage.kind)}};
    if (stands_in_a(passage.kind)) row["a"] = part_of(a, passage.a);
    if (stands_in_b(passage.kind)) row["b"] = part_of(b, passage.b);
    if (passage.kind == PassageKind::elsewhere_a || passage.kind == PassageKind::elsewhere_b) {
      row["twin"] = twins[i];
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace kith::server
