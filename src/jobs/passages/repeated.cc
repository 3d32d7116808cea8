#include "jobs/passages/repeated.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/memory.h"
#include "jobs/passages/units.h"
#include "run/memory_budget.h"

namespace kith::jobs {

storage::ExternalSortOptions sort_options(const PassageResources& resources, const char* name,
                                          Share share, unsigned writers) {
  storage::ExternalSortOptions options;
  options.scratch = resources.scratch + "/" + name;
  const Budget memory = resources.memory.without(Share::program, run::bytes_of_program);
  options.memory = memory.bytes(share);
  options.writers = writers;
  return options;
}

namespace {

// The members of a group of equal records. Those of a large group wait on the disk.
class GroupMembers {
 public:
  GroupMembers(storage::FileSystem& fs, std::string path) : fs_(fs), path_(std::move(path)) {}

  Status add(uint64_t id) {
    if (ids_.size() == most) KITH_TRY(spill());
    ids_.push_back(id);
    return Status::ok();
  }

  // Calls visit(id) for all in their order, and forgets them.
  template <class Visit>
  Status take(const Visit& visit) {
    std::vector<uint64_t> block(spilled_ > 0 ? most : 0);
    for (uint64_t at = 0; at < spilled_; at += most) {
      const auto bytes = std::as_writable_bytes(std::span(block));
      KITH_TRY(storage::read_block(fs_, path_, at * sizeof(uint64_t), bytes).status());
      for (const uint64_t id : block) KITH_TRY(visit(id));
    }
    for (const uint64_t id : ids_) KITH_TRY(visit(id));
    return forget();
  }

  Status forget() {
    ids_.clear();
    if (std::exchange(spilled_, 0) == 0) return Status::ok();
    return fs_.remove(path_);
  }

 private:
  static constexpr size_t most = size_t{1} << 20;

  Status spill() {
    KITH_TRY(storage::append_block(fs_, path_, as_bytes(std::span<const uint64_t>(ids_)),
                                   spilled_ == 0));
    spilled_ += ids_.size();
    ids_.clear();
    return Status::ok();
  }

  storage::FileSystem& fs_;
  std::string path_;
  std::vector<uint64_t> ids_;
  uint64_t spilled_ = 0;
};

// Calls visit(record) for all.
template <class Record, class Visit>
Status for_records(storage::BasicSortedRecords<Record>& sorted, const Visit& visit) {
  for (;;) {
    KITH_ASSIGN(const std::span<const Record> block, sorted.next());
    if (block.empty()) return Status::ok();
    for (const Record& record : block) KITH_TRY(visit(record));
  }
}

// How a unit's place is put into an id of 64 bits, behind as much of its hash as there is room for.
// Ids of equal units are in the order of ranks, then of numbers.
class PlaceBits {
 public:
  PlaceBits(uint32_t documents, uint64_t units)
      : unit_bits_(std::max(1, static_cast<int>(std::bit_width(units)))),
        bits_(unit_bits_ + std::max(1, static_cast<int>(std::bit_width(documents)))) {}

  uint64_t pack(uint64_t check, uint32_t rank, uint32_t unit) const {
    const uint64_t place = uint64_t{rank} << unit_bits_ | unit;
    return bits_ >= 64 ? place : check << bits_ | place;
  }
  // What equal units have in common.
  uint64_t check(uint64_t id) const { return bits_ >= 64 ? 0 : id >> bits_; }
  uint64_t place(uint64_t id) const { return bits_ >= 64 ? id : id & ((uint64_t{1} << bits_) - 1); }
  uint32_t rank(uint64_t id) const { return static_cast<uint32_t>(place(id) >> unit_bits_); }
  uint32_t unit(uint64_t id) const {
    return static_cast<uint32_t>(id & ((uint64_t{1} << unit_bits_) - 1));
  }

 private:
  int unit_bits_;
  int bits_;
};

// The places of anchors that more than so many documents have, in the order of the input.
Result<storage::SortedRecords> find_runs(PassageInput& input, const PassageOptions& options,
                                         const PassageResources& resources, PassageCounts& counts) {
  KITH_ASSIGN(storage::WideSortedRecords sorted, input.anchors->finish());
  storage::ExternalSort runs(resources.fs, resources.pool,
                             sort_options(resources, "runs", Share::passage_runs, 1));
  GroupMembers members(resources.fs, resources.scratch + "/group");
  uint64_t anchor = 0;
  uint64_t documents = 0;
  uint64_t last = UINT64_MAX;
  const auto end_group = [&]() -> Status {
    if (documents <= options.max_documents) return members.forget();
    return members.take([&](uint64_t place) { return runs.append({place, 0}); });
  };
  const auto add = [&](const WideKeyId& record) -> Status {
    ++counts.anchors;
    if (record.key != anchor) {
      KITH_TRY(end_group());
      anchor = record.key;
      documents = 0;
      last = UINT64_MAX;
    }
    const uint64_t document = record.id >> 32;
    documents += document == last ? 0 : 1;
    last = document;
    return members.add(record.id);
  };
  KITH_TRY(for_records(sorted, add));
  KITH_TRY(end_group());
  input.anchors.reset();
  return runs.finish();
}

// Documents in turn, some of whose runs of units have a repeated anchor.
class CandidateWriter {
 public:
  CandidateWriter(const PassageInput& input, const PassageOptions& options,
                  const PassageResources& resources, PlaceBits bits,
                  storage::WideExternalSort& units)
      : input_(input), options_(options), resources_(resources), bits_(bits), units_(units) {}

  // Places of runs, ascending, with all of each document.
  Status write(const std::vector<uint64_t>& places) {
    std::vector<size_t> begins;
    for (size_t i = 0; i < places.size(); ++i) {
      if (i == 0 || places[i] >> 32 != places[i - 1] >> 32) begins.push_back(i);
    }
    begins.push_back(places.size());
    return resources_.pool.try_chunks(
        begins.size() - 1, 16, [&](size_t first, size_t last, unsigned worker) -> Status {
          PassageUnits units(options_);
          std::string buffer;
          for (size_t i = first; i < last; ++i) {
            const std::span runs = std::span(places).subspan(begins[i], begins[i + 1] - begins[i]);
            KITH_TRY(write_document(runs, units, buffer, worker));
          }
          return Status::ok();
        });
  }

  uint64_t written() const { return written_; }

 private:
  Status write_document(std::span<const uint64_t> runs, PassageUnits& units, std::string& buffer,
                        unsigned worker) {
    const auto document = static_cast<uint32_t>(runs.front() >> 32);
    std::unique_lock<std::mutex> alone(large_, std::defer_lock);
    if (input_.texts->text_size(document) > large_text) alone.lock();
    KITH_ASSIGN(const PassageText text, input_.texts->read(document, buffer));
    const uint32_t rank = input_.texts->rank(document);
    uint64_t anchor = 0;
    uint32_t run = 0;
    uint32_t unit = 0;
    uint64_t written = 0;
    Status status;
    units.read(text.text, [&](const PassageKey& key) {
      if (unit > 0 && key.anchor != anchor) ++run;
      anchor = key.anchor;
      while (!runs.empty() && static_cast<uint32_t>(runs.front()) < run) runs = runs.subspan(1);
      if (status && !runs.empty() && static_cast<uint32_t>(runs.front()) == run) {
        status = units_.append({key.key, bits_.pack(key.check, rank, unit)}, worker);
        ++written;
      }
      ++unit;
    });
    written_ += written;
    if (alone) free_memory(buffer);
    return status;
  }

  static constexpr uint64_t large_text = 1 << 20;

  const PassageInput& input_;
  const PassageOptions& options_;
  const PassageResources& resources_;
  const PlaceBits bits_;
  storage::WideExternalSort& units_;
  std::mutex large_;
  std::atomic<uint64_t> written_ = 0;
};

// All units whose anchor is repeated.
Result<storage::WideSortedRecords> find_candidates(storage::SortedRecords& runs,
                                                   const PassageInput& input,
                                                   const PassageOptions& options,
                                                   const PassageResources& resources,
                                                   PlaceBits bits, PassageCounts& counts) {
  constexpr size_t batch = size_t{1} << 20;
  storage::WideExternalSort units(
      resources.fs, resources.pool,
      sort_options(resources, "units", Share::passage_units, resources.pool.size()));
  CandidateWriter writer(input, options, resources, bits, units);
  std::vector<uint64_t> places;
  const auto write = [&]() -> Status {
    KITH_TRY(writer.write(places));
    if (resources.progress) {
      resources.progress({"candidates", static_cast<double>(places.back() >> 32),
                          static_cast<double>(input.texts->documents()), "documents"});
    }
    places.clear();
    return Status::ok();
  };
  const auto add = [&](const KeyId& record) -> Status {
    const bool is_other = !places.empty() && places.back() >> 32 != record.key >> 32;
    if (is_other && places.size() >= batch) KITH_TRY(write());
    places.push_back(record.key);
    return Status::ok();
  };
  KITH_TRY(for_records(runs, add));
  if (!places.empty()) KITH_TRY(write());
  counts.candidates = writer.written();
  return units.finish();
}

}  // namespace

Result<storage::WideSortedRecords> find_repeated(PassageInput& input, const PassageOptions& options,
                                                 const PassageResources& resources,
                                                 PassageCounts& counts) {
  const PlaceBits bits(input.texts->documents(), input.max_units);
  std::optional<storage::WideSortedRecords> sorted;
  {
    KITH_ASSIGN(storage::SortedRecords runs, find_runs(input, options, resources, counts));
    KITH_ASSIGN(sorted, find_candidates(runs, input, options, resources, bits, counts));
  }
  if (resources.progress) resources.progress({"repeated", 0, 0, ""});
  storage::WideExternalSort places(resources.fs, resources.pool,
                                   sort_options(resources, "places", Share::passage_places, 1));
  GroupMembers members(resources.fs, resources.scratch + "/group");
  std::optional<std::pair<uint64_t, uint64_t>> group;
  uint64_t documents = 0;
  uint64_t last = UINT64_MAX;
  const auto end_group = [&]() -> Status {
    if (documents <= options.max_documents) return members.forget();
    ++counts.different;
    bool is_first = true;
    return members.take([&](uint64_t id) {
      ++counts.repeated;
      RepeatedUnit unit;
      unit.document = input.texts->of_rank(bits.rank(id));
      unit.unit = bits.unit(id);
      unit.documents = static_cast<uint32_t>(std::min<uint64_t>(documents, UINT32_MAX));
      unit.is_first = std::exchange(is_first, false);
      unit.hash = static_cast<uint32_t>(group->first);
      return places.append(unit.record());
    });
  };
  const auto add = [&](const WideKeyId& record) -> Status {
    const std::pair own(record.key, bits.check(record.id));
    if (group != own) {
      KITH_TRY(end_group());
      group = own;
      documents = 0;
      last = UINT64_MAX;
    }
    const uint64_t rank = bits.rank(record.id);
    documents += rank == last ? 0 : 1;
    last = rank;
    return members.add(record.id);
  };
  KITH_TRY(for_records(*sorted, add));
  KITH_TRY(end_group());
  sorted.reset();
  return places.finish();
}

}  // namespace kith::jobs
