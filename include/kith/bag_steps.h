// The steps that make bags of texts (docs/algorithms/bags.md), for programs that spread texts over
// machines: each step is that of `kith cluster --bags content` on one machine, and takes the texts
// that one machine has at a time. kith.spark is made of them; docs/algorithms/spark.md says how
// they follow each other. Those before them for the files of a crawl are crawl_steps.h.
//
//   const auto steps = kith::BagSteps::make({.min_df = 3});
//   const auto words = steps->words(texts, titles);   // of some of the pages
//   // Where the words of all pages come together: the document frequency of every stem.
//   const auto dictionary = steps->dictionary(std::span(&filled, 1), stems, documents);
//   const auto bags = dictionary->weigh(views, words->offsets, words->terms, words->counts);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// What bags depend on: options of ClusterOptions, with their ranges.
struct BagStepOptions {
  BagKind bags = BagKind::content;  // another kind: of files alone (crawl_steps.h)
  double content_share = 0.5;       // of the content in bags of both kinds, (0, 1)
  Weighting weighting = Weighting::tf_idf;
  uint32_t min_df = 2;          // a word in fewer bags is dropped, >= 1
  double max_df = 0.25;         // a word in a larger share of the bags is dropped, (0, 1]
  uint32_t max_terms = 0;       // words of a bag, those of the largest weights; 0: all
  uint64_t max_page = 8 << 20;  // bytes; longer texts are cut there, [1 KiB, 1 GiB]
  std::string language = {};    // of every text, as a tag or a name; empty: detected for each
  // remove: of files alone, since texts have no site.
  Boilerplate boilerplate = Boilerplate::keep;
  // Of bags of links:
  uint32_t window = 8;  // words on either side of an anchor, [0, 1000]
  LinkScope links = LinkScope::all;
  UrlScope urls = UrlScope::fetched;
  bool aliases = false;  // whether URLs that stand for others are folded into these
};

// Strings side by side.
struct StringList {
  std::string bytes;
  std::vector<uint64_t> offsets = {0};  // string i is bytes[offsets[i], offsets[i + 1])

  size_t size() const { return offsets.size() - 1; }
  // REQUIRES: i < size(). A view of `bytes`.
  std::string_view operator[](size_t i) const {
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(bytes.size());
  }
};

// The words of some pages, stop words left out. Stems have numbers here, from 0, that mean nothing
// elsewhere. In bags of both kinds words of the content and of links are counted apart: 2 * n
// stands for stem n there, and 2 * n + 1 for the same in links.
struct PageWords {
  StringList stems;                 // the different ones, in no particular order
  std::vector<uint32_t> documents;  // by number of a stem: how many of these pages have it
  // Page i has the stems terms[offsets[i], offsets[i + 1]), ascending, each as often as counts say.
  std::vector<uint64_t> offsets = {0};
  std::vector<uint32_t> terms;
  std::vector<uint32_t> counts;
  // The different words that have a stem, as they are written, in lower case; ascending by the
  // number of the stem, then by their bytes.
  StringList forms;
  std::vector<uint32_t> form_stems;   // by form: the number of its stem
  std::vector<uint64_t> form_counts;  // by form: how often it stands in these pages
  uint64_t words = 0;                 // of these pages, stop words included

  size_t pages() const { return offsets.size() - 1; }
};

// The bags of some pages: bag i has terms[offsets[i], offsets[i + 1]), ascending numbers of
// BagDictionary, and their weights, multiples of 2^-16 that add up to 100 exactly. That is a
// BagsView, which Bags::make() takes as it is.
struct PageBags {
  std::vector<uint64_t> offsets = {0};
  std::vector<uint32_t> terms;
  std::vector<double> weights;
  uint64_t rescued = 0;      // bags of frequent words alone, since they have no others
  uint64_t cut_entries = 0;  // that max_terms has left out

  size_t size() const { return offsets.size() - 1; }
};

// The terms of all bags and what they weigh. Immutable, thread-safe. Memory: some 60 bytes a term
// and the bytes of the stems.
class BagDictionary {
 public:
  ~BagDictionary();
  BagDictionary(BagDictionary&&) noexcept;
  BagDictionary& operator=(BagDictionary&&) noexcept;

  // Terms have the numbers below it, by falling document frequency, then by the bytes of the stem.
  uint32_t terms() const;
  // Of these, terms above the upper limit of document frequency: they count only in bags that
  // have no others.
  uint32_t frequent_terms() const;
  // The stem of a term, a view of this object. REQUIRES: term < terms().
  std::string_view stem(uint32_t term) const;
  // The number of a stem; nothing where it is no term.
  std::optional<uint32_t> find(std::string_view stem) const;

  // The bags of some pages, by PageWords of them; the stems may be views of PageWords::stems.
  // A page without a term has an empty bag. Errors of kind usage: arrays that do not fit together,
  // numbers of stems that do not ascend or are of no stem.
  Result<PageBags> weigh(std::span<const std::string_view> stems, std::span<const uint64_t> offsets,
                         std::span<const uint32_t> terms, std::span<const uint32_t> counts) const;

 private:
  friend class BagSteps;
  struct State;
  explicit BagDictionary(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

// Immutable, thread-safe.
class BagSteps {
 public:
  // An error of kind usage for options out of range.
  static Result<BagSteps> make(const BagStepOptions& options = {});
  ~BagSteps();
  BagSteps(BagSteps&&) noexcept;
  BagSteps& operator=(BagSteps&&) noexcept;

  const BagStepOptions& options() const;

  // titles: as many as texts, or none; of a title the first 64 KiB count. A page without a text
  // has no words, whatever its title is: one machine does not read it. Errors of kind usage: a
  // number of titles that is neither; options that remove boilerplate.
  Result<PageWords> words(std::span<const std::string_view> texts,
                          std::span<const std::string_view> titles = {}) const;

  // filled: pages with at least one stem, of all pages. documents[i] of them have stems[i]. Of bags
  // of both kinds there are two numbers of each, as in PageWords: of contents, of links. Stems
  // below the lower limit of document frequency in all parts may be left out; they are no terms.
  // Errors of kind usage: a stem that stands twice, a document frequency above `filled`, one of 0
  // in all parts, more than 2^32 - 1 pages.
  Result<BagDictionary> dictionary(std::span<const uint64_t> filled,
                                   std::span<const std::string_view> stems,
                                   std::span<const uint64_t> documents) const;

  // What URLs are ordered by: the bytes of these keys have the order of the ids of a run, and equal
  // keys are one page to `kith cluster` (docs/algorithms/urls.md). Empty for what is no http(s)
  // URL.
  static StringList url_keys(std::span<const std::string_view> urls);

 private:
  struct State;
  explicit BagSteps(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
