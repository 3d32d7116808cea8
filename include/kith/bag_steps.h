// The steps that make bags of texts (docs/algorithms/bags.md), for programs that spread texts over
// machines: each step is that of `kith cluster --bags content` on one machine, and takes the texts
// that one machine has at a time. kith.spark is made of them; docs/scale.md says how they follow
// each other.
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
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// What bags depend on: options of ClusterOptions, with their ranges.
struct BagStepOptions {
  BagKind bags = BagKind::content;  // another kind: of files alone
  double content_share = 0.5;       // of the content in bags of both kinds, (0, 1)
  Weighting weighting = Weighting::tf_idf;
  uint32_t min_df = 2;          // a word in fewer bags is dropped, >= 1
  double max_df = 0.25;         // a word in a larger share of the bags is dropped, (0, 1]
  uint32_t max_terms = 0;       // words of a bag, those of the largest weights; 0: all
  uint64_t max_page = 8 << 20;  // bytes; longer texts are cut there, [1 KiB, 1 GiB]
  std::string language = {};    // of every text, as a tag or a name; empty: detected for each
  // remove: for the pages of files (PageFile) alone, since texts have no site.
  Boilerplate boilerplate = Boilerplate::keep;
  // Of bags of links:
  uint32_t window = 8;  // words on either side of an anchor, [0, 1000]
  LinkScope links = LinkScope::all;
  UrlScope urls = UrlScope::seen;
  bool aliases =
      false;  // whether URLs that stand for another one are folded into that (UrlAliases)
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

// Pages of a file: the canonical URL of each, and their words.
struct FilePages {
  StringList urls;
  PageWords words;
};

// What some pages of a file say about URLs (docs/algorithms/bags.md, "Anchor-windows").
struct FileFragments {
  uint64_t pages = 0;               // so many, redirects included
  std::vector<std::string> slices;  // by slice of URLs, for UrlWords::make()
  // By slice of URLs, for UrlAliases::of_slice(): with options.aliases.
  std::vector<std::string> aliases;
  PageWords words;  // of no pages: the stems and forms of these
};

// What is known of a file by the others.
struct PageFileOptions {
  // Canonical URLs of which other files have given the pages; they are passed over, and counted as
  // duplicates.
  std::span<const std::string_view> taken = {};
  // Whether next_urls() reads the pages for site_samples(); it takes as long as the words, else a
  // fraction of that.
  bool sample_sites = false;
  // What PageFile::site_templates() has found for this file, of all slices; where steps remove
  // boilerplate.
  std::span<const std::string_view> templates = {};
};

// The templates of the sites of some hosts, by number of the files that have pages of these.
struct SiteTemplates {
  std::vector<uint32_t> files;  // ascending
  StringList templates;         // as many, for PageFileOptions::templates
  uint64_t blocks = 0;          // of the templates, all sites together
};

// A file of a crawl in the place of texts (docs/formats/inputs.md). What one machine does with many
// files is done file by file: of a URL that several files have, the first of these files gives the
// page, and to the others it is one that is taken. Not thread-safe; different files may be read at
// once.
//
//   const auto files = kith::PageFile::list({.inputs = {"crawl"}});
//   // Of each file, on any machine: its URLs, by which the first file of every URL is known.
//   auto file = kith::PageFile::open({.inputs = {path}}, {.sample_sites = true});
//   while ((urls = file->next_urls())->size() > 0) ...
//   const auto samples = file->site_samples(number, slices);
//   // For each slice, of all files: the templates of some hosts (docs/algorithms/boilerplate.md).
//   const auto templates = kith::PageFile::site_templates(samples_of_slice);
//   // Then the words of each file.
//   auto again = kith::PageFile::open({.inputs = {path}}, {.taken = taken, .templates = found});
//   while ((pages = again->next_words(steps, 4096, 8 << 20))->urls.size() > 0) ...
class PageFile {
 public:
  // The files of all inputs, in the order in which one machine reads them. Errors: an option out of
  // range, an input that does not exist, a folder without a file of a crawl.
  static Result<std::vector<std::string>> list(const ReadOptions& options);

  // options.inputs: one file; max_page is that of the steps. Of `given` nothing is used later.
  // Errors: an option out of range, a file that does not exist or has no known format, templates
  // that are none.
  static Result<PageFile> open(const ReadOptions& options, const PageFileOptions& given = {});
  ~PageFile();
  PageFile(PageFile&&) noexcept;
  PageFile& operator=(PageFile&&) noexcept;

  // The canonical URLs of the next pages, the first sound capture of each in this file; none at the
  // end. An error when the file can no longer be read or, with options.strict, a record is damaged;
  // the file is then at its end.
  Result<StringList> next_urls();
  // By slice of hosts, the pages of this file that may be in the sample of a site, once
  // next_urls() has come to the end; they are forgotten here. file: its number among the files, in
  // their order. Empty without sample_sites. REQUIRES: slices >= 1.
  std::vector<std::string> site_samples(uint32_t file, uint32_t slices);
  // samples: what site_samples() of every file has for one slice, in any order. An error of kind
  // corrupt: bytes of something else.
  static Result<SiteTemplates> site_templates(std::span<const std::string_view> samples);

  // The next pages and their words: at least as many, or bodies of so many bytes, and up to some
  // megabytes more; none at the end. Errors: those of next_urls().
  Result<FilePages> next_words(const BagSteps& steps, uint64_t pages, uint64_t bytes);
  // The same of steps for bags of links, or of both kinds: what the next pages say about URLs, in
  // so many slices; of no pages at the end. REQUIRES: slices >= 1.
  Result<FileFragments> next_fragments(const BagSteps& steps, uint64_t pages, uint64_t bytes,
                                       uint32_t slices);

  // What was read and what was passed over so far.
  CrawlCounts counts() const;
  // Pages met so far that name another URL, and redirects: of next_fragments() alone. What is
  // folded is not counted.
  AliasReport aliases() const;
  // What was left out of the words so far: `most` has all hosts that have lost words, and `blocks`
  // is 0.
  BoilerplateReport boilerplate() const;

 private:
  struct State;
  explicit PageFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// URLs that were folded into another one, by slice of URLs.
struct FoldedUrls {
  std::vector<std::string> slices;
  AliasReport report;  // what was folded
};

// URLs that stand for another one (docs/algorithms/aliases.md): what is said of them counts for
// that one.
//
//   // Of every slice of URLs; then all of them together, on one machine.
//   const auto sound = kith::UrlAliases::of_slice(aliases_of_slice);
//   const auto folded = kith::UrlAliases::fold_urls(sound_of_all_slices, slices);
//   // Of every slice: what is said of its aliases, for the slices of their targets.
//   const auto said = kith::UrlAliases::fold(fragments_of_slice, folded->slices[slice], slices);
//   // Of every slice: all that is said.
//   auto words = kith::UrlWords::make(steps, fragments_and_said, folded->slices[slice]);
//
// All errors are of kind corrupt: bytes of something else.
class UrlAliases {
 public:
  // aliases: those of FileFragments for one slice, in any order. The result leaves out redirects of
  // URLs that were fetched.
  static Result<std::string> of_slice(std::span<const std::string_view> aliases);
  // Memory: some 100 bytes and the URL of each alias. REQUIRES: slices >= 1.
  static Result<FoldedUrls> fold_urls(std::span<const std::string_view> of_slices, uint32_t slices);
  // fragments: those of FileFragments for one slice, in any order; folded: of this slice. By slice
  // of targets what is said again, for UrlWords::make(). REQUIRES: slices >= 1.
  static Result<std::vector<std::string>> fold(std::span<const std::string_view> fragments,
                                               std::string_view folded, uint32_t slices);
};

// The words of bags of links or of both kinds: what the pages of all files say about the URLs of a
// slice. Of both kinds copies of a page share what links say of them (docs/algorithms/bags.md),
// which comes together in the slice of their content:
//
//   auto said = kith::UrlWords::make(steps, fragments_of_slice);
//   while (...) const auto sent = said->next_by_content(4096, slices);
//   auto words = kith::UrlWords::with_copies(steps, sent_to_slice);
//   while ((some = words->next(4096))->urls.size() > 0) ...
//
// Not thread-safe. Memory: three times the fragments.
class UrlWords {
 public:
  // fragments: all that PageFile::next_fragments() has for one slice, in any order; they are not
  // used later. folded: the URLs of the slice that were folded into others; what is said again for
  // targets is among the fragments. Which URLs have a bag is steps.options().urls. An error of kind
  // corrupt: bytes of something else.
  static Result<UrlWords> make(const BagSteps& steps, std::span<const std::string_view> fragments,
                               std::string_view folded = {});
  // urls: likewise all that next_by_content() has for one slice.
  static Result<UrlWords> with_copies(const BagSteps& steps,
                                      std::span<const std::string_view> urls);
  ~UrlWords();
  UrlWords(UrlWords&&) noexcept;
  UrlWords& operator=(UrlWords&&) noexcept;

  // The next URLs, so many at the most, in the order of their keys, and their words; these have no
  // forms. None at the end.
  Result<FilePages> next(uint64_t urls);
  // The same as bytes for with_copies(), by slice of contents; all are empty at the end. REQUIRES:
  // slices >= 1.
  Result<std::vector<std::string>> next_by_content(uint64_t urls, uint32_t slices);

  // How many of the URLs were fetched, and how many have no bag, since they were only seen in links
  // and not in enough of them.
  uint64_t fetched() const;
  uint64_t left_out() const;
  // Of with_copies(): pages that have copies, and how many different contents these have.
  uint64_t copies() const;
  uint64_t copied() const;

 private:
  struct State;
  explicit UrlWords(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
