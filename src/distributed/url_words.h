// The words of bags of links or of both kinds: what the pages of all files say about the URLs of a
// slice.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/run.h"
#include "bags/vocabulary/vocabulary.h"
#include "bags/weights.h"
#include "distributed/page_file.h"
#include "storage/memory_file_system.h"

namespace kith::distributed {

// The counts of URLs on their way to the slice of their content, where copies of a page get what
// links say of each other (bags/copies.h).

// Numbers stems in the order in which they are met.
class StemNumbering {
 public:
  explicit StemNumbering(bags::Slots slots) : slots_(slots) {}

  // Forgets the stems that were met.
  void start();
  // Replaces `numbered` by the same counts with the new numbers, ascending. counts: by slot.
  void number(std::span<const bags::TermCount> counts, std::vector<bags::TermCount>& numbered);
  // By new number the old one.
  std::span<const uint32_t> met() const { return met_; }

 private:
  bags::Slots slots_;
  boost::unordered_flat_map<uint32_t, uint32_t> number_of_;
  std::vector<uint32_t> met_;
};

// Where a URL goes: copies to one slice, what has no content to any.
uint64_t slice_of(const bags::RunRecord& record, uint32_t slices);

// The URLs for one slice.
class UrlRecordWriter {
 public:
  explicit UrlRecordWriter(bags::Slots slots) : numbering_(slots) {}

  void add(const bags::RunRecord& record, std::span<const bags::TermCount> counts);
  // The bytes for UrlRecords::read(), and starts over. stems: by number.
  std::string take(std::span<const std::string_view> stems);

 private:
  StemNumbering numbering_;
  std::vector<bags::TermCount> numbered_;
  std::string records_;
};

// All URLs of a slice.
class UrlRecords {
 public:
  explicit UrlRecords(bags::Slots slots) : slots_(slots) {}

  // Adds those in `bytes`, with the numbers that `stems` gives to their stems. False if the bytes
  // are none.
  bool read(std::string_view bytes, bags::Vocabulary& stems);

  // Puts the counts of links to all copies of a page in the place of its own.
  void share_anchors();
  // Those of pages that have copies, and of how many contents they are.
  uint64_t copies() const { return copies_; }
  uint64_t copied() const { return copied_; }

  // In SURT order, once anchors are shared.
  std::span<const bags::RawBag> bags() const { return bags_; }

 private:
  void share_anchors(std::span<bags::RawBag> copies);

  bags::Slots slots_;
  std::vector<bags::RawBag> bags_;
  uint64_t copies_ = 0;
  uint64_t copied_ = 0;
};

// Of both kinds copies of a page share what links say of them (docs/algorithms/bags.md), which
// comes together in the slice of their content:
//
//   auto said = UrlWords::make(options, fragments_of_slice);
//   while (...) sent = said->next_by_content(4096, slices);
//   auto words = UrlWords::with_copies(options, sent_to_slice);
//   while ((some = words->next(4096))->urls.size() > 0) ...
//
// Not thread-safe. Memory: three times the fragments.
class UrlWords {
 public:
  // fragments: all that PageFile::next_fragments() has for one slice, in any order; they are not
  // used later. folded: the URLs of the slice that were folded into others; what is said again for
  // targets is among the fragments. Which URLs have a bag is options.urls. An error of kind
  // corrupt: bytes of something else.
  static Result<std::unique_ptr<UrlWords>> make(const ClusterOptions& options,
                                                std::span<const std::string_view> fragments,
                                                std::string_view folded = {});
  // urls: all that next_by_content() has for one slice.
  static Result<std::unique_ptr<UrlWords>> with_copies(const ClusterOptions& options,
                                                       std::span<const std::string_view> urls);
  UrlWords(const UrlWords&) = delete;
  UrlWords& operator=(const UrlWords&) = delete;

  // The next URLs, at most `urls`, in the order of their keys, and their words; these have no
  // forms. None at the end.
  Result<FilePages> next(uint64_t urls);
  // The same as bytes for with_copies(), by slice of contents; all are empty at the end. REQUIRES:
  // slices >= 1.
  Result<std::vector<std::string>> next_by_content(uint64_t urls, uint32_t slices);

  // How many of the URLs were fetched, and how many have no bag, since they were only seen in links
  // and not in enough of them.
  uint64_t fetched() const { return fetched_; }
  uint64_t left_out() const { return left_out_; }
  // Of with_copies(): pages that have copies, and how many different contents these have.
  uint64_t copies() const { return copies_; }
  uint64_t copied() const { return copied_; }

 private:
  explicit UrlWords(bags::Slots slots) : slots_(slots) {}
  Status open_run();
  Result<bool> next_record();

  const bags::Slots slots_;
  bags::Vocabulary vocabulary_;
  std::vector<std::string_view> stems_;
  storage::MemoryFileSystem files_;
  std::optional<bags::RunReader> run_;
  uint64_t fetched_ = 0;
  uint64_t left_out_ = 0;
  uint64_t copies_ = 0;
  uint64_t copied_ = 0;
  bags::RunRecord record_;
  std::vector<bags::TermCount> counts_;  // of the record
};

}  // namespace kith::distributed
