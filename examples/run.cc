// A whole run, and what it found: run INPUT DIRECTORY
#include <kith/pipeline.h>
#include <kith/run.h>

#include "example.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  kith::ClusterOptions options;
  options.inputs = {argv[1]};
  options.output = argv[2];
  value_of(kith::cluster_crawl(options));
  const kith::Run run = value_of(kith::Run::open(argv[2]));
  const kith::Cluster largest = value_of(run.cluster(0));
  std::printf("%llu clusters; the largest has %zu pages\n",
              static_cast<unsigned long long>(run.clusters()), largest.members.size());
}
