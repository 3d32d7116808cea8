// New pages and classes: where pages belong in a finished run, and which class they have.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Classes of the pages of a run, learnt from some pages whose class is known, within which
// kith::cluster_crawl can make its clusters (docs/algorithms/classify.md).
//
//   kith::ClassifyOptions options;
//   options.run = "my-run";
//   options.labels = "labels.tsv";
//   const auto report = kith::classify_pages(options, [](const kith::ClassifiedPage& page) {
//     ... page.url, page.class_name, page.confidence ...
//     return true;
//   });

struct ClassifyOptions {
  std::string run;        // a finished run directory of kith::cluster_crawl, which stays as it is
  std::string labels;     // a table, a row for each URL and its class (docs/formats/classes.md)
  std::string column;     // that has the class; empty: "class", or "label" where there is none
  double accuracy = 0.9;  // that the pages which get a class should reach, (0, 1]
  uint64_t memory = 0;    // as in ClusterOptions
  unsigned threads = 0;
};

// The first field that is out of range, as an error of kind usage.
Status validate(const ClassifyOptions& options);

// A URL of the run. The views are valid during the call they are handed to.
struct ClassifiedPage {
  std::string_view url;
  std::string_view class_name;  // empty: not sure enough
  // The probability that the class that fits best is the right one, [0, 1], as examples that were
  // held back say; 1 for an example. 0 where the URL has no words.
  double confidence = 0;
};

struct ClassCounts {
  std::string name;
  uint64_t examples = 0;  // URLs of the run that the table gives this class
  uint64_t sure = 0;      // examples, of any class, held back, that were surely of this one
  uint64_t right = 0;     // of these, are
  uint64_t pages = 0;     // URLs of the run that get this class, the examples included
};

struct ClassifyReport {
  uint64_t rows = 0;                      // of the table, with a URL and a class
  uint64_t skipped_rows = 0;              // without a URL or without a class
  uint64_t unknown = 0;                   // rows with a URL that the run does not have
  std::vector<std::string> unknown_urls;  // the first of these, five at most
  uint64_t examples = 0;                  // URLs of the run with a class in the table
  uint64_t without_words = 0;             // of these: nothing can be learnt from them
  uint64_t equal = 0;   // of these, with the bag and the class of another: learnt from once
  uint64_t learnt = 0;  // the others, which are learnt from
  uint64_t right = 0;   // of these, when they were held back, got their class
  uint64_t sure = 0;    // of these, when they were held back, got a class surely
  uint64_t sure_and_right = 0;
  double margin = 0;                 // from which on a class is sure; infinite where none is
  uint64_t urls = 0;                 // of the run
  uint64_t classified = 0;           // of these, get a class
  std::vector<ClassCounts> classes;  // in byte order of their names
};

// Learns the classes of the table from the bags of the run, then calls take(page) for all URLs of
// the run in their order, until it returns false. An example keeps its class. A page gets the class
// that fits best where its margin before the second is one at which the held-back examples reach
// the accuracy. Errors of kind usage: no run, one of shingles, a table that cannot be read or gives
// a URL two classes, fewer than two classes with an example that has words, too little memory. The
// same for any number of threads and any memory. Blocks until done; thread-safe.
Result<ClassifyReport> classify_pages(const ClassifyOptions& options,
                                      const std::function<bool(const ClassifiedPage&)>& take,
                                      const ProgressCallback& progress = {});

// Where new pages belong in a finished run, which stays as it is.

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
// nothing about the words of pages. Without `url_rules` URLs are spelled as in the run. The same
// for any number of threads.
Result<CrawlCounts> route_pages(const RouteOptions& options,
                                const std::function<bool(const RoutedPage&)>& take,
                                const ProgressCallback& progress = {});

}  // namespace kith

#pragma GCC visibility pop
