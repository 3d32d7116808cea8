// Prints what the communities of a run's topics are made of: a line "2m Q" of the sum of all
// degrees and the modularity with resolution 2 that kith reaches, then a line "a b weight" for
// every edge.
#include <cstdio>

#include "bags/tables.h"
#include "base/parallel/thread_pool.h"
#include "run/index_files.h"
#include "similar/duplicates.h"
#include "storage/file_system.h"
#include "topics/communities.h"
#include "topics/neighbour_graph.h"

namespace {

kith::Status dump(const std::string& run) {
  kith::storage::FileSystem& fs = kith::storage::posix_file_system();
  KITH_ASSIGN(const auto bags, kith::bags::BagTable::open(fs, run + "/bags.kith"));
  KITH_ASSIGN(const auto lists, kith::run::Neighbours::open(fs, run + "/neighbours.kith"));
  kith::ThreadPool pool(1);
  const auto groups = kith::similar::find_duplicates(bags.bags(), pool);
  const auto nodes = kith::topics::make_nodes(bags.bags(), groups);
  const auto graph = kith::topics::make_neighbour_graph(lists, nodes, pool);
  const kith::topics::TreeOptions options;
  const auto community = kith::topics::find_communities(graph, options, pool);
  std::printf("%llu %.9f\n", static_cast<unsigned long long>(graph.total),
              kith::topics::modularity(graph, community, options.resolution));
  for (uint32_t node = 0; node < graph.size(); ++node) {
    for (const auto& edge : graph[node]) {
      if (node < edge.to) std::printf("%u %u %u\n", node, edge.to, edge.weight);
    }
  }
  return kith::Status::ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const kith::Status status = dump(argv[1]);
  if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status ? 0 : 1;
}
