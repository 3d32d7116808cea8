// How much the first two levels of the tree of topics depend on the resolution of modularity.
//
//     bench_topic_resolution RUN...    of runs with neighbours
//
// Prints, for every resolution, the topics of each level and their ARI with those of the default.
#include <cstdio>
#include <string>
#include <vector>

#include "bags/tables.h"
#include "base/parallel/thread_pool.h"
#include "evaluate/agreement.h"
#include "run/index_files.h"
#include "similar/duplicates.h"
#include "storage/file_system.h"
#include "topics/neighbour_graph.h"
#include "topics/tree.h"

namespace {

using kith::topics::Tree;

// By node: its topic of this depth, or the leaf above it. Counts those topics.
std::vector<uint32_t> cut(const Tree& tree, uint32_t depth, size_t& topics) {
  std::vector<uint32_t> found(tree.nodes.size());
  topics = 0;
  for (uint32_t t = 0; t < tree.topics.size(); ++t) {
    const kith::topics::Topic& topic = tree.topics[t];
    if (topic.depth != depth && (topic.depth > depth || topic.children > 0)) continue;
    ++topics;
    for (uint64_t i = topic.begin; i < topic.end; ++i) found[tree.nodes[i]] = t;
  }
  return found;
}

kith::Status measure(const std::string& run) {
  kith::storage::FileSystem& fs = kith::storage::posix_file_system();
  KITH_ASSIGN(const auto bags, kith::bags::BagTable::open(fs, run + "/bags.kith"));
  KITH_ASSIGN(const auto terms, kith::bags::TermTable::open(fs, run + "/terms.kith"));
  KITH_ASSIGN(const auto lists, kith::run::Neighbours::open(fs, run + "/neighbours.kith"));
  kith::ThreadPool pool(1);
  const auto groups = kith::similar::find_duplicates(bags.bags(), pool);
  const auto nodes = kith::topics::make_nodes(bags.bags(), groups);
  const std::vector<bool> words(terms.size(), false);
  const std::vector<uint32_t> hosts(bags.bags().size(), 0);
  const kith::topics::TreeInputs inputs{bags.bags(), nodes, terms.size(), words,
                                        hosts,       {},    {},           UINT64_MAX};
  const auto make = [&](const kith::topics::TreeOptions& options) {
    return make_tree(inputs, {kith::topics::make_neighbour_graph(lists, nodes, pool)}, options,
                     pool);
  };
  const Tree usual = make({});
  for (const double resolution : {1.0, 2.0, 4.0, 8.0}) {
    kith::topics::TreeOptions options;
    options.resolution = resolution;
    const Tree tree = make(options);
    std::printf("%s: gamma %g", run.c_str(), resolution);
    for (const uint32_t depth : {1u, 2u}) {
      size_t topics = 0;
      size_t usual_topics = 0;
      const auto found = cut(tree, depth, topics);
      const auto expected = cut(usual, depth, usual_topics);
      std::printf(", level %u: %zu topics, ARI %.3f", depth, topics,
                  kith::evaluate::measure_agreement(found, expected).ari);
    }
    std::printf("\n");
  }
  return kith::Status::ok();
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const kith::Status status = measure(argv[i]);
    if (!status) {
      std::fprintf(stderr, "%s\n", status.error().message.c_str());
      return 1;
    }
  }
  return 0;
}
