#include "server/answers_json.h"

#include <string_view>
#include <utility>

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

Json json_of(const StreamCounts& counts) {
  return {{"documents", counts.documents},
          {"clusters", counts.clusters},
          {"pages", counts.pages},
          {"duplicates", counts.duplicates},
          {"updates", counts.updates},
          {"deletions", counts.deletions},
          {"forgotten", counts.forgotten_age + counts.forgotten_room},
          {"memory", counts.memory}};
}

Json decisions_json(const std::vector<StreamDecision>& decisions) {
  Json list = Json::array();
  for (const StreamDecision& of : decisions) {
    list.push_back({{"document", of.document},
                    {"cluster", of.cluster},
                    {"role", name(of.role)},
                    {"similarity", of.similarity},
                    {"leader", of.leader},
                    {"size", of.size},
                    {"theme", of.theme}});
  }
  return list;
}

Json pairs_json(const std::vector<StreamPair>& pairs) {
  Json list = Json::array();
  for (const StreamPair& of : pairs) {
    list.push_back({{"earlier", of.earlier}, {"later", of.later}, {"similarity", of.similarity}});
  }
  return list;
}

Json pages_json(const std::vector<StreamPreview>& pages) {
  Json list = Json::array();
  for (const StreamPreview& of : pages) {
    Json matches = Json::array();
    for (const StreamMatch& match : of.matches) {
      matches.push_back(
          {{"leader", match.leader}, {"cluster", match.cluster}, {"similarity", match.similarity}});
    }
    list.push_back(
        {{"document", of.document}, {"known", of.is_known}, {"matches", std::move(matches)}});
  }
  return list;
}

}  // namespace kith::server
