// A model of a crawl's bags: sites, topics of Zipf sizes with subtopics, words by Zipf's law,
// families of template pages, exact copies. The distributions with their formulas and what they
// give are docs/algorithms/synthetic.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/run.h"
#include "base/random.h"
#include "synthetic/word_counter.h"
#include "synthetic/zipf_law.h"

namespace kith::synthetic {

struct ModelOptions {
  uint64_t urls = 100'000;  // [0, 50 million]
  uint64_t seed = 1;
  uint32_t topics = 0;       // 0: one for 50 URLs; at most 10 million
  uint32_t vocabulary = 0;   // words; 0: 200 sqrt(urls), at least 5000; in [1000, 50 million]
  double words = 34;         // mean of a bag's words before --min-df and --max-df, [1, 100]
  double topic_share = 0.6;  // of a bag's words: from its topic on average, the others general
  // How much pages differ in it: their shares are uniform in (1 - spread) to (1 + spread) times
  // topic_share, [0, 1].
  double topic_spread = 0.6;
  double shared_share = 0.15;  // of a page's topic words: not of its subtopic alone
  // Topics stand in a tree: so many groups at the top, so many in each of these, and so on, while
  // there are more topics than groups. The words that subtopics share are those of their topic and
  // of each of its groups, all alike. [2, 1000], or 0: no groups.
  uint32_t topic_fan_out = 0;
  double family_share = 0.1;  // of the URLs: pages made of a template of their site
  double copy_share = 0.05;   // of the URLs: the bag of an earlier URL
  double one_word_share = 0.01;
  double empty_share = 0.02;
};

// The first field that is out of range, as an error of kind usage; a share is in [0, 1], and
// those of the URLs add up to 1 at most.
Status validate(const ModelOptions& options);

// The options in one line, with the defaults filled in: what a collection is a function of.
std::string describe(const ModelOptions& options);

enum class PageKind : uint8_t { plain, family, one_word, empty };

// What a URL is: the truth that clusters can be compared with.
struct Page {
  static constexpr uint32_t no_family = UINT32_MAX;

  PageKind kind = PageKind::plain;
  uint32_t id = 0;
  uint32_t source = 0;  // the URL whose bag this one has: its own unless it is a copy
  uint32_t site = 0;    // its own; what follows is of the source
  uint32_t topic = 0;
  uint32_t subtopic = 0;  // within the topic
  uint32_t family_site = 0;
  uint32_t family = no_family;  // number within family_site
  bool fetched = false;         // its own, as the links are
  uint32_t inlinks = 0;
};

// Everything is a function of the options and the URL's number alone, so any URL can be asked
// for, in any order. Memory: 100 KB and 4 bytes per site. Not thread-safe: words() has a buffer.
class Model {
 public:
  // REQUIRES: validate(options).
  explicit Model(const ModelOptions& options);

  uint32_t urls() const { return static_cast<uint32_t>(options_.urls); }
  uint32_t vocabulary() const { return general_.size(); }
  uint32_t topics() const { return topics_.size(); }

  // REQUIRES: id < urls().
  Page page(uint32_t id) const;

  // The canonical URL; SURT order is the order of ids.
  void url(const Page& page, std::string& url) const;

  // The number of groups of each level, the top first: topic t is in group t mod that number.
  std::span<const uint32_t> groups() const { return groups_; }

  // The words with their counts: term ids below vocabulary(), ascending, each once. A low id is
  // a frequent word.
  void words(const Page& page, std::vector<bags::TermCount>& words);

 private:
  struct Subject {
    uint32_t topic;
    uint32_t subtopic;
  };

  void lay_out_sites();
  uint32_t site_of(uint32_t id) const;
  Subject subject(uint64_t topic_bits, double place) const;
  size_t draw_length(Rng& rng) const;
  uint32_t topic_word(const Page& page, Rng& rng) const;
  uint64_t owner_of_shared_word(const Page& page, Rng& rng) const;
  uint32_t content_word(uint64_t key) const;
  void add_template(const Page& page, Rng& rng);
  void add_text(const Page& page, size_t words, Rng& rng);

  ModelOptions options_;
  uint64_t key_;  // of the seed
  ZipfLaw general_;
  ZipfLaw content_;
  ZipfLaw topics_;
  std::vector<uint32_t> groups_;      // of topics, by level
  std::vector<uint32_t> site_begin_;  // and the number of URLs at the end
  WordCounter counter_;
};

// The word of a term id: pronounceable, lower-case, different for different ids.
void spell(uint32_t term, std::string& word);

}  // namespace kith::synthetic
