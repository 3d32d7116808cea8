// The topics stage alone, on the bags and neighbours of a run: what it is charged, how long it
// takes and how much is resident.
//
//     bench_topic_stage RUN GRAPH MEMORY THREADS [NEIGHBOURS]
//
// GRAPH is full, mutual or clusters; MEMORY is in MiB, for the whole program. NEIGHBOURS is a file
// in the place of RUN/neighbours.kith. The tree is written to topics.kith in the current folder.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/resource.h>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/tables.h"
#include "base/parallel/thread_pool.h"
#include "jobs/cluster/cluster_stage.h"
#include "run/index_files.h"
#include "run/memory_budget.h"
#include "similar/duplicates.h"
#include "storage/file_system.h"

namespace {

using kith::TopicGraph;

constexpr double mebibyte = 1 << 20;
constexpr uint32_t list_length = 20;
constexpr uint32_t min_words = 5;

struct Arguments {
  std::string run;
  std::string neighbours;
  TopicGraph graph = TopicGraph::full;
  uint64_t memory = 0;
  unsigned threads = 1;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

double resident_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Clusters of one URL among them.
uint64_t count_clusters(const kith::run::Clusters& clusters) {
  uint64_t count = 0;
  const auto centers = clusters.arrays().center;
  for (uint32_t id = 0; id < centers.size(); ++id) {
    count += centers[id] == id || centers[id] >= centers.size();
  }
  return count;
}

// No clusters do where the graph is not one of clusters.
kith::Result<kith::run::Clusters> open_clusters(const Arguments& given) {
  if (given.graph != TopicGraph::clusters) return kith::run::Clusters();
  return kith::run::Clusters::open(kith::storage::posix_file_system(),
                                   given.run + "/clusters.kith");
}

// As `kith cluster` does: bags that are small stay, and take of the memory. Returns what is left.
uint64_t keep_what_fits(kith::bags::BagTable& bags, uint64_t memory) {
  const uint64_t row = uint64_t{kith::ClusterOptions{}.lanes} * sizeof(uint16_t);
  const uint64_t bytes = bags.bags().entries().size_bytes() + bags.bags().size() * row;
  if (!kith::run::may_stay(bytes, memory)) return memory;
  bags.stay();
  return memory - bytes;
}

kith::Status measure(const Arguments& given) {
  kith::storage::FileSystem& fs = kith::storage::posix_file_system();
  KITH_ASSIGN(auto bags, kith::bags::BagTable::open(fs, given.run + "/bags.kith"));
  KITH_ASSIGN(const auto urls, kith::bags::UrlTable::open(fs, given.run + "/urls.kith"));
  KITH_ASSIGN(const auto terms, kith::bags::TermTable::open(fs, given.run + "/terms.kith"));
  KITH_ASSIGN(const auto lists, kith::run::Neighbours::open(fs, given.neighbours));
  KITH_ASSIGN(const auto clusters, open_clusters(given));
  const uint64_t memory = keep_what_fits(bags, given.memory);
  kith::ThreadPool pool(given.threads);
  const auto groups = kith::similar::find_duplicates(bags.bags(), pool);
  const kith::jobs::TopicStageInputs inputs{
      .bags = bags.bags(),
      .groups = groups,
      .urls = urls,
      .terms = terms,
      .list_length = list_length,
      .size = kith::jobs::measure_topics(lists, bags.bags(), groups, min_words),
      .memory = memory,
      .min_words = min_words,
      .graph = given.graph,
      .clusters = count_clusters(clusters)};
  const uint64_t charged = kith::jobs::topic_memory(inputs, given.graph, pool.size());
  const double before = resident_mebibytes();
  std::printf("charged %.0f of %.0f MiB; %.0f MiB resident before\n",
              static_cast<double>(charged) / mebibyte, static_cast<double>(given.memory) / mebibyte,
              before);
  std::fflush(stdout);
  const auto begin = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  KITH_ASSIGN(const auto counts,
              kith::jobs::write_topic_tree(fs, "topics.kith", lists, clusters, inputs, pool));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf(
      "%zu topics in %zu levels of %zu pages, %zu edges: %.1f s, %.1f s of processor time, "
      "%.0f MiB resident at most\n",
      size_t{counts.topics}, counts.levels.size(), size_t{counts.pages}, size_t{counts.edges},
      took.count(), cpu_seconds() - cpu, resident_mebibytes());
  return kith::Status::ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) {
    std::fprintf(stderr,
                 "bench_topic_stage RUN full|mutual|clusters MEMORY THREADS [NEIGHBOURS]\n");
    return 2;
  }
  const std::string run = argv[1];
  const std::string graph = argv[2];
  const Arguments given{.run = run,
                        .neighbours = argc == 6 ? argv[5] : run + "/neighbours.kith",
                        .graph = graph == "mutual"     ? TopicGraph::mutual
                                 : graph == "clusters" ? TopicGraph::clusters
                                                       : TopicGraph::full,
                        .memory = std::strtoull(argv[3], nullptr, 10) << 20,
                        .threads = static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10))};
  const kith::Status status = measure(given);
  if (!status) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 1;
  }
  return 0;
}
