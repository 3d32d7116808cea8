// A run of bags that were made on many machines: `kith cluster FOLDER -o RUN` makes related pages,
// clusters and topics of it (docs/formats/run_directory.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/tables.h"
#include "jobs/cluster/run_directory.h"
#include "sketch/bag.h"

namespace kith::distributed {

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
