// The join of the paper: the buckets of its rounds, the rows that large ones are divided by, and
// the lists and clusters that its pairs give.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "jobs/paper/signature_file.h"
#include "run/index_files.h"
#include "similar/neighbour.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/bucket_split.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The one-byte signatures of the paper as rows that large buckets are divided by.

// Views of the low bytes where they lie on the disk. The values are bytes, so two of 256 different
// ones are equal by chance.
class PaperRows final : public similar::SignatureRows {
 public:
  // The signatures outlive the rows.
  static Result<std::unique_ptr<PaperRows>> open(storage::FileSystem& fs,
                                                 const PaperSignatureFile& signatures);

  size_t size() const override { return signatures_.size(); }
  uint32_t lanes() const override { return paper_lanes; }
  uint32_t id(size_t row) const override { return signatures_.id(row); }
  uint16_t value(size_t row, uint32_t lane) const override;
  std::span<const uint16_t> values(size_t row, std::span<uint16_t> buffer) const override;
  std::span<const uint16_t> read(size_t row, std::span<uint16_t> buffer) const override;
  void prefetch(size_t) const override {}
  void release(size_t begin, size_t end) const override;

 private:
  PaperRows(const PaperSignatureFile& signatures, std::unique_ptr<storage::MappedFile> file)
      : signatures_(signatures), file_(std::move(file)) {}
  Bytes row_bytes(size_t row) const;

  const PaperSignatureFile& signatures_;
  std::unique_ptr<storage::MappedFile> file_;
};

// The pairs of a round of `kith paper`, bucket by bucket (the paper, section 3.3), where large
// buckets are not compared whole: docs/algorithms/paper.md, "Departures".

// Buckets within the minimum bound are enumerated as they come. The others wait until all sizes,
// and so the bound of the round (raised_bound()), are known; those that are over it are divided by
// BucketSplits, and the pairs of each part are enumerated. Not thread-safe.
class PaperBuckets {
 public:
  // The pairs go to the filter. The arguments outlive the object. largest: the minimum bound, at
  // least 2.
  PaperBuckets(storage::FileSystem& fs, const PaperSignatureFile& signatures,
               const sketch::Tables& tables, size_t largest, PaperFilter& filter);

  // Takes the sorted keys of a round, once. Memory: 8 bytes for each row of a bucket over the
  // minimum bound, until the end of the round.
  Status add(storage::SortedRecords& keys);
  // Gives the pairs of the buckets that wait. Memory: 50 bytes for each row of the largest of them
  // that is divided.
  Status end_round(uint32_t round);

  // Of all rounds so far.
  const similar::SplitStats& splits() const { return splits_; }

 private:
  Status end_bucket(uint64_t key);
  Status divide(uint32_t round, size_t bound);
  Status add_pairs(std::span<const uint32_t> rows);

  storage::FileSystem& fs_;
  const PaperSignatureFile& signatures_;
  const sketch::Tables& tables_;
  const size_t largest_;
  PaperFilter& filter_;
  std::vector<uint32_t> bucket_;             // rows of the key at hand
  similar::BucketSizes sizes_;               // of the round
  std::vector<similar::LargeBucket> large_;  // that wait
  similar::SplitStats splits_;
};

// The pairs as the paper finds them (section 3.3): l = 125 rounds, in each of which (key, URL) is
// sorted by a key of k = 3 minima and all pairs with the same key are filtered, but for buckets too
// large for that; then the pairs that survived are sorted, which brings repeats together.
// docs/algorithms/paper.md has the steps.
inline constexpr uint32_t paper_tables = 125;  // l

// The lanes of the keys.
inline sketch::TableParams paper_table_params(uint64_t seed) {
  return {.lanes = paper_lanes,
          .per_key = paper_per_key,
          .tables = paper_tables,
          .seed = seed,
          .subsets = sketch::Subsets::random};
}

struct PaperJoinOptions {
  std::string scratch;                  // prefix of all files, which are gone in the end
  Budget memory = uint64_t{256} << 20;  // of all buffers and one-byte signatures
  size_t block = size_t{256} << 10;     // bytes: see storage::ExternalSortOptions
  uint64_t seed = 1;                    // of the choice of lanes
  // The least bound of a bucket (bucket_scan.h raises it), at least 2.
  uint32_t largest_bucket = similar::largest_bucket;
};

// What a join has counted, and how long its parts took.
struct PaperJoinReport {
  // passed: survivors. candidates and similar: by verify_survivors().
  PairCounts counts = {.blocks = 1};
  double pair_seconds = 0;  // extracting and sorting keys, enumerating pairs
  double filter_seconds = 0;
  double sort_seconds = 0;  // sorting survivors, as far as it is done before they are read
};

// Gives the survivors sorted: key = row_a << 32 | row_b with row_a < row_b, id = the number of
// equal one-byte values. A pair comes as often as it has met. The same for any memory and
// threads. `progress`, if any, is called with the share of the rounds that are done.
Result<storage::SortedRecords> paper_join(storage::FileSystem& fs,
                                          const PaperSignatureFile& signatures,
                                          const PaperJoinOptions& options, ThreadPool& pool,
                                          PaperJoinReport& report,
                                          const std::function<void(double share)>& progress = {});

// Receives similar pairs, in the order of (a, b). An error ends the verification.
using VerifiedSink = std::function<Status(std::span<const similar::Pair> pairs)>;

// What the paper leaves out: the exact sum of minima decides. Takes every pair of `survivors`
// once and gives those with sum >= min_sum, by ids, to the sink; both are counted in the report.
// `memory`: bytes of bags that may be in memory.
Status verify_survivors(storage::SortedRecords& survivors, const PaperSignatureFile& signatures,
                        const sketch::BagCollection& bags, uint32_t min_sum, uint64_t memory,
                        ThreadPool& pool, PaperJoinReport& report, const VerifiedSink& sink);

// pairs.kith: all verified pairs of a run by the paper, as one list for every URL
// (docs/formats/index_stage.md).

// Writes both directions of all pairs, sorted by (left, right) and with the sum of minima as their
// id, as the lists of n URLs.
Status write_pair_lists(storage::FileSystem& fs, const std::string& path, size_t n,
                        storage::SortedRecords& directions);

// An error of kind corrupt when the file is damaged or not of n URLs.
Result<run::Neighbours> open_pair_lists(storage::FileSystem& fs, const std::string& path, size_t n);

// Reads lists, and gives them back when some megabytes of them are in memory. Thread-safe.
class ResidentLists {
 public:
  // The lists outlive the object.
  explicit ResidentLists(const run::Neighbours& lists) : lists_(lists) {}
  // The list of the group of an id, which stands with that of its representative: mostly the list
  // behind the one before, or else far away, and then others around it are mapped with it. A view
  // for as long as the lists.
  std::span<const similar::Neighbour> of(uint32_t id, uint32_t representative) {
    const auto list = lists_[representative];
    touch(list.size_bytes() + (id == representative ? 0 : around));
    return list;
  }

 private:
  static constexpr uint64_t around = 128 << 10;
  void touch(uint64_t bytes);

  const run::Neighbours& lists_;
  std::atomic<uint64_t> read_ = 0;
};

// CENTER by one scan of a stream of sorted pairs (the paper, section 3.4): the list of pairs is
// never in memory. The paper's arbitrary order is that of the ids.

// Memory: 8 bytes per id. Not thread-safe.
class CenterStream {
 public:
  explicit CenterStream(size_t n) : clustering_(n) {}

  // The next pair, each in both directions, ascending by left and then by right id. A node that
  // appears on the left unmarked becomes a center, and its unmarked neighbours its members.
  void scan(uint32_t left, uint32_t right, uint32_t sum_of_minima) {
    if (clustering_.center[left] == cluster::no_center) clustering_.make_center(left);
    if (!clustering_.is_center(left) || clustering_.center[right] != cluster::no_center) return;
    clustering_.join(right, left, sum_of_minima);
  }

  // After the last pair: those of `ids` that had none become centers; others stay without. The
  // result is CENTER (docs/algorithms/center.md) on the graph of the pairs, in the order of ids.
  cluster::Clustering finish(std::span<const uint32_t> ids) {
    for (const uint32_t id : ids) {
      if (clustering_.center[id] == cluster::no_center) clustering_.make_center(id);
    }
    return std::move(clustering_);
  }

 private:
  cluster::Clustering clustering_;
};

}  // namespace kith::jobs
