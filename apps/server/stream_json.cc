#include "stream_json.h"

namespace kith::server {
namespace {

// How many lines were no pages, and of the first of them why.
Json skipped_json(const CrawlCounts& lines) {
  uint64_t count = 0;
  for (const auto& [kind, of_kind] : lines.skipped) count += of_kind;
  Json examples = Json::array();
  for (const SkippedRecord& of : lines.examples) {
    examples.push_back({{"offset", of.offset}, {"reason", of.reason}});
  }
  return {{"lines", count}, {"examples", std::move(examples)}};
}

}  // namespace

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

Json json_of(const StreamLinesAnswer& answer) {
  Json decisions = Json::array();
  for (const StreamDecision& of : answer.answer.decisions) {
    decisions.push_back({{"document", of.document},
                         {"cluster", of.cluster},
                         {"role", name(of.role)},
                         {"similarity", of.similarity},
                         {"leader", of.leader},
                         {"size", of.size},
                         {"theme", of.theme}});
  }
  Json pairs = Json::array();
  for (const StreamPair& of : answer.answer.pairs) {
    pairs.push_back({{"earlier", of.earlier}, {"later", of.later}, {"similarity", of.similarity}});
  }
  return {{"decisions", std::move(decisions)},
          {"pairs", std::move(pairs)},
          {"skipped", skipped_json(answer.lines)}};
}

Json json_of(const StreamLinesPreview& preview) {
  Json pages = Json::array();
  for (const StreamPreview& of : preview.pages) {
    Json matches = Json::array();
    for (const StreamMatch& match : of.matches) {
      matches.push_back(
          {{"leader", match.leader}, {"cluster", match.cluster}, {"similarity", match.similarity}});
    }
    pages.push_back(
        {{"document", of.document}, {"known", of.is_known}, {"matches", std::move(matches)}});
  }
  return {{"pages", std::move(pages)}, {"skipped", skipped_json(preview.lines)}};
}

}  // namespace kith::server
