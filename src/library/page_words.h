// The way of some pages to their words, for BagSteps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kith/bag_steps.h"

#include "bags/page_digest.h"
#include "bags/run.h"
#include "bags/term_counter.h"
#include "bags/vocabulary/vocabulary.h"
#include "crawl/read/page.h"
#include "run/pages.h"
#include "text/url/url.h"

namespace kith::library {

// To be used once: add some pages, then take(). Not thread-safe.
class PageWordReader {
 public:
  explicit PageWordReader(const BagStepOptions& options);

  // page: no redirect; its URL is canonical, its body cut already.
  void add(const crawl::Page& page);
  // A text as JSON lines have it. Without a text there are no words, whatever the title.
  void add_text(std::string_view text, std::string_view title);

  PageWords take();

 private:
  void count(const crawl::Page& page);
  void end_page();
  void add_forms();

  const uint64_t max_page_;
  text::Url url_;  // of a text that of no page: links are not looked at
  bags::Vocabulary vocabulary_;
  bags::TermReader terms_;
  bags::PageDigester digester_;
  pipeline::PageText page_text_;
  bags::TermCounter counter_;
  std::vector<bags::TermCount> counts_;
  PageWords words_;
};

}  // namespace kith::library
