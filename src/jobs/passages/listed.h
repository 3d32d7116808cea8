// The list of passages: the most frequent ones, with counts by host and language.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "kith/passages.h"
#include "kith/status.h"

#include "base/hash.h"
#include "jobs/dedup/list_writer.h"
#include "jobs/passages/repeated.h"
#include "jobs/passages/runs.h"
#include "jobs/passages/units.h"
#include "storage/external_sort.h"
#include "text/words/language.h"

namespace kith::jobs {

// Finds the passages of the list again in all documents, and counts them. count() is thread-safe
// for different workers.
class PassageList {
 public:
  // Reads the passages where they stand. The arguments outlive the object.
  static Result<std::unique_ptr<PassageList>> create(std::span<const ListedPassage> passages,
                                                     const PassageInput& input,
                                                     const PassageOptions& options,
                                                     const PassageResources& resources);

  // Counts in one document, whose runs of repeated units these are: is called for all of its units
  // in their order. Each passage is known by its first unit.
  class Counter {
   public:
    Counter(PassageList& list, const PassageText& text, std::span<const PassageRun> runs,
            text::Language language, unsigned worker);
    void operator()(const PassageKey& key) {
      const uint64_t own = unit_++;
      while (!runs_.empty() && uint64_t{runs_.front().begin} + runs_.front().units <= own) {
        runs_ = runs_.subspan(1);
      }
      if (!runs_.empty() && own >= runs_.front().begin) count(key);
    }
    const Status& status() const { return status_; }

   private:
    void count(const PassageKey& key);

    PassageList& list_;
    std::span<const PassageRun> runs_;
    const uint64_t host_;
    const uint64_t id_;  // of records
    const unsigned worker_;
    uint64_t unit_ = 0;
    Status status_;
  };

  // Writes the list, once all documents are counted.
  Status write(ListWriter& list);
  static std::vector<RowColumn> columns();

 private:
  struct Entry {
    Key128 first;  // unit
    std::string text;
    std::string example;
  };
  struct Counts;

  PassageList(const PassageInput& input, const PassageResources& resources);
  // An empty one where the passage begins in the text of one before.
  Result<Entry> read(const ListedPassage& passage, PassageUnits& units, std::string& buffer);
  Status write_row(ListWriter& list, uint64_t number, const Entry& entry, const Counts& counts);

  const PassageInput& input_;
  std::vector<Entry> entries_;
  boost::unordered_flat_set<uint64_t> known_;  // units of the texts of passages
  boost::unordered_flat_map<Key128, uint32_t, Key128Hash> numbers_;  // by the first unit
  storage::WideExternalSort places_;  // key: number of the passage, host; id: document, language
};

}  // namespace kith::jobs
