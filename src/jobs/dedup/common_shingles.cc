#include "jobs/dedup/common_shingles.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"
#include "run/memory_budget.h"
#include "sketch/set_sketches.h"
#include "storage/external_sort.h"
#include "text/words/shingles.h"

namespace kith::jobs {
namespace {

constexpr size_t documents_per_chunk = 64;

// Upper bounds of document frequencies: elements that share a counter are counted together. Most
// elements are ruled out by them, and need not be sorted. Thread-safe.
class RoughCounts {
 public:
  // most: what is to be told apart from more; elements: of all documents; memory: bytes.
  RoughCounts(uint32_t most, uint64_t elements, uint64_t memory)
      : most_(most),
        shift_(65 - static_cast<int>(std::bit_width(std::clamp(
                        std::min(elements, memory / sizeof(uint32_t)), least, largest)))),
        counts_(std::make_unique<std::atomic<uint32_t>[]>(size_t{1} << (64 - shift_))) {}

  void add(uint64_t element) {
    // A few too many at the most, of threads side by side: never so many that it would overflow.
    std::atomic<uint32_t>& count = counts_[element >> shift_];
    if (count.load(std::memory_order_relaxed) <= most_) {
      count.fetch_add(1, std::memory_order_relaxed);
    }
  }
  bool may_be_common(uint64_t element) const {
    return counts_[element >> shift_].load(std::memory_order_relaxed) > most_;
  }

 private:
  static constexpr uint64_t least = 1 << 10;
  static constexpr uint64_t largest = 1 << 26;
  const uint32_t most_;
  const int shift_;
  const std::unique_ptr<std::atomic<uint32_t>[]> counts_;
};

// Calls visit(element, worker) for all elements of all documents, on all threads.
template <class Visit>
Status for_elements(const similar::HashSets& sets, ThreadPool& pool, const Visit& visit) {
  FirstError error;
  pool.for_chunks(sets.size(), documents_per_chunk, [&](size_t begin, size_t end, unsigned worker) {
    similar::SetBuffer buffer;
    for (size_t id = begin; id < end && !error.failed(); ++id) {
      sets.for_parts(id, buffer, [&](sketch::HashSet part) {
        for (const uint64_t element : part) {
          if (!error.keep(visit(element, worker))) break;
        }
      });
    }
  });
  return error.status();
}

// One worker's way from documents to documents without common elements.
class Dropper {
 public:
  Dropper(std::span<const uint64_t> common, const DedupOptions& options) : common_(common) {
    if (!needs_signatures(options)) return;
    const run::SketchParams params = sketch_params(options);
    hasher_.emplace(sketch::SetSketchOptions{params.family, params.lanes, params.seed});
  }

  // The documents [begin, end), into `block`.
  void drop(const DocumentTable& from, uint32_t begin, uint32_t end, DocumentBlock& block,
            CommonCounts& counts) {
    block.clear();
    for (uint32_t id = begin; id < end; ++id) {
      const sketch::HashSet all = from.sets().read(id, buffer_);
      elements_.assign(all.begin(), all.end());
      text::remove_common(elements_, common_);
      if (elements_.empty() && !all.empty()) {
        ++counts.rescued;
        elements_.assign(all.begin(), all.end());
      }
      counts.dropped += all.size() - elements_.size();
      add(from[id], from.name(id), block);
    }
  }

 private:
  void add(Document document, std::string_view name, DocumentBlock& block) {
    document.fingerprint =
        elements_.empty() ? 0 : hash64(std::as_bytes(std::span<const uint64_t>(elements_)));
    block.documents.push_back(document);
    block.names.emplace_back(name);
    block.elements.insert(block.elements.end(), elements_.begin(), elements_.end());
    block.sizes.push_back(static_cast<uint32_t>(elements_.size()));
    if (!hasher_) return;
    block.signatures.resize(block.signatures.size() + hasher_->lanes());
    hasher_->sketch(elements_, std::span(block.signatures).last(hasher_->lanes()));
  }

  std::span<const uint64_t> common_;
  std::optional<sketch::SetSketcher> hasher_;
  std::vector<uint64_t> elements_;
  similar::SetBuffer buffer_;
};

// Where the block that begins with a document ends: it has about a megabyte, and a document.
uint32_t end_of_block(const DocumentTable& from, uint32_t begin) {
  constexpr uint64_t max_elements = 1 << 17;
  uint64_t elements = 0;
  uint32_t end = begin;
  while (end < from.size() && end - begin < documents_per_chunk && elements < max_elements) {
    elements += from.sets().size_of(end);
    ++end;
  }
  return end;
}

}  // namespace

Status write_common(const std::string& path, const DocumentTable& documents, uint32_t most,
                    const DedupResources& resources) {
  const Budget memory = run::working_memory(resources.memory, documents.size());
  ThreadPool& pool = resources.pool;
  storage::ExternalSort sort(resources.fs, pool,
                             {.scratch = resources.scratch + "/common",
                              .memory = memory.bytes(Share::common_sorting),
                              .writers = pool.size()});
  {
    RoughCounts rough(most, documents.sets().elements(), memory.bytes(Share::rough_counts));
    KITH_TRY(for_elements(documents.sets(), pool, [&](uint64_t element, unsigned) {
      rough.add(element);
      return Status::ok();
    }));
    KITH_TRY(for_elements(documents.sets(), pool, [&](uint64_t element, unsigned worker) {
      return rough.may_be_common(element) ? sort.append({element, 0}, worker) : Status::ok();
    }));
  }
  KITH_ASSIGN(auto file, storage::SectionWriter::create(resources.fs, path, common_kind));
  KITH_TRY(file.begin(common_section));
  KITH_ASSIGN(storage::SortedRecords sorted, sort.finish());
  uint64_t element = 0;
  uint64_t count = 0;  // documents with it
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) return file.finish();
    for (const KeyId& record : records) {
      count = count > 0 && record.key == element ? count + 1 : 1;
      element = record.key;
      if (count != uint64_t{most} + 1) continue;
      KITH_TRY(file.append_array(std::span<const uint64_t>(&element, 1)));
    }
  }
}

Result<CommonCounts> write_without_common(const std::string& path, const DocumentTable& from,
                                          const std::string& common, const DedupOptions& options,
                                          const DedupResources& resources) {
  KITH_ASSIGN(const auto file, storage::SectionFile::open(resources.fs, common, common_kind));
  KITH_ASSIGN(const auto shingles, file.array<uint64_t>(common_section));
  std::optional<run::SketchParams> sketches;
  if (needs_signatures(options)) sketches = sketch_params(options);
  KITH_ASSIGN(DocumentWriter writer, DocumentWriter::create(resources.fs, path, sketches));
  const size_t workers = resources.pool.size();
  std::vector<Dropper> droppers;
  for (size_t i = 0; i < workers; ++i) droppers.emplace_back(shingles, options);
  std::vector<CommonCounts> counts(workers);
  std::vector<DocumentBlock> blocks(workers);
  std::vector<uint32_t> begins(workers + 1);
  // A block for each worker, and then these in their order.
  for (uint32_t done = 0; done < from.size(); done = begins.back()) {
    begins.front() = done;
    for (size_t i = 0; i < workers; ++i) begins[i + 1] = end_of_block(from, begins[i]);
    resources.pool.run([&](unsigned worker) {
      droppers[worker].drop(from, begins[worker], begins[worker + 1], blocks[worker],
                            counts[worker]);
    });
    for (const DocumentBlock& block : blocks) KITH_TRY(writer.add(block));
    from.release();
    file.release();
  }
  std::vector<std::string> files;
  for (uint32_t number = 0; number < from.files(); ++number) files.emplace_back(from.file(number));
  KITH_TRY(writer.finish(files));
  CommonCounts sum{.shingles = shingles.size()};
  for (const CommonCounts& some : counts) {
    sum.dropped += some.dropped;
    sum.rescued += some.rescued;
  }
  return sum;
}

}  // namespace kith::jobs
