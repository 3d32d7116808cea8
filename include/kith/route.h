// Where new pages belong in a finished run, which stays as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

struct RouteOptions : ReadOptions {
  std::string run;       // a finished run directory with topics
  unsigned threads = 0;  // as in ClusterOptions
};

// A page that was routed. The views are valid during the call they are handed to.
struct RoutedPage {
  std::string_view url;    // canonical
  std::string_view topic;  // the path of its leaf (topics.h); empty where it has no word of the run
  double fit = 0;          // cosine of its bag with the direction of the leaf, [-1, 1]
  uint64_t cluster = 0;    // number of the cluster with the most similar center, from 0
  std::string_view center;  // its URL; empty where no center has a common word with the page
  double similarity = 0;    // of the page with the center, exact, [0, 1]
};

// Calls take(page) for every page of the inputs, in their order, until it returns false; then what
// was read and what was passed over. The bag of a page is made of its title and its words by the
// dictionary and the weights of the run; what is boilerplate on its site is not known of a single
// page, and counts. Errors of kind usage: a run without topics, or one of anchor bags, which say
// nothing about the words of pages. The same for any number of threads.
Result<CrawlCounts> route_pages(const RouteOptions& options,
                                const std::function<bool(const RoutedPage&)>& take,
                                const ProgressCallback& progress = {});

}  // namespace kith

#pragma GCC visibility pop
