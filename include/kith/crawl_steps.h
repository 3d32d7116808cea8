// The steps that bring the files of a crawl to bags where each machine reads some of them: pages
// with the templates of their sites left out, words around links by the URL that they point to,
// aliases, copies. Each step is that of `kith cluster` on one machine; what goes from one machine
// to another is bytes. Those after them are bag_steps.h; kith.spark is made of both
// (docs/algorithms/spark.md).
//
//   const auto files = kith::PageFile::list({.inputs = {"crawl"}});
//   // Of each file, on any machine: its URLs, by which the first file of every URL is known.
//   auto file = kith::PageFile::open({.inputs = {path}}, {.sample_sites = true});
//   while ((urls = file->next_urls())->size() > 0) ...
//   const auto samples = file->site_samples(number, slices);
//   // For each slice of hosts, of all files: templates (docs/algorithms/boilerplate.md).
//   const auto templates = kith::PageFile::site_templates(samples_of_slice);
//   // Then the words of each file,
//   auto again = kith::PageFile::open({.inputs = {path}}, {.taken = taken, .templates = found});
//   while ((pages = again->next_words(steps, 4096, 8 << 20))->urls.size() > 0) ...
//   // or what it says about URLs, and for each slice of URLs what all files say.
//   while ((said = again->next_fragments(steps, 4096, 64 << 20, slices))->pages > 0) ...
//   auto words = kith::UrlWords::make(steps, fragments_of_slice);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/bag_steps.h"
#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

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
  // Whether next_urls() keeps what site_samples() gives: it then reads the pages, not their URLs
  // alone.
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
//   const auto folded = kith::UrlAliases::fold_urls(sound_of_all_slices, others, slices);
//   // Of every slice: what is said of its aliases, for the slices of their targets.
//   const auto said = kith::UrlAliases::fold(fragments_of_slice, folded->slices[slice], slices);
//   // Of every slice, where there are words of pages: the aliases that say something else than
//   // their targets. Where a slice has some, they are added to `others`, and all is folded again.
//   const auto more = kith::UrlAliases::others(fragments_of_slice, said_for_slice);
//   // Of every slice: all that is said.
//   auto words = kith::UrlWords::make(steps, fragments_and_said, folded->slices[slice]);
//
// All errors are of kind corrupt: bytes of something else.
class UrlAliases {
 public:
  // aliases: those of FileFragments for one slice, in any order. The result leaves out redirects of
  // URLs that were fetched.
  static Result<std::string> of_slice(std::span<const std::string_view> aliases);
  // others: of others(), not to be folded. Memory: some 100 bytes and the URL of each alias.
  // REQUIRES: slices >= 1.
  static Result<FoldedUrls> fold_urls(std::span<const std::string_view> of_slices,
                                      std::span<const std::string_view> others, uint32_t slices);
  // fragments: those of FileFragments for one slice, in any order; folded: of this slice. By slice
  // of targets what is said again, for UrlWords::make(). REQUIRES: slices >= 1.
  static Result<std::vector<std::string>> fold(std::span<const std::string_view> fragments,
                                               std::string_view folded, uint32_t slices);
  // fragments: as for fold(); said: what fold() has made of the aliases of all slices for this one,
  // in any order. The aliases that are not to be folded into the URLs of the slice.
  static Result<std::string> others(std::span<const std::string_view> fragments,
                                    std::span<const std::string_view> said);
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
