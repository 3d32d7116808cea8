#include "bags/spooled_terms.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "bags/run_merger.h"
#include "base/free_memory.h"
#include "parallel/first_error.h"
#include "storage/loser_tree.h"

namespace kith::bags {
namespace {

constexpr unsigned shards = VocabularySpool::shards;
constexpr size_t read_block_bytes = 1 << 20;

std::string stems_path(const std::string& prefix, unsigned shard) {
  return fmt::format("{}numbered-{:02}", prefix, shard);
}
std::string forms_path(const std::string& prefix, unsigned shard) {
  return fmt::format("{}forms-{:02}", prefix, shard);
}

// The number of the stem that is the `place`-th of its shard.
uint32_t number_of(uint64_t place, unsigned shard) {
  return static_cast<uint32_t>(place * shards + shard);
}

// Merges the runs of a shard: its stems in byte order, each once.
Result<uint64_t> resolve_shard(storage::FileSystem& fs, const std::string& prefix,
                               const std::vector<std::string>& runs, unsigned shard,
                               std::vector<uint32_t>& numbers) {
  KITH_ASSIGN(const auto merger, RunMerger::open(fs, runs, read_block_bytes));
  KITH_ASSIGN(RunWriter out, RunWriter::create(fs, stems_path(prefix, shard)));
  std::string stem;
  std::string record;
  uint64_t stems = 0;
  while (merger->more()) {
    if (stems == 0 || merger->surt() != stem) {
      stem = merger->surt();
      record.clear();
      append_varint(record, stem.size());
      record += stem;
      KITH_TRY(out.add(std::string_view(record)));
      ++stems;
    }
    Cursor cursor(merger->record());
    cursor.take(cursor.varint());
    const uint64_t id = cursor.varint();
    if (cursor.failed() || id >= numbers.size()) return merger->damaged(merger->source());
    numbers[id] = number_of(stems - 1, shard);
    KITH_TRY(merger->next());
  }
  KITH_TRY(out.finish());
  for (const std::string& run : runs) KITH_TRY(fs.remove(run));
  return stems;
}

// Deals the forms of the terms of the dictionary out to files by shard, under their numbers.
class FormDealer {
 public:
  FormDealer(storage::FileSystem& fs, const std::string& prefix) : fs_(fs), prefix_(prefix) {}

  Status deal(const VocabularySpool& spool, const StemNumbers& numbers,
              std::span<const uint32_t> document_frequency, uint32_t min_df) {
    std::string buffer;
    for (uint64_t position = 0; position < spool.surface_bytes();) {
      const size_t kept = buffer.size();
      buffer.resize(kept + read_block_bytes);
      const std::span<char> space(buffer.data() + kept, read_block_bytes);
      KITH_ASSIGN(const size_t got, storage::read_block(fs_, spool.surfaces_path(), position,
                                                        std::as_writable_bytes(space)));
      buffer.resize(kept + got);
      if (got == 0) return damaged_partition();
      position += got;
      SurfaceReader reader(buffer);
      for (Surface surface; reader.next(surface);) {
        if (surface.term >= numbers.of.size()) return damaged_partition();
        surface.term = numbers.of[surface.term];
        if (document_frequency[surface.term] >= min_df) KITH_TRY(add(surface));
      }
      buffer.erase(0, reader.read());
    }
    for (unsigned shard = 0; shard < shards; ++shard) KITH_TRY(flush(shard));
    return fs_.remove(spool.surfaces_path());
  }

  uint64_t bytes(unsigned shard) const { return bytes_[shard]; }

 private:
  static constexpr size_t block = 64 << 10;

  Status add(const Surface& surface) {
    const unsigned shard = surface.term % shards;
    append_surface(surface, buffers_[shard]);
    return buffers_[shard].size() < block ? Status::ok() : flush(shard);
  }
  Status flush(unsigned shard) {
    std::string& buffer = buffers_[shard];
    if (buffer.empty()) return Status::ok();
    KITH_TRY(storage::append_block(fs_, forms_path(prefix_, shard), as_bytes(buffer),
                                   bytes_[shard] == 0));
    bytes_[shard] += buffer.size();
    buffer.clear();
    return Status::ok();
  }

  storage::FileSystem& fs_;
  const std::string& prefix_;
  std::array<std::string, shards> buffers_;
  std::array<uint64_t, shards> bytes_ = {};
};

// The terms of a shard that are in the dictionary, by falling document frequency.
struct ShardTerms {
  struct Term {
    uint32_t number;
    uint32_t document_frequency;
    uint64_t stem_at;  // in `strings`, where the form follows
    uint32_t stem_size;
    uint32_t form_size;
  };
  std::string strings;
  std::vector<Term> terms;

  std::string_view stem(const Term& term) const {
    return std::string_view(strings).substr(term.stem_at, term.stem_size);
  }
  std::string_view form(const Term& term) const {
    return std::string_view(strings).substr(term.stem_at + term.stem_size, term.form_size);
  }
  static bool precedes(const ShardTerms& of_a, const Term& a, const ShardTerms& of_b,
                       const Term& b) {
    return std::tuple(b.document_frequency, of_a.stem(a)) <
           std::tuple(a.document_frequency, of_b.stem(b));
  }
};

// Of every number the form met most often: most_frequent_forms() of the forms of a shard.
std::vector<std::pair<uint32_t, std::string_view>> best_forms(std::string_view bytes) {
  std::vector<Surface> surfaces;
  SurfaceReader reader(bytes);
  for (Surface surface; reader.next(surface);) surfaces.push_back(surface);
  std::ranges::sort(surfaces, [](const Surface& a, const Surface& b) {
    return std::tuple(a.term, a.word) < std::tuple(b.term, b.word);
  });
  std::vector<std::pair<uint32_t, std::string_view>> best;
  uint64_t best_count = 0;
  for (size_t i = 0; i < surfaces.size();) {
    const Surface& form = surfaces[i];
    uint64_t count = 0;
    for (; i < surfaces.size() && surfaces[i].term == form.term && surfaces[i].word == form.word;
         ++i) {
      count += surfaces[i].count;
    }
    const bool is_first = best.empty() || best.back().first != form.term;
    if (is_first) best.emplace_back(form.term, form.word);
    if (is_first || count > best_count) {
      best.back().second = form.word;
      best_count = count;
    }
  }
  return best;
}

// Both are in the order of numbers: the stems of a shard, and the best forms.
Result<ShardTerms> read_shard(storage::FileSystem& fs, const std::string& prefix, unsigned shard,
                              uint64_t form_bytes, std::span<const uint32_t> document_frequency,
                              uint32_t min_df) {
  ShardTerms shard_terms;
  std::string bytes;
  if (form_bytes > 0) {
    KITH_ASSIGN(bytes, storage::read_file(fs, forms_path(prefix, shard)));
    KITH_TRY(fs.remove(forms_path(prefix, shard)));
  }
  const auto forms = best_forms(bytes);
  auto form = forms.begin();
  KITH_ASSIGN(RunReader stems, RunReader::open(fs, stems_path(prefix, shard), read_block_bytes));
  for (uint64_t place = 0;; ++place) {
    KITH_ASSIGN(const bool more, stems.next());
    if (!more) break;
    const uint32_t number = number_of(place, shard);
    if (number >= document_frequency.size()) return stems.damaged();
    const uint32_t df = document_frequency[number];
    while (form != forms.end() && form->first < number) ++form;
    if (df == 0 || df < min_df) continue;
    const bool has_form = form != forms.end() && form->first == number;
    const std::string_view word = has_form ? form->second : std::string_view();
    shard_terms.terms.push_back({number, df, shard_terms.strings.size(),
                                 static_cast<uint32_t>(stems.surt().size()),
                                 static_cast<uint32_t>(word.size())});
    shard_terms.strings += stems.surt();
    shard_terms.strings += word;
  }
  std::ranges::sort(shard_terms.terms, [&](const auto& a, const auto& b) {
    return ShardTerms::precedes(shard_terms, a, shard_terms, b);
  });
  KITH_TRY(fs.remove(stems_path(prefix, shard)));
  return shard_terms;
}

// All terms in the order of the dictionary: (shard, place in it).
std::vector<std::pair<uint32_t, uint32_t>> merge_shards(std::span<const ShardTerms> all) {
  std::vector<uint32_t> next(all.size(), 0);
  const auto precedes = [&](size_t a, size_t b) {
    if (next[a] == all[a].terms.size()) return false;
    if (next[b] == all[b].terms.size()) return true;
    return ShardTerms::precedes(all[a], all[a].terms[next[a]], all[b], all[b].terms[next[b]]);
  };
  storage::LoserTree tree(all.size(), precedes);
  std::vector<std::pair<uint32_t, uint32_t>> order;
  for (;;) {
    const auto shard = static_cast<uint32_t>(tree.winner());
    if (next[shard] == all[shard].terms.size()) return order;
    order.emplace_back(shard, next[shard]++);
    tree.replay();
  }
}

}  // namespace

Result<StemNumbers> resolve_stems(storage::FileSystem& fs, const std::string& prefix,
                                  const VocabularySpool& spool, uint32_t ids, ThreadPool& pool) {
  StemNumbers numbers;
  numbers.of.assign(ids, 0);
  std::array<uint64_t, shards> stems = {};
  FirstError error;
  const auto resolve = [&](unsigned shard) -> Status {
    KITH_ASSIGN(stems[shard], resolve_shard(fs, prefix, spool.runs(shard), shard, numbers.of));
    return Status::ok();
  };
  pool.for_chunks(shards, 1, [&](size_t shard, size_t, unsigned) {
    if (!error.failed()) error.keep(resolve(static_cast<unsigned>(shard)));
  });
  KITH_TRY(error.status());
  for (unsigned shard = 0; shard < shards; ++shard) {
    numbers.stems += stems[shard];
    if (stems[shard] > 0) {
      numbers.limit = std::max(numbers.limit, number_of(stems[shard] - 1, shard) + 1);
    }
  }
  return numbers;
}

Result<Dictionary> make_spooled_dictionary(storage::FileSystem& fs, const std::string& prefix,
                                           const VocabularySpool& spool, const StemNumbers& numbers,
                                           const DictionaryOptions& options,
                                           std::span<const uint32_t> document_frequency, uint64_t n,
                                           const std::string& terms_path, ThreadPool& pool) {
  FormDealer forms(fs, prefix);
  KITH_TRY(forms.deal(spool, numbers, document_frequency, options.min_df));
  std::vector<ShardTerms> all(shards);
  FirstError error;
  const auto read = [&](unsigned shard) -> Status {
    KITH_ASSIGN(all[shard], read_shard(fs, prefix, shard, forms.bytes(shard), document_frequency,
                                       options.min_df));
    return Status::ok();
  };
  pool.for_chunks(shards, 1, [&](size_t shard, size_t, unsigned) {
    if (!error.failed()) error.keep(read(static_cast<unsigned>(shard)));
  });
  KITH_TRY(error.status());
  const auto order = merge_shards(all);
  const auto term = [&](size_t i) -> const ShardTerms::Term& {
    return all[order[i].first].terms[order[i].second];
  };
  KITH_TRY(write_terms(fs, terms_path, order.size(), [&](size_t i) -> TermRow {
    const ShardTerms& shard = all[order[i].first];
    return {shard.stem(term(i)), shard.form(term(i)), term(i).document_frequency};
  }));
  std::vector<uint32_t> ids(order.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = term(i).number;
  free_memory(all);
  Dictionary dictionary =
      number_terms(options, std::move(ids), numbers.limit, document_frequency, n);
  free_memory(dictionary.provisional_id);
  const auto met = std::ranges::count_if(document_frequency, [](uint32_t df) { return df > 0; });
  dictionary.dropped_rare = static_cast<uint64_t>(met) - dictionary.factor.size();
  return dictionary;
}

}  // namespace kith::bags
