// The pages of a made crawl: the HTML of any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "synthetic/crawl_sites.h"
#include "synthetic/crawl_words.h"

namespace kith::synthetic {

// What a page shows. Its text and the links in it are those of `source`, with a share of the words
// changed where `change` is not 0; the frame around them is that of `frame`.
struct PageContent {
  Place frame;
  Place source;
  double change = 0;  // of the words
  uint64_t change_key = 0;
};

// Makes HTML, page by page. Not thread-safe: it remembers the frames of sites it has met, 20 MB of
// them at most. What it makes is a function of the options and the page alone.
class PageWriter {
 public:
  explicit PageWriter(const CrawlOptions& options);

  const CrawlSites& sites() const { return sites_; }

  // What the page shows: of itself, or of the page that it is a duplicate or a near-duplicate of.
  PageContent content(Place place) const;

  // The HTML of the page, until the next call. REQUIRES: place is of a page of the crawl.
  std::string_view html(Place place);
  // The links in it, <a href> each.
  uint32_t links() const { return links_; }

 private:
  // What all pages of a site have in common.
  struct Frame {
    uint32_t site = UINT32_MAX;
    uint32_t links = 0;
    std::string_view script;  // of scripts_, before the title
    std::string header;       // from behind the title to the text
    std::string footer;       // behind the text
  };

  const Frame& frame(uint32_t site);
  Frame make_frame(uint32_t site) const;
  std::string make_scripts() const;
  void add_list(uint32_t site, uint32_t count, bool is_menu, Rng& rng, std::string& out) const;
  size_t draw_words(Rng& rng) const;
  Place draw_target(Place from, Rng& rng) const;
  void write_text(const PageContent& content, const TopicWords& topic);
  void write_words(size_t count, const TopicWords& topic, Rng& text);
  void write_link(const PageContent& content, Place target, Rng& rng);
  void write_list(const PageContent& content, Rng& rng);
  void write(std::string_view text);

  CrawlOptions options_;
  CrawlWords words_;
  CrawlSites sites_;
  std::string scripts_;        // lines of which every site has a part
  std::vector<Frame> frames_;  // by site modulo their number
  std::vector<char> page_;     // the page that is being made, with room for the largest one
  char* to_ = nullptr;         // its end
  uint32_t links_ = 0;
  uint64_t change_below_ = 0;  // of the page that is being made: draws below it are changes
  Rng change_{0};
};

}  // namespace kith::synthetic
