#include <algorithm>
#include <atomic>
#include <mutex>

#include "bags/shard/builder.h"
#include "bags/vocabulary/dictionary.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/page_keys.h"
#include "base/parallel/thread_pool.h"

namespace kith::bags {
namespace {

// The blocks of all shards in input order.
struct BlockPlace {
  uint32_t input;
  uint32_t shard;
  uint64_t block;
};

std::vector<BlockPlace> blocks_in_order(std::span<const ShardFile> shards) {
  std::vector<BlockPlace> blocks;
  for (uint32_t shard = 0; shard < shards.size(); ++shard) {
    for (uint64_t block = 0; block < shards[shard].blocks(); ++block) {
      blocks.push_back({shards[shard].input_of(block), shard, block});
    }
  }
  std::ranges::stable_sort(blocks, {}, &BlockPlace::input);
  return blocks;
}

// From the forms of a shard to the terms of the builder. A stem enters the vocabulary with the
// first page that counts and has it. Thread-safe.
class TermsOfForms {
 public:
  TermsOfForms(const ShardFile& shard, Vocabulary& vocabulary)
      : shard_(&shard), vocabulary_(&vocabulary), terms_(shard.forms()) {
    for (auto& term : terms_) term.store(no_term, std::memory_order_relaxed);
  }

  // Of a form that was translated.
  uint32_t operator[](uint32_t form) const { return terms_[form].load(std::memory_order_relaxed); }

  // Replaces forms by terms and counts the forms.
  void translate(std::vector<uint32_t>& forms, std::vector<uint64_t>& counts) {
    for (uint32_t& form : forms) {
      if (form == no_term) continue;
      ++counts[form];
      form = term_of(form);
    }
  }

 private:
  uint32_t term_of(uint32_t form) {
    uint32_t term = terms_[form].load(std::memory_order_relaxed);
    if (term != no_term) return term;
    // Two workers may ask at once; what they get is the same stem.
    term = vocabulary_->id_of(shard_->stem(form));
    terms_[form].store(term, std::memory_order_relaxed);
    return term;
  }

  const ShardFile* shard_;
  Vocabulary* vocabulary_;
  std::vector<std::atomic<uint32_t>> terms_;
};

// What a worker needs for one shard.
struct MergeWorker {
  ShardPage page;
  std::string buffer;
  std::vector<uint64_t> counts;  // of forms
  PageCounts later;

  void forget_buffers() {
    page.digest.free();
    free_memory(buffer);
  }
};

// Packed. Larger blocks have a page of many megabytes: they come one at a time.
constexpr uint64_t large_block = 1 << 20;

// Calls read(block, worker) for every block, by as many workers as there are. Large blocks come one
// at a time, and behind each the buffers are freed.
template <class Read>
Status for_each_block(const ShardFile& shard, BagBuilder& builder, std::span<MergeWorker> workers,
                      ThreadPool& pool, const Read& read) {
  FirstError error;
  std::mutex large;
  const auto read_large = [&](size_t block, unsigned worker) -> Status {
    const std::lock_guard lock(large);
    Status status = read(block, worker);
    workers[worker].forget_buffers();
    builder.worker(worker).forget_buffers();
    give_back_free_memory();
    return status;
  };
  std::atomic<size_t> next_block = 0;
  pool.run([&](unsigned worker) {
    if (worker >= workers.size()) return;
    for (size_t block = next_block++; block < shard.blocks() && !error.failed();
         block = next_block++) {
      const bool is_large = shard.bytes_of(block) > large_block;
      error.keep(is_large ? read_large(block, worker) : read(block, worker));
    }
  });
  return error.status();
}

// The words of a shard and how often they were met, some thousands at a time.
Status add_forms(BagBuilder& builder, const ShardFile& shard, const TermsOfForms& terms,
                 std::span<const MergeWorker> workers) {
  constexpr size_t batch = 1 << 12;
  std::vector<SurfaceCount> surfaces;
  for (uint32_t form = 0; form < shard.forms(); ++form) {
    uint64_t count = 0;
    for (const MergeWorker& worker : workers) {
      if (!worker.counts.empty()) count += worker.counts[form];
    }
    if (count > 0) surfaces.push_back({terms[form], shard.word(form), count});
    if (surfaces.size() < batch) continue;
    KITH_TRY(builder.add_surfaces(surfaces));
    surfaces.clear();
  }
  return builder.add_surfaces(surfaces);
}

}  // namespace

std::vector<std::vector<bool>> best_captures(std::span<const ShardFile> shards, Captures captures) {
  std::vector<std::vector<bool>> is_best;
  for (const ShardFile& shard : shards) is_best.emplace_back(shard.keys().size(), false);
  const std::vector<BlockPlace> blocks = blocks_in_order(shards);
  PageKeys keys(captures);
  // choose(url, time): whether the page counts.
  const auto for_each_page = [&](const auto& choose) {
    for (const BlockPlace& place : blocks) {
      const ShardFile& shard = shards[place.shard];
      for (uint64_t page = shard.first_page(place.block); page < shard.first_page(place.block + 1);
           ++page) {
        is_best[place.shard][page] = choose(shard.keys()[page], shard.times()[page]);
      }
    }
  };
  for_each_page([&](const Key128& url, int64_t time) { return keys.add(url, time); });
  if (!keys.has_better()) return is_best;
  for_each_page([&](const Key128& url, int64_t time) { return keys.take(url, time); });
  return is_best;
}

uint64_t lost_revisits(std::span<const ShardFile> shards) {
  const auto has_none = [](const ShardFile& shard) { return shard.revisits().empty(); };
  if (std::ranges::all_of(shards, has_none)) return 0;
  PageKeys keys;
  for (const ShardFile& shard : shards) {
    for (const Key128& url : shard.keys()) keys.add(url);
  }
  uint64_t lost = 0;
  for (const ShardFile& shard : shards) {
    for (const Key128& url : shard.revisits()) lost += keys.contains(url) ? 0 : 1;
  }
  return lost;
}

// As many as there is room for, at least one.
Result<unsigned> ShardMerger::workers_for(const ShardFile& shard, unsigned threads) const {
  constexpr uint64_t bytes_of_block = 4 << 20;
  const uint64_t shared = shard.forms() * sizeof(uint32_t) + shard.form_bytes();
  const uint64_t one = shard.forms() * sizeof(uint64_t) + bytes_of_block;
  KITH_TRY(memory_.check(shared + one, fmt::format("{} words", shard.forms())));
  return static_cast<unsigned>(std::min<uint64_t>((memory_.bytes() - shared) / one, threads));
}

Status ShardMerger::find_boilerplate(std::span<const ShardFile> shards,
                                     std::span<const std::vector<bool>> is_first,
                                     ThreadPool& pool) {
  return builder_->find_boilerplate(
      pool, [&](const WantsBlocks&, const VisitPage& visit) -> Status {
        std::vector<MergeWorker> workers(pool.size());
        for (size_t i = 0; i < shards.size(); ++i) {
          KITH_TRY(for_each_block(
              shards[i], *builder_, workers, pool, [&](size_t block, unsigned number) {
                const auto visit_first = [&](uint64_t page, ShardPage& content) {
                  return is_first[i][page] ? visit(number, content.digest) : Status::ok();
                };
                MergeWorker& worker = workers[number];
                return shards[i].read_block(block, worker.page, worker.buffer, visit_first);
              }));
        }
        return Status::ok();
      });
}

Result<PageCounts> ShardMerger::add(const ShardFile& shard, const std::vector<bool>& is_first,
                                    ThreadPool& pool) {
  KITH_ASSIGN(const unsigned max_workers, workers_for(shard, pool.size()));
  TermsOfForms terms(shard, builder_->vocabulary());
  std::vector<MergeWorker> workers(max_workers);
  KITH_TRY(for_each_block(shard, *builder_, workers, pool, [&](size_t block, unsigned number) {
    MergeWorker& worker = workers[number];
    worker.counts.resize(shard.forms());
    PageFragments& fragments = builder_->worker(number).fragments();
    return shard.read_block(block, worker.page, worker.buffer,
                            [&](uint64_t page_number, ShardPage& page) -> Status {
                              if (!is_first[page_number]) {
                                worker.later += {.pages = 1,
                                                 .page_bytes = page.payload.bytes,
                                                 .cut_pages = page.payload.is_cut,
                                                 .short_pages = page.payload.ends_early};
                                return Status::ok();
                              }
                              terms.translate(page.digest.title_terms, worker.counts);
                              terms.translate(page.digest.terms, worker.counts);
                              return fragments.add(page.digest);
                            });
  }));
  KITH_ASSIGN(const std::vector<Alias> redirects, shard.redirects());
  for (const Alias& redirect : redirects) {
    KITH_TRY(builder_->worker(0).fragments().add_redirect(redirect.from, redirect.to));
  }
  KITH_TRY(add_forms(*builder_, shard, terms, workers));
  shard.release_forms();
  PageCounts later;
  for (const MergeWorker& worker : workers) later += worker.later;
  return later;
}

}  // namespace kith::bags
