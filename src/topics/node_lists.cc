#include "topics/node_lists.h"

#include <algorithm>
#include <cmath>

#include "sketch/bag.h"

namespace kith::topics {
namespace {

constexpr double scale_unit = 1 << 16;
constexpr double max_scaled = 1e4;

}  // namespace

NodeLists::NodeLists(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool)
    : lists_(lists), nodes_(nodes), mean_(nodes.size()) {
  for_all(pool, [&](size_t node, std::span<const similar::Neighbour> list) {
    double sum = 0;
    for (const similar::Neighbour& entry : list) sum += sketch::similarity_of(entry.sum_of_minima);
    mean_[node] = list.empty() ? 0 : sum / static_cast<double>(list.size());
  });
}

// Copies of one bag have one similarity, so that they stand in one stretch of equal sums.
void NodeLists::read(size_t node, std::vector<similar::Neighbour>& list) const {
  list.clear();
  for (const similar::Neighbour& entry : lists_[nodes_.page[node]]) {
    if (list.size() == max_neighbours) return;
    const uint32_t other = nodes_.node_of[entry.id];
    if (other == node || other == similar::no_id) continue;
    bool known = false;
    for (size_t i = list.size(); i-- > 0 && list[i].sum_of_minima == entry.sum_of_minima;) {
      known = known || list[i].id == other;
    }
    if (!known) list.push_back({other, entry.sum_of_minima});
  }
}

uint32_t NodeLists::scaled(size_t node, const similar::Neighbour& entry) const {
  // Neighbours have a common word, so that no mean over a list is 0; but the list of the other may
  // be empty where it is a page of a damaged or foreign file.
  const double scale = std::sqrt(mean_[node] * mean_[entry.id]);
  const double a = scale > 0 ? sketch::similarity_of(entry.sum_of_minima) / scale : 0;
  return static_cast<uint32_t>(std::min(a, max_scaled) * scale_unit);
}

}  // namespace kith::topics
