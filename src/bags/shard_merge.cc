#include "bags/shard_merge.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/free_memory.h"
#include "base/machine.h"
#include "parallel/first_error.h"

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
    // Two workers may ask at once; they get the same answer.
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
  LaterCaptures later;

  void forget_buffers() {
    page.digest.free();
    free_memory(buffer);
  }
};

// Packed. Larger blocks have a page of many megabytes: they come one at a time.
constexpr uint64_t large_block = 1 << 20;

}  // namespace

LaterCaptures& LaterCaptures::operator+=(const LaterCaptures& more) {
  pages += more.pages;
  payload_bytes += more.payload_bytes;
  cut_pages += more.cut_pages;
  short_pages += more.short_pages;
  return *this;
}

std::vector<std::vector<bool>> first_captures(std::span<const ShardFile> shards) {
  std::vector<std::vector<bool>> is_first;
  for (const ShardFile& shard : shards) is_first.emplace_back(shard.keys().size(), false);
  boost::unordered_flat_set<Key128, Key128Hash> seen;
  for (const BlockPlace& place : blocks_in_order(shards)) {
    const ShardFile& shard = shards[place.shard];
    for (uint64_t page = shard.first_page(place.block); page < shard.first_page(place.block + 1);
         ++page) {
      is_first[place.shard][page] = seen.insert(shard.keys()[page]).second;
    }
  }
  return is_first;
}

Result<LaterCaptures> ShardMerger::add(const ShardFile& shard, const std::vector<bool>& is_first,
                                       ThreadPool& pool) {
  TermsOfForms terms(shard, builder_->vocabulary());
  std::vector<MergeWorker> workers(pool.size());
  FirstError error;
  std::mutex large;
  const auto add_block = [&](size_t block, unsigned number) -> Status {
    MergeWorker& worker = workers[number];
    worker.counts.resize(shard.forms());
    PageFragments& fragments = builder_->worker(number).fragments();
    return shard.read_block(
        block, worker.page, worker.buffer, [&](uint64_t page_number, ShardPage& page) -> Status {
          if (!is_first[page_number]) {
            worker.later += {1, page.payload.bytes, page.payload.is_cut, page.payload.ends_early};
            return Status::ok();
          }
          terms.translate(page.digest.title_terms, worker.counts);
          terms.translate(page.digest.terms, worker.counts);
          return fragments.add(page.digest);
        });
  };
  const auto add_large_block = [&](size_t block, unsigned number) -> Status {
    const std::lock_guard lock(large);
    Status status = add_block(block, number);
    workers[number].forget_buffers();
    builder_->worker(number).forget_buffers();
    give_back_free_memory();
    return status;
  };
  pool.for_chunks(shard.blocks(), 1, [&](size_t block, size_t, unsigned worker) {
    if (error.failed()) return;
    const bool is_large = shard.bytes_of(block) > large_block;
    error.keep(is_large ? add_large_block(block, worker) : add_block(block, worker));
  });
  KITH_TRY(error.status());
  KITH_ASSIGN(const std::vector<Alias> redirects, shard.redirects());
  for (const Alias& redirect : redirects) {
    builder_->worker(0).fragments().add_redirect(redirect.from, redirect.to);
  }
  LaterCaptures later;
  for (const MergeWorker& worker : workers) later += worker.later;
  for (uint32_t form = 0; form < shard.forms(); ++form) {
    uint64_t count = 0;
    for (const MergeWorker& worker : workers) {
      if (!worker.counts.empty()) count += worker.counts[form];
    }
    if (count > 0) count_form(shard.stem(form), shard.word(form), count);
  }
  return later;
}

void ShardMerger::count_form(std::string_view stem, std::string_view word, uint64_t count) {
  const uint32_t id = forms_.id_of(form_key(stem, word));
  if (id >= form_counts_.size()) form_counts_.resize(id + 1, 0);
  form_counts_[id] += count;
}

void ShardMerger::finish() {
  const std::vector<std::string_view> keys = forms_.stems();
  std::vector<SurfaceCount> surfaces;
  surfaces.reserve(keys.size());
  for (uint32_t form = 0; form < keys.size(); ++form) {
    const uint32_t term = builder_->vocabulary().id_of(stem_of_form(keys[form]));
    surfaces.push_back({term, word_of_form(keys[form]), form_counts_[form]});
  }
  builder_->add_surfaces(std::move(surfaces));
}

}  // namespace kith::bags
