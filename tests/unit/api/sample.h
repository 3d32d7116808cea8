// The sample of a crawl, for tests that read pages.
#pragma once

#include <string>

#include "kith/options.h"

#include "support/data.h"

namespace kith::test {

inline std::string sample_crawl() {
  return test_data("crawl/sample.warc.gz");
}

inline ReadOptions sample_options() {
  ReadOptions options;
  options.inputs = {sample_crawl()};
  return options;
}

}  // namespace kith::test
