#include "topics/neighbour_graph.h"

#include <span>
#include <vector>

#include "topics/symmetric_graph.h"

namespace kith::topics {

PageGraph make_neighbour_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool) {
  const NodeLists all(lists, nodes, pool);
  const auto for_rows = [&](const auto& visit) {
    all.for_all(pool, [&](size_t node, std::span<const similar::Neighbour> list) {
      std::vector<Edge<uint32_t>> row;
      row.reserve(list.size());
      for (const similar::Neighbour& entry : list) {
        row.push_back({entry.id, all.scaled(node, entry)});
      }
      visit(node, std::span<const Edge<uint32_t>>(row));
    });
  };
  return SymmetricGraph(nodes.size(), for_rows, pool).build();
}

}  // namespace kith::topics
