// Bags that are made on many machines: the terms of all, by which each machine makes the bags of
// its pages, and a run of these bags.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/merge.h"
#include "bags/tables.h"
#include "bags/vocabulary/dictionary.h"
#include "bags/vocabulary/vocabulary.h"
#include "bags/weights.h"
#include "distributed/page_words.h"
#include "jobs/cluster/run_directory.h"
#include "sketch/bag.h"

namespace kith::distributed {

// The bags of some pages: bag i has entries[offsets[i], offsets[i + 1]): packed() terms, ascending,
// and their weights in units of 2^-16, which add up to 100.
struct PageBags {
  std::vector<uint64_t> offsets = {0};
  std::vector<uint64_t> entries;
};

// The terms of all bags and what they weigh. Immutable, thread-safe. Memory: some 60 bytes a term
// and the bytes of the stems.
class BagDictionary {
 public:
  // filled: pages with at least one stem, of all pages; of bags of both kinds those with one in the
  // content, and those with one in links. documents: of each stem how many of them have it, as
  // many numbers; one of these is not 0. Stems are different. Those below the lower
  // limit of document frequency in all parts may be left out; they are no terms. An error of kind
  // usage: more than 2^32 - 1 pages.
  static Result<std::unique_ptr<BagDictionary>> make(const ClusterOptions& options,
                                                     std::span<const uint64_t> filled,
                                                     std::span<const std::string_view> stems,
                                                     std::span<const uint64_t> documents);
  BagDictionary(const BagDictionary&) = delete;
  BagDictionary& operator=(const BagDictionary&) = delete;

  // Terms have the numbers below it, by falling document frequency, then by the bytes of the stem.
  uint32_t terms() const { return static_cast<uint32_t>(dictionary_.terms()); }
  // Of these, terms above the upper limit of document frequency: they count only in bags that
  // have no others.
  uint32_t frequent_terms() const { return dictionary_.frequent; }
  // The number of a stem; nothing where it is no term.
  std::optional<uint32_t> find(std::string_view stem) const;

  // The bags of some pages, by PageWords of them; the stems may be views of PageWords::stems.
  // A page without a term has an empty bag. An error of kind corrupt: arrays that do not fit
  // together.
  Result<PageBags> weigh(std::span<const std::string_view> stems, std::span<const uint64_t> offsets,
                         std::span<const uint64_t> entries) const;

 private:
  BagDictionary() = default;
  uint32_t id_of(std::string_view stem) const;

  StringList stems_;  // as they were given: their numbers are the provisional ids of dictionary_
  boost::unordered_flat_map<std::string_view, uint32_t, bags::StringHash> ids_;
  bags::Dictionary dictionary_;
  bags::WeightOptions weights_;
};

// `kith cluster FOLDER -o RUN` makes related pages, clusters and topics of a run of bags
// (docs/formats/run_directory.md).

// Not thread-safe. Memory: 21 bytes a URL. What is not finished is removed with this object.
class BagRunWriter {
 public:
  // Of options the run keeps what bags are. Of each term, by its number, the stem, the form of it
  // that people are shown, and how many bags (in those of both kinds contents) have it. Errors: the
  // folder exists and has something in it.
  static Result<std::unique_ptr<BagRunWriter>> create(const std::string& directory,
                                                      const ClusterOptions& options,
                                                      std::span<const std::string_view> stems,
                                                      std::span<const std::string_view> forms,
                                                      std::span<const uint64_t> documents);
  ~BagRunWriter();
  BagRunWriter(const BagRunWriter&) = delete;
  BagRunWriter& operator=(const BagRunWriter&) = delete;

  // More pages: their keys, as by url_keys(), which ascend by their bytes, and their bags, which
  // are entries[offsets[i], offsets[i + 1]) as in PageBags. Errors of kind usage name a key that
  // does not ascend, that is empty, or whose bag is none or has other terms.
  Status add(std::span<const std::string_view> keys, std::span<const uint64_t> offsets,
             std::span<const uint64_t> entries);
  // To be called once, after the last page. The folder is complete then.
  Status finish();

 private:
  BagRunWriter(jobs::RunDirectory directory, uint64_t terms)
      : run_(std::move(directory)), terms_(terms) {}
  Status add_page(std::string_view key, std::span<const uint64_t> entries);

  jobs::RunDirectory run_;
  const uint64_t terms_;
  std::unique_ptr<bags::TablesWriter> tables_;
  std::vector<sketch::BagEntry> bag_;  // the one that is added
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool is_finished_ = false;
};

}  // namespace kith::distributed
