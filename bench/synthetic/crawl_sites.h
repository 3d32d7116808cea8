// The sites of a made crawl: how large they are, what they are called, where their pages stand and
// what these are about. docs/algorithms/synthetic.md has the laws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "synthetic/crawl_words.h"
#include "synthetic/zipf_law.h"

namespace kith::synthetic {

struct CrawlOptions {
  uint64_t pages = 100'000;  // [0, 100 million]
  uint64_t seed = 1;
  double words = 900;  // of a page's text in the mean, [1, 5000]
  double unfetched =
      1;  // pages of a site that are linked but not in the crawl, for one that is; [0, 10]
  double duplicate_share = 0.04;  // of the pages: the bytes of another page of the site
  double near_share = 0.08;       // of the pages: the text of another page with some words changed
  double family_share = 0.03;     // of the sites: all pages have one text but for some words
  double redirect_share = 0.05;   // of the pages: have an old URL that redirects to them
};

// Separates the uses of one seed.
enum CrawlPurpose : uint64_t {
  of_layout = 1,
  of_host,
  of_frame,
  of_subject,
  of_topic_word,
  of_directory,
  of_kind,
  of_source,
  of_text,
  of_change,
  of_links,
  of_old_url,
  of_record,
  of_order,
};

// A key for the draws of one thing.
uint64_t draw_key(uint64_t seed, CrawlPurpose purpose, uint64_t thing);

// A page, fetched or only linked: its place in a site.
struct Place {
  uint32_t site = 0;
  uint32_t number = 0;  // within the site; 0 is the home page, and those of the crawl come first
  friend bool operator==(const Place&, const Place&) = default;
};

// The words that pages of one topic and subtopic have in common.
struct TopicWords {
  static constexpr uint32_t size = 64;
  Spelling words[size];
};

// Everything is a function of the options. Immutable, thread-safe. Memory: some 8 bytes per site,
// of which there is one for 30 pages, 4 per topic, one for 50, and 64 KB.
class CrawlSites {
 public:
  // REQUIRES: validate(options) of crawl_stream.h.
  explicit CrawlSites(const CrawlOptions& options);

  uint32_t sites() const { return static_cast<uint32_t>(begin_.size() - 1); }
  uint32_t pages(uint32_t site) const {
    return static_cast<uint32_t>(begin_[site + 1] - begin_[site]);
  }
  // Pages of the site that may be linked: those of the crawl and the unfetched ones.
  uint32_t linked(uint32_t site) const;
  uint64_t page(Place place) const { return begin_[place.site] + place.number; }
  // REQUIRES: page < options.pages.
  Place place(uint64_t page) const;

  // `https://HOST`.
  void add_origin(uint32_t site, std::string& url) const;
  // The path of a page, from '/' on, or that of its old URL, which redirects to the page.
  void add_path(Place place, std::string& url) const;
  void add_old_path(Place place, std::string& url) const;

  // These write, and return what is behind. REQUIRES: room for max_path bytes, for 16 bytes per
  // word.
  static constexpr size_t max_path = 64;
  char* write_path(Place place, char* to) const;
  char* write_old_path(Place place, char* to) const;
  // Some words of the page's topic, each with a blank behind it, as `bits` draw them.
  char* write_topic_words(Place place, uint32_t count, uint64_t bits, char* to) const;

  // All words of the page's topic; the first ones are frequent.
  TopicWords topic_words(Place place) const;

  bool has_old_url(Place place) const;

 private:
  struct Subject {
    uint64_t topic_key;     // of the words of the topic
    uint64_t subtopic_key;  // of those of the subtopic
  };
  Subject subject(Place place) const;
  Spelling directory(Place place) const;
  Spelling word_of(const Subject& subject, uint32_t i) const;

  CrawlOptions options_;
  ZipfLaw topics_;
  ZipfLaw content_words_;
  std::vector<uint32_t> subtopics_;  // of every topic
  std::vector<uint64_t> begin_;      // the first page of every site, and the number of pages
};

}  // namespace kith::synthetic
