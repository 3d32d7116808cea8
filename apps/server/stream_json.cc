#include "stream_json.h"

#include <utility>

namespace kith::server {

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
