#include <cstdint>
#include <string_view>
#include <vector>

#include <kith/center.h>
#include <kith/cluster_bags.h>
#include <kith/text_dedup.h>

#include "parts.h"

bool groups_work() {
  const std::vector<kith::SimilarIds> pairs = {{0, 1, 0.9}};
  const auto center = kith::center_clusters(3, pairs);
  if (!center || (*center)[0] != (*center)[1]) return false;
  const std::vector<std::string_view> texts = {"one text of six short words",
                                               "One text, of six short words."};
  const auto copies = kith::dedup_texts(texts);
  if (!copies || copies->kept[1] != 0) return false;
  const std::vector<uint64_t> offsets = {0, 1, 2};
  const std::vector<uint32_t> terms = {7, 7};
  const std::vector<double> weights = {1, 1};
  const auto bags = kith::Bags::make({offsets, terms, weights});
  bool is_told = false;
  const auto clusters = kith::cluster_bags(*bags, {.similarity = 0.5, .min_words = 1},
                                           [&](const kith::Progress&) { is_told = true; });
  return clusters && is_told && clusters->center[0] == clusters->center[1];
}
