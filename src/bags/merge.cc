#include "bags/merge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bags/run.h"
#include "bags/tables.h"
#include "base/parallel/thread_pool.h"

namespace kith::bags {
namespace {

// Makes the weights add up to `share`, about.
void scale(std::vector<RealWeight>& weights, double share) {
  double sum = 0;
  for (const RealWeight& entry : weights) sum += entry.weight;
  for (RealWeight& entry : weights) entry.weight *= share / sum;
}

}  // namespace

void BagWeigher::gather(std::span<const TermCount> counts, bool frequent) {
  const Slots slots = dictionary_->slots;
  for (auto& part : parts_) part.clear();
  for (const TermCount& entry : counts) {
    const uint32_t term = dictionary_->final_id[slots.term(entry.term)];
    if (term == no_term) continue;
    const unsigned part = slots.part(entry.term);
    const TermFactor factor = dictionary_->factors[part][term];
    if (factor.is_rare() || factor.is_frequent() != frequent) continue;
    parts_[part].push_back({term, count_factor(options_.weighting, entry.count) * factor.factor()});
  }
  for (auto& part : parts_) std::ranges::sort(part, {}, &RealWeight::term);
}

bool BagWeigher::has_weights() const {
  return std::ranges::any_of(parts_, [](const auto& part) { return !part.empty(); });
}

// Both parts in the order of their terms, each with its share of the sum.
std::span<const RealWeight> BagWeigher::add_parts() {
  auto& [content, anchor] = parts_;
  if (anchor.empty()) return content;
  if (content.empty()) return anchor;
  scale(content, options_.content_share);
  scale(anchor, 1 - options_.content_share);
  sum_.clear();
  auto other = anchor.begin();
  for (const RealWeight& entry : content) {
    while (other != anchor.end() && other->term < entry.term) sum_.push_back(*other++);
    sum_.push_back(entry);
    if (other != anchor.end() && other->term == entry.term) sum_.back().weight += other++->weight;
  }
  sum_.insert(sum_.end(), other, anchor.end());
  return sum_;
}

sketch::Bag BagWeigher::weigh(std::span<const TermCount> counts) {
  gather(counts, false);
  if (!has_weights()) {
    gather(counts, true);
    rescued_ += has_weights();
  }
  cut_entries_ += normalise(add_parts(), options_.max_terms, bag_);
  return bag_;
}

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
