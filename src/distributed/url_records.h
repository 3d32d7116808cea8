// The counts of URLs on their way to the slice of their content, where copies of a page get what
// links say of each other (bags/copies.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bags/run.h"
#include "bags/vocabulary/vocabulary.h"
#include "bags/weights.h"

namespace kith::distributed {

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

}  // namespace kith::distributed
