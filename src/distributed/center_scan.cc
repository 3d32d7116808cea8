#include "distributed/center_scan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/budget.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"
#include "distributed/dedup_steps.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/families/center_scan.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/match.h"
#include "run/memory_budget.h"
#include "similar/sets/set_join.h"
#include "sketch/estimate.h"

namespace kith::distributed {

uint64_t max_centers(uint64_t parts, uint64_t members, uint64_t documents,
                     uint64_t max_comparisons) {
  return jobs::max_centers_of(parts, members,
                              static_cast<uint32_t>(std::min<uint64_t>(documents, UINT32_MAX)),
                              max_comparisons);
}

Result<std::unique_ptr<CenterScan>> CenterScan::make(const DedupOptions& options,
                                                     const std::string& folder,
                                                     std::span<const uint32_t> others) {
  if (storage::posix_file_system().exists(folder)) {
    return usage_error(fmt::format(
        "{}: is there already; name a folder that can be made, and removed at the end", folder));
  }
  std::unique_ptr<CenterScan> scan(new CenterScan(options, folder, others));
  KITH_TRY(scan->fs_.make_directories(scan->resources_.scratch));
  KITH_ASSIGN(auto writer,
              jobs::DocumentWriter::create(scan->fs_, folder, jobs::sketch_params(options)));
  scan->writer_.emplace(std::move(writer));
  return scan;
}

CenterScan::CenterScan(const DedupOptions& options, const std::string& folder,
                       std::span<const uint32_t> others)
    : options_(options),
      fs_(storage::posix_file_system()),
      resources_{fs_, folder, folder + "/scratch", run::memory_or_default(options.memory), pool_},
      others_(others.begin(), others.end()) {}

// What cannot be removed is left.
CenterScan::~CenterScan() {
  clean_up([&] { return fs_.remove_tree(resources_.folder); });
}

Status CenterScan::add(DocumentView numbers, const SetsView& sets, SignatureView signatures) {
  if (!are_sets(sets) || sets.size() != numbers.size() ||
      signatures.size() != numbers.size() * options_.lanes) {
    return Error{ErrorKind::corrupt, "sets of documents: the arrays do not fit together"};
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    KITH_TRY(add_others(numbers[i]));
    KITH_TRY(
        add_document(numbers[i], sets[i], signatures.subspan(i * options_.lanes, options_.lanes)));
  }
  return Status::ok();
}

Status CenterScan::add_others(uint64_t below) {
  const std::vector<uint16_t> none(options_.lanes);
  for (; next_other_ < others_.size() && others_[next_other_] < below; ++next_other_) {
    KITH_TRY(add_document(others_[next_other_], {}, none));
  }
  return Status::ok();
}

Status CenterScan::add_document(uint32_t number, std::span<const uint64_t> set,
                                SignatureView signature) {
  if (!documents_.empty() && number <= documents_.back()) {
    return usage_error("documents must ascend by their numbers, each once");
  }
  documents_.push_back(number);
  sizes_.push_back(static_cast<uint32_t>(set.size()));
  jobs::DocumentBlock block;
  jobs::Document& document = block.documents.emplace_back();
  if (!set.empty()) document.fingerprint = hash64(std::as_bytes(set));
  block.names.emplace_back();
  block.sizes.push_back(sizes_.back());
  block.elements.assign(set.begin(), set.end());
  block.signatures.assign(signature.begin(), signature.end());
  return writer_->add(block);
}

Result<uint32_t> CenterScan::row_of(uint32_t number) const {
  const auto at = std::ranges::lower_bound(documents_, number);
  if (at == documents_.end() || *at != number) {
    return usage_error(fmt::format("document {} was not added", number));
  }
  return static_cast<uint32_t>(at - documents_.begin());
}

Status CenterScan::write_matches(const CenterScanInput& input, const std::string& path,
                                 uint64_t& parts) {
  std::vector<similar::SetPair> listed;
  listed.reserve(input.a.size());
  for (size_t i = 0; i < input.a.size(); ++i) {
    KITH_ASSIGN(const uint32_t a, row_of(input.a[i]));
    KITH_ASSIGN(const uint32_t b, row_of(input.b[i]));
    listed.push_back({a, b, 0});
  }
  std::ranges::sort(listed);
  const uint64_t memory =
      run::working_memory(resources_.memory, documents_.size()).bytes(Share::whole_parts);
  jobs::WholePartWriter whole_parts(resources_, memory);
  for (size_t i = 0; i < input.part_names.size(); ++i) {
    KITH_ASSIGN(const uint32_t row, row_of(input.part_members[i]));
    KITH_TRY(whole_parts.add(input.part_names[i], std::span(&row, 1)));
  }
  KITH_TRY(jobs::write_known_matches(path, static_cast<uint32_t>(documents_.size()), listed,
                                     whole_parts, fs_));
  parts = whole_parts.parts();
  return Status::ok();
}

Result<ScannedCenters> CenterScan::run(const CenterScanInput& input) {
  KITH_CHECK(input.a.size() == input.b.size());
  KITH_CHECK(input.part_members.size() == input.part_names.size());
  KITH_TRY(add_others(UINT64_MAX));
  ScannedCenters found;
  if (documents_.empty()) return found;
  KITH_TRY(writer_->finish(options_.inputs));
  KITH_ASSIGN(const auto table,
              jobs::DocumentTable::open(fs_, resources_.folder, {.sketches = true}));
  const std::string path = resources_.folder + "/" + std::string(jobs::matches_file);
  uint64_t parts = 0;
  KITH_TRY(write_matches(input, path, parts));
  KITH_ASSIGN(const auto matches, jobs::Matches::open(fs_, path, table.size()));
  std::vector<uint32_t> rank(documents_.size());
  std::iota(rank.begin(), rank.end(), 0u);
  KITH_ASSIGN(const auto meeting, jobs::meeting_rule(table, parts > 0, options_, resources_));
  const jobs::CenterScanOptions scan{
      .rule = jobs::pair_rule(options_), .max_centers = input.max_centers, .absorb = false};
  jobs::CenterScanSinks sinks;
  sinks.pairs = [&](const similar::SetPair& pair) {
    const sketch::SetOverlap overlap{sizes_[pair.a], sizes_[pair.b], pair.common};
    found.a.push_back(documents_[pair.a]);
    found.b.push_back(documents_[pair.b]);
    found.similarity.push_back(overlap.resemblance());
    return Status::ok();
  };
  DedupLargeParts large;
  KITH_ASSIGN(found.center, jobs::center_groups(table, {}, matches, rank, *meeting, scan,
                                                resources_, sinks, large));
  for (uint32_t& center : found.center) center = documents_[center];
  return found;
}

}  // namespace kith::distributed
