#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "server/api.h"

namespace kith::server {

Result<Slice> slice_of(const Target& target, uint64_t rows) {
  constexpr uint64_t usual_rows = 50;
  const Parameters parameters(target);
  Slice slice;
  slice.rows = rows;
  KITH_ASSIGN(slice.size, parameters.number("size", usual_rows, 1, most_rows));
  KITH_ASSIGN(slice.page, parameters.number("page", 1, 1, UINT32_MAX));
  slice.begin = std::min(rows, (slice.page - 1) * slice.size);
  slice.end = std::min(rows, slice.begin + slice.size);
  return slice;
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto most_time = std::chrono::milliseconds(40);
// Reading the clock takes longer than reading a title.
constexpr uint64_t between_looks = 256;

}  // namespace

Result<bool> look_through(uint64_t n, const std::function<Result<bool>(uint64_t)>& look) {
  const Clock::time_point end = Clock::now() + most_time;
  for (uint64_t i = 0; i < n; ++i) {
    if (i % between_looks == between_looks - 1 && Clock::now() > end) return false;
    KITH_ASSIGN(const bool goes_on, look(i));
    if (!goes_on) return false;
  }
  return true;
}

void make_ascii_lower(std::string_view text, std::string& lower) {
  lower.resize(text.size());
  std::ranges::transform(text, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
}

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

namespace {

constexpr int similarity_bins = 20;
constexpr uint64_t most_sampled_urls = 10'000;

// By size: how many clusters; singles, too.
Result<Json> cluster_sizes(const Run& run) {
  std::map<uint64_t, uint64_t> clusters;
  const uint64_t singles = run.report().clusters.singles;
  if (singles > 0) clusters[1] = singles;
  for (uint64_t number = 0; number < run.report().clusters.clusters; ++number) {
    KITH_ASSIGN(const uint64_t size, run.cluster_size(number));
    ++clusters[size];
  }
  Json list = Json::array();
  for (const auto& [size, count] : clusters) list.push_back(Json::array({size, count}));
  return list;
}

// URLs that stand in equal distances, so that every site has its share.
Result<Json> nearest_similarities(const Run& run) {
  std::array<uint64_t, similarity_bins> urls{};
  uint64_t without = 0;
  const uint64_t sampled = std::min<uint64_t>(run.urls(), most_sampled_urls);
  for (uint64_t i = 0; i < sampled; ++i) {
    KITH_ASSIGN(const auto nearest, run.related(static_cast<UrlId>(i * run.urls() / sampled), 1));
    if (nearest.empty()) {
      ++without;
      continue;
    }
    const int bin = static_cast<int>(nearest.front().similarity * similarity_bins);
    ++urls[static_cast<size_t>(std::clamp(bin, 0, similarity_bins - 1))];
  }
  return Json{{"sampled", sampled}, {"without", without}, {"urls", urls}};
}

Json s_curve(const Report& report) {
  Json points = Json::array();
  const EngineReport& engine = report.engine;
  if (engine.tables == 0 || engine.engine != EngineChoice::lsh) return points;
  TablePlan plan;
  plan.lanes = report.options.lanes;
  plan.per_key = engine.per_key;
  plan.tables = engine.tables;
  constexpr int steps = 100;
  for (int i = 0; i <= steps; ++i) {
    const double similarity = static_cast<double>(i) / steps;
    points.push_back(Json::array({similarity, recall_at(plan, similarity)}));
  }
  return points;
}

}  // namespace

Result<Json> distributions_of(const Run& run) {
  KITH_ASSIGN(Json sizes, cluster_sizes(run));
  KITH_ASSIGN(Json nearest, nearest_similarities(run));
  return Json{{"cluster_sizes", std::move(sizes)},
              {"nearest_similarity", std::move(nearest)},
              {"s_curve", s_curve(run.report())}};
}

namespace {

constexpr int resemblance_bins = 20;
constexpr uint64_t most_sampled_pairs = 100'000;

// By size: how many groups.
Json group_sizes(const DedupRun& run) {
  std::map<uint64_t, uint64_t> groups;
  for (uint64_t number = 0; number < run.groups(); ++number) ++groups[run.group(number).size()];
  Json list = Json::array();
  for (const auto& [size, count] : groups) list.push_back(Json::array({size, count}));
  return list;
}

// What the run calls the similarity of a pair.
double similarity_of(const DocumentOverlap& overlap, DedupMethod method) {
  if (method != DedupMethod::containment) return overlap.resemblance;
  return std::max(overlap.containment_of_a, overlap.containment_of_b);
}

// Pairs that stand in equal distances in the files of the run.
Result<Json> pair_similarities(const DedupRun& run) {
  std::array<uint64_t, resemblance_bins> pairs{};
  const uint64_t sampled = std::min(run.pairs(), most_sampled_pairs);
  for (uint64_t i = 0; i < sampled; ++i) {
    KITH_ASSIGN(const DocumentPair pair, run.pair(i * run.pairs() / sampled));
    const double similarity = similarity_of(pair.overlap, run.report().options.method);
    const int bin = static_cast<int>(similarity * resemblance_bins);
    ++pairs[static_cast<size_t>(std::clamp(bin, 0, resemblance_bins - 1))];
  }
  return Json{{"pairs", run.pairs()}, {"sampled", sampled}, {"counts", pairs}};
}

// The chance of a pair to be found, where the method has a formula for it.
std::function<double(double)> recall_curve(const DedupReport& report) {
  for (const DedupTables& of : report.tables) {
    if (!of.chosen) continue;
    TablePlan plan;
    plan.lanes = report.options.lanes;
    plan.per_key = of.per_key;
    plan.tables = of.tables;
    return [plan](double similarity) { return recall_at(plan, similarity); };
  }
  for (const DedupSuperShingles& of : report.super_shingles) {
    if (!of.chosen) continue;
    SuperShinglePlan plan;
    plan.minima = of.minima;
    plan.groups = of.groups;
    plan.least = of.least;
    return [plan](double similarity) { return recall_at(plan, similarity); };
  }
  return nullptr;
}

Json s_curve(const DedupReport& report) {
  Json points = Json::array();
  const std::function<double(double)> recall = recall_curve(report);
  if (!recall) return points;
  constexpr int steps = 100;
  for (int i = 0; i <= steps; ++i) {
    const double similarity = static_cast<double>(i) / steps;
    points.push_back(Json::array({similarity, recall(similarity)}));
  }
  return points;
}

}  // namespace

Result<Json> distributions_of(const DedupRun& run) {
  KITH_ASSIGN(Json pairs, pair_similarities(run));
  return Json{{"group_sizes", group_sizes(run)},
              {"pair_similarity", std::move(pairs)},
              {"s_curve", s_curve(run.report())}};
}

}  // namespace kith::server
