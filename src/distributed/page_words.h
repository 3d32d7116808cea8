// The way of some pages to their words, for BagSteps.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/bag_steps.h"

#include "bags/boilerplate/templates.h"
#include "bags/page_digest.h"
#include "bags/page_fragments.h"
#include "bags/run.h"
#include "bags/term_counter.h"
#include "bags/vocabulary/vocabulary.h"
#include "crawl/read/page.h"
#include "run/pages.h"
#include "text/url/url.h"

namespace kith::distributed {

// Leaves boilerplate out of the words of pages, and counts what. Not thread-safe.
class PageFilter {
 public:
  explicit PageFilter(bags::Templates templates) : tally_(std::move(templates)), filter_(tally_) {}

  // The terms of the text, no_term in the place of boilerplate. A page of nothing else keeps it
  // unless it has a title. Valid until the next call, and as long as `page`.
  std::span<const uint32_t> filter(const bags::PageDigest& page);
  // For those that leave it out by themselves, and add what they count.
  bags::BoilerplateTally& tally() { return tally_; }
  void add(const bags::FragmentCounts& counts);

  // PageFile::boilerplate().
  BoilerplateReport counts() const;

 private:
  bags::BoilerplateTally tally_;
  bags::BoilerplateFilter filter_;
  BoilerplateReport counts_;
};

// Appends the words that a reader has met to the forms of `words`, which has none yet.
void add_forms(const bags::TermReader& terms, PageWords& words);

// To be used once: add some pages, then take(). Not thread-safe.
class PageWordReader {
 public:
  // filter: may be null; it must outlive this object.
  explicit PageWordReader(const BagStepOptions& options, PageFilter* filter = nullptr);

  // page: no redirect; its URL is canonical, its body cut already.
  void add(const crawl::Page& page);
  // A text as JSON lines have it. Without a text there are no words, whatever the title.
  void add_text(std::string_view text, std::string_view title);

  PageWords take();

 private:
  void count(const crawl::Page& page);
  void end_page();

  const uint64_t max_page_;
  PageFilter* filter_;
  text::Url url_;  // of a text that of no page: links are not looked at
  bags::Vocabulary vocabulary_;
  bags::TermReader terms_;
  bags::PageDigester digester_;
  run::PageText page_text_;
  bags::TermCounter counter_;
  std::vector<bags::TermCount> counts_;
  PageWords words_;
};

}  // namespace kith::distributed
