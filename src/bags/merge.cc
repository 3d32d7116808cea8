#include "bags/merge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bags/run.h"
#include "bags/run_merger.h"
#include "bags/tables_writer.h"
#include "base/parallel/background.h"

namespace kith::bags {
namespace {

// Some records as merged, and their bags: what a worker weighs at a time.
struct Piece {
  static constexpr size_t best_bytes = 64 << 10;

  std::string bytes;            // of the records
  std::vector<size_t> ends;     // of each record in `bytes`
  std::vector<size_t> sources;  // the run of each

  // By weigh(); fewer than there are ends when the next one is damaged.
  std::vector<RunRecord> records;
  std::vector<sketch::BagEntry> entries;
  std::vector<size_t> bag_ends;  // of the bag of each record in `entries`

  void clear() {
    if (bytes.capacity() > 4 * best_bytes) bytes = {};  // of a large record
    bytes.clear();
    ends.clear();
    sources.clear();
  }
  void add(std::string_view record, size_t source) {
    bytes += record;
    ends.push_back(bytes.size());
    sources.push_back(source);
  }
  sketch::Bag bag(size_t i) const {
    const size_t begin = i == 0 ? 0 : bag_ends[i - 1];
    return std::span(entries).subspan(begin, bag_ends[i] - begin);
  }
};

using Batch = std::vector<Piece>;

// Replaces what the pieces hold by the next records: nothing at the end.
Status fill(RunMerger& merger, Batch& batch) {
  for (Piece& piece : batch) {
    piece.clear();
    while (merger.more() && piece.bytes.size() < Piece::best_bytes) {
      piece.add(merger.record(), merger.source());
      KITH_TRY(merger.next());
    }
  }
  return Status::ok();
}

// Whether all terms are known: they ascend, so that the last one tells.
bool knows_terms(const Dictionary& dictionary, std::span<const TermCount> terms) {
  return terms.empty() || dictionary.slots.term(terms.back().term) < dictionary.final_id.size();
}

// A worker that makes bags of records.
struct Weigher {
  BagWeigher bags;
  CopyReader copies;
  std::vector<TermCount> terms = {};
  Status status = {};  // of the last call of weigh()

  void weigh(const Dictionary& dictionary, Piece& piece) {
    status = Status::ok();
    piece.records.clear();
    piece.entries.clear();
    piece.bag_ends.clear();
    size_t begin = 0;
    for (const size_t end : piece.ends) {
      const std::string_view bytes = std::string_view(piece.bytes).substr(begin, end - begin);
      RunRecord record;
      if (!read_record(bytes, record, terms)) return;
      status = copies.replace_anchors(record.content, terms);
      if (!status || !knows_terms(dictionary, terms)) return;
      const sketch::Bag bag = bags.weigh(terms);
      piece.records.push_back(record);
      piece.entries.insert(piece.entries.end(), bag.begin(), bag.end());
      piece.bag_ends.push_back(piece.entries.size());
      begin = end;
    }
  }
};

Status write(const Piece& piece, const RunMerger& merger, TablesWriter& tables) {
  for (size_t i = 0; i < piece.ends.size(); ++i) {
    const bool sound = i < piece.records.size() && tables.accepts(piece.records[i]);
    if (!sound) return merger.damaged(piece.sources[i]);
    KITH_TRY(tables.add(piece.records[i], piece.bag(i)));
  }
  return Status::ok();
}

}  // namespace

Status merge_runs(storage::FileSystem& fs, std::span<const std::string> run_paths,
                  const std::string& directory, const Dictionary& dictionary,
                  const WeightOptions& weights, const CopyAnchors& copies, uint64_t read_buffers,
                  ThreadPool& pool, BagsCounts& counts) {
  KITH_ASSIGN(const auto merger, RunMerger::open(fs, run_paths, read_buffers));
  KITH_ASSIGN(const auto tables, TablesWriter::create(fs, directory));
  std::vector<Weigher> weighers(pool.size(),
                                Weigher{BagWeigher(dictionary, weights), CopyReader(copies)});
  constexpr size_t pieces_per_worker = 4;
  Batch batch(pieces_per_worker * pool.size());
  Batch next(batch.size());
  Background ahead(pool.size());
  KITH_TRY(fill(*merger, batch));
  while (!batch.front().ends.empty()) {
    ahead.start([&] { return fill(*merger, next); });
    pool.for_chunks(batch.size(), 1, [&](size_t piece, size_t, unsigned worker) {
      if (weighers[worker].status) weighers[worker].weigh(dictionary, batch[piece]);
    });
    for (const Weigher& weigher : weighers) KITH_TRY(weigher.status);
    for (const Piece& piece : batch) KITH_TRY(write(piece, *merger, *tables));
    KITH_TRY(ahead.wait());
    std::swap(batch, next);
  }
  KITH_TRY(tables->finish());
  counts.urls = tables->urls();
  counts.entries = tables->entries();
  counts.empty = tables->empty_bags();
  for (const Weigher& weigher : weighers) {
    counts.rescued += weigher.bags.rescued();
    counts.cut_entries += weigher.bags.cut_entries();
  }
  return Status::ok();
}

}  // namespace kith::bags
