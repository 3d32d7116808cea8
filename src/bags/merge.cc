#include "bags/merge.h"

#include <algorithm>

#include "bags/tables.h"
#include "bags/weights.h"
#include "storage/loser_tree.h"
#include "storage/section_file.h"

namespace kith::bags {
namespace {

// A section of variable-sized items and the offsets that end them.
class ItemsWriter {
 public:
  static Result<ItemsWriter> create(storage::FileSystem& fs, const std::string& path,
                                    storage::FileKind kind, const std::string& section) {
    KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, kind));
    KITH_TRY(file.begin(section));
    return ItemsWriter(std::move(file), section);
  }
  // `count` is what the item adds to the offsets: elements of the section.
  Status add(Bytes item, uint64_t count) {
    offsets_.push_back(offsets_.back() + count);
    return file_.append(item);
  }
  Status finish() {
    KITH_TRY(file_.begin(section_ + "_at"));
    KITH_TRY(file_.append_array(std::span<const uint64_t>(offsets_)));
    return file_.finish();
  }
  uint64_t count() const { return offsets_.back(); }

 private:
  ItemsWriter(storage::SectionWriter file, std::string section)
      : file_(std::move(file)), section_(std::move(section)) {}
  storage::SectionWriter file_;
  std::string section_;
  std::vector<uint64_t> offsets_{0};
};

Status write_url_table(storage::SectionWriter& file, const storage::SortedStringsWriter& surts,
                       std::span<const uint8_t> flags, std::span<const uint32_t> inlinks) {
  KITH_TRY(file.begin("surt_at"));
  KITH_TRY(file.append_array(surts.block_offsets()));
  KITH_TRY(file.begin("flags"));
  KITH_TRY(file.append_array(flags));
  KITH_TRY(file.begin("inlinks"));
  KITH_TRY(file.append_array(inlinks));
  return file.finish();
}

// Whether all terms of a bag are known: they ascend, so that the last one tells.
bool knows_terms(const Dictionary& dictionary, const RawBag& bag) {
  return bag.terms.empty() || bag.terms.back().term < dictionary.final_id.size();
}

// The runs, and which of them have a bag left.
struct Sources {
  std::vector<RunReader> readers;
  std::vector<bool> open;

  static Result<Sources> make(storage::FileSystem& fs, std::span<const std::string> paths,
                              size_t block_bytes) {
    Sources sources;
    for (const std::string& path : paths) {
      KITH_ASSIGN(RunReader reader, RunReader::open(fs, path, block_bytes));
      KITH_ASSIGN(const bool more, reader.next());
      sources.readers.push_back(std::move(reader));
      sources.open.push_back(more);
    }
    return sources;
  }
  Status advance(size_t source) {
    KITH_ASSIGN(const bool more, readers[source].next());
    open[source] = more;
    return Status::ok();
  }
  bool less(size_t a, size_t b) const {
    if (!open[a]) return false;
    return !open[b] || readers[a].bag().surt < readers[b].bag().surt;
  }
};

}  // namespace

void BagWeigher::gather(std::span<const TermCount> counts, bool frequent) {
  weights_.clear();
  for (const TermCount& entry : counts) {
    const uint32_t term = dictionary_->final_id[entry.term];
    if (term == no_term || (term < dictionary_->frequent) != frequent) continue;
    weights_.push_back({term, count_factor(weighting_, entry.count) * dictionary_->factor[term]});
  }
}

Bag BagWeigher::weigh(std::span<const TermCount> counts) {
  gather(counts, false);
  if (weights_.empty()) {
    gather(counts, true);
    rescued_ += !weights_.empty();
  }
  std::ranges::sort(weights_, {}, &RealWeight::term);
  cut_entries_ += normalise(weights_, bag_);
  return bag_;
}

Result<MergeCounts> merge_runs(storage::FileSystem& fs, std::span<const std::string> run_paths,
                               const std::string& directory, const Dictionary& dictionary,
                               Weighting weighting, uint64_t read_buffers) {
  const size_t block =
      std::clamp<size_t>(read_buffers / std::max<size_t>(1, run_paths.size()), 64 << 10, 1 << 20);
  KITH_ASSIGN(Sources sources, Sources::make(fs, run_paths, block));
  KITH_ASSIGN(auto urls, storage::SectionWriter::create(fs, directory + "/urls.kith", urls_kind));
  KITH_TRY(urls.begin("surt"));
  KITH_ASSIGN(auto titles,
              ItemsWriter::create(fs, directory + "/titles.kith", titles_kind, "titles"));
  KITH_ASSIGN(auto bags, ItemsWriter::create(fs, directory + "/bags.kith", bags_kind, "entries"));
  storage::SortedStringsWriter surts(urls);
  std::vector<uint8_t> flags;
  std::vector<uint32_t> inlinks;
  BagWeigher weigher(dictionary, weighting);
  MergeCounts counts;

  storage::LoserTree tree(sources.readers.size(),
                          [&](size_t a, size_t b) { return sources.less(a, b); });
  while (sources.open[tree.winner()]) {
    const RunReader& run = sources.readers[tree.winner()];
    const RawBag& raw = run.bag();
    if (!surts.accepts(raw.surt) || !knows_terms(dictionary, raw)) return run.damaged();
    const Bag bag = weigher.weigh(raw.terms);
    KITH_TRY(surts.add(raw.surt));
    KITH_TRY(titles.add(as_bytes(raw.title), raw.title.size()));
    KITH_TRY(bags.add(std::as_bytes(bag), bag.size()));
    flags.push_back(raw.fetched ? 1 : 0);
    inlinks.push_back(raw.inlinks);
    counts.empty_bags += bag.empty();
    KITH_TRY(sources.advance(tree.winner()));
    tree.replay();
  }
  counts.urls = surts.count();
  counts.entries = bags.count();
  counts.rescued_bags = weigher.rescued();
  counts.cut_entries = weigher.cut_entries();
  KITH_TRY(surts.finish());
  KITH_TRY(write_url_table(urls, surts, flags, inlinks));
  KITH_TRY(titles.finish());
  KITH_TRY(bags.finish());
  return counts;
}

}  // namespace kith::bags
