#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "bags/run.h"
#include "bags/tables.h"
#include "bags/vocabulary/dictionary.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "storage/section_file.h"

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
                               const Budget& memory, std::vector<uint32_t>& numbers) {
  KITH_ASSIGN(const auto merger, RunMerger::open(fs, runs, memory.bytes(Share::stem_merging)));
  KITH_ASSIGN(RunWriter out, RunWriter::create(fs, stems_path(prefix, shard),
                                               std::clamp<size_t>(memory.bytes(Share::stem_writing),
                                                                  16 << 10, 1 << 20)));
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
  // memory: bytes that the buffers may take.
  FormDealer(storage::FileSystem& fs, const std::string& prefix, uint64_t memory)
      : fs_(fs), prefix_(prefix), block_(std::clamp<size_t>(memory / shards, 4 << 10, 64 << 10)) {}

  Status deal(const VocabularySpool& spool, const StemNumbers& numbers,
              const DocumentFrequencies& frequencies, uint32_t min_df) {
    KITH_TRY(for_each_surface(fs_, spool, [&](Surface surface) -> Status {
      if (surface.term >= numbers.of.size()) return damaged_partition();
      surface.term = numbers.of[surface.term];
      return frequencies.reaches(surface.term, min_df) ? add(surface) : Status::ok();
    }));
    for (unsigned shard = 0; shard < shards; ++shard) KITH_TRY(flush(shard));
    return spool.surface_bytes() == 0 ? Status::ok() : fs_.remove(spool.surfaces_path());
  }

  uint64_t bytes(unsigned shard) const { return bytes_[shard]; }

 private:
  Status add(const Surface& surface) {
    const unsigned shard = surface.term % shards;
    append_surface(surface, buffers_[shard]);
    return buffers_[shard].size() < block_ ? Status::ok() : flush(shard);
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
  size_t block_;
  std::array<std::string, shards> buffers_;
  std::array<uint64_t, shards> bytes_ = {};
};

// The stems of a shard in the order of their numbers, with their forms, to a sorter.
Result<std::vector<std::string>> rank_shard(storage::FileSystem& fs, const std::string& prefix,
                                            unsigned shard, const CountOf& count_of,
                                            uint64_t form_bytes, const Budget& memory) {
  KITH_ASSIGN(BestForms forms, BestForms::open(fs, forms_path(prefix, shard), form_bytes, memory));
  TermSorter sorter(fs, fmt::format("{}ranked-{:02}-", prefix, shard),
                    memory.bytes(Share::ranking));
  KITH_ASSIGN(RunReader stems, RunReader::open(fs, stems_path(prefix, shard),
                                               std::clamp<size_t>(memory.bytes(Share::stem_reading),
                                                                  16 << 10, 1 << 20)));
  for (uint64_t place = 0;; ++place) {
    KITH_ASSIGN(const bool more, stems.next());
    if (!more) break;
    const uint32_t number = number_of(place, shard);
    const uint64_t count = count_of(number);
    if (count == 0) continue;
    KITH_ASSIGN(const std::string_view form, forms.of(number));
    KITH_TRY(sorter.add({count, stems.surt(), form, number}));
  }
  KITH_TRY(forms.remove());
  KITH_TRY(fs.remove(stems_path(prefix, shard)));
  return sorter.finish();
}

// The terms file, as write_terms() has it.
Status write_ranked_terms(storage::FileSystem& fs, const std::string& ranked,
                          const DocumentFrequencies& frequencies, const std::string& path) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, terms_kind));
  KITH_TRY(
      write_term_strings(fs, ranked, file, "stems", [](const auto& term) { return term.stem; }));
  KITH_TRY(
      write_term_strings(fs, ranked, file, "surfaces", [](const auto& term) { return term.form; }));
  KITH_TRY(file.begin("df"));
  KITH_TRY(for_each_term(fs, ranked, [&](const RankedTerm& term) {
    const uint32_t df = frequencies.of_part(term.number, 0);
    return file.append_array(std::span<const uint32_t>(&df, 1));
  }));
  return file.finish();
}

}  // namespace

Result<StemNumbers> resolve_stems(storage::FileSystem& fs, const std::string& prefix,
                                  const VocabularySpool& spool, uint32_t ids, const Budget& memory,
                                  ThreadPool& pool) {
  StemNumbers numbers;
  numbers.of.assign(ids, 0);
  std::array<uint64_t, shards> stems = {};
  const auto resolve = [&](size_t i, unsigned) -> Status {
    const auto shard = static_cast<unsigned>(i);
    KITH_ASSIGN(stems[shard], resolve_shard(fs, prefix, spool.runs(shard), shard,
                                            memory.each(pool.size()), numbers.of));
    return Status::ok();
  };
  KITH_TRY(pool.try_each(shards, resolve));
  for (unsigned shard = 0; shard < shards; ++shard) {
    numbers.stems += stems[shard];
    if (stems[shard] > 0) {
      numbers.limit = std::max(numbers.limit, number_of(stems[shard] - 1, shard) + 1);
    }
  }
  return numbers;
}

Status for_each_surface(storage::FileSystem& fs, const VocabularySpool& spool,
                        const std::function<Status(const Surface& surface)>& take) {
  std::string buffer;
  for (uint64_t position = 0; position < spool.surface_bytes();) {
    const size_t kept = buffer.size();
    buffer.resize(kept + read_block_bytes);
    const std::span<char> space(buffer.data() + kept, read_block_bytes);
    KITH_ASSIGN(const size_t got, storage::read_block(fs, spool.surfaces_path(), position,
                                                      std::as_writable_bytes(space)));
    buffer.resize(kept + got);
    if (got == 0) return damaged_partition();
    position += got;
    SurfaceReader reader(buffer);
    for (Surface surface; reader.next(surface);) KITH_TRY(take(surface));
    buffer.erase(0, reader.read());
  }
  return Status::ok();
}

Status rank_stems(storage::FileSystem& fs, const std::string& prefix, const CountOf& count_of,
                  const FormBytes& form_bytes, const Budget& memory, const std::string& path,
                  ThreadPool& pool, const TakeTerm& take) {
  std::vector<std::vector<std::string>> runs_of(shards);
  const auto rank = [&](size_t i, unsigned) -> Status {
    const auto shard = static_cast<unsigned>(i);
    KITH_ASSIGN(runs_of[shard], rank_shard(fs, prefix, shard, count_of, form_bytes[shard],
                                           memory.each(pool.size())));
    return Status::ok();
  };
  KITH_TRY(pool.try_each(shards, rank));
  give_back_free_memory();
  std::vector<std::string> runs;
  for (auto& of_shard : runs_of) std::ranges::move(of_shard, std::back_inserter(runs));
  return merge_terms(fs, runs, path, memory, take);
}

Result<Dictionary> make_spooled_dictionary(storage::FileSystem& fs, const std::string& prefix,
                                           const VocabularySpool& spool, StemNumbers& numbers,
                                           const DictionaryOptions& options,
                                           const DocumentFrequencies& frequencies,
                                           const PartCounts& n, const std::string& terms_path,
                                           const Budget& memory, ThreadPool& pool) {
  FormBytes form_bytes = {};
  {
    FormDealer forms(fs, prefix, memory.bytes());
    KITH_TRY(forms.deal(spool, numbers, frequencies, options.min_df));
    for (unsigned shard = 0; shard < shards; ++shard) form_bytes[shard] = forms.bytes(shard);
  }
  free_memory(numbers.of);
  const auto count_of = [&](uint32_t number) -> uint64_t {
    const bool is_kept =
        number < frequencies.terms() && frequencies.reaches(number, options.min_df);
    return is_kept ? frequencies.of_all(number) : 0;
  };
  const std::string ranked = prefix + "ranked";
  std::vector<uint32_t> ids;
  KITH_TRY(rank_stems(fs, prefix, count_of, form_bytes, memory, ranked, pool,
                      [&](const RankedTerm& term) {
                        ids.push_back(term.number);
                        return Status::ok();
                      }));
  KITH_TRY(write_ranked_terms(fs, ranked, frequencies, terms_path));
  KITH_TRY(fs.remove(ranked));
  Dictionary dictionary = number_terms(options, std::move(ids), frequencies, n);
  free_memory(dictionary.provisional_id);
  dictionary.dropped_rare = frequencies.met() - dictionary.terms();
  return dictionary;
}

}  // namespace kith::bags
