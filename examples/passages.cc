// What stands in several pages, and what they lose without it. Arguments: pages, a folder to make.
#include <cstdio>

#include <kith/passages.h>

#include "example.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  kith::PassageOptions options;
  options.inputs = {argv[1]};
  options.output = argv[2];
  options.min_tokens = 12;
  const kith::PassageReport report = value_of(kith::find_passages(options));
  const kith::PassageCounts& counts = report.passages;
  std::printf("%llu of %llu documents lose %llu of %llu bytes\n",
              static_cast<unsigned long long>(counts.changed),
              static_cast<unsigned long long>(counts.documents),
              static_cast<unsigned long long>(counts.lost_bytes),
              static_cast<unsigned long long>(counts.text_bytes));
}
