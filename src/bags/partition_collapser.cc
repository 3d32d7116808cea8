#include "bags/partition_collapser.h"

#include <algorithm>

#include <fmt/format.h>

#include "bags/fragment.h"
#include "bags/fragment_chunks.h"

namespace kith::bags {
namespace {

constexpr unsigned split_bits = 3;
constexpr unsigned key_bits = 64;

}  // namespace

Result<CollapseCounts> PartitionCollapser::collapse(const PartitionFiles& files,
                                                    const std::string& name,
                                                    std::vector<std::string>& runs) const {
  return collapse_part(files, UINT64_MAX, name, runs);
}

// whole: bytes of the partition that this is a part of.
Result<CollapseCounts> PartitionCollapser::collapse_part(const PartitionFiles& files,
                                                         uint64_t whole, const std::string& name,
                                                         std::vector<std::string>& runs) const {
  if (files.paths.empty()) return CollapseCounts();
  if (files.bytes <= memory_ / expansion) {
    runs.push_back(name);
    return collapse_in_memory(files, name);
  }
  const bool can_split = files.first_bit + split_bits <= key_bits;
  if (files.bytes > whole / 4 * 3 || !can_split) {
    bool too_many_urls = false;
    KITH_ASSIGN(const CollapseCounts counts,
                collapse_chunks(fs_, files.paths, name, can_split ? memory_ : UINT64_MAX,
                                too_many_urls, options_));
    if (!too_many_urls) {
      runs.push_back(name);
      KITH_TRY(remove(files));
      return counts;
    }
  }
  return split(files, name, runs);
}

Result<CollapseCounts> PartitionCollapser::collapse_in_memory(const PartitionFiles& files,
                                                              const std::string& name) const {
  std::string fragments;
  for (const std::string& path : files.paths) {
    KITH_ASSIGN(std::string more, storage::read_file(fs_, path));
    if (fragments.empty()) {
      fragments = std::move(more);
    } else {
      fragments += more;
    }
  }
  KITH_TRY(remove(files));
  const auto write_block = std::clamp<size_t>(memory_ / 8, 64 << 10, 1 << 20);
  return collapse_partition(fs_, fragments, name, options_, write_block);
}

// The buffers are gone before the parts are collapsed.
Status PartitionCollapser::deal_out(const PartitionFiles& files, FragmentSpool& parts) const {
  const size_t buffer = std::clamp<size_t>(memory_ / 4 / parts.partitions(), 4 << 10, 1 << 20);
  FragmentWriter writer(parts, buffer);
  FragmentChunks chunks(fs_, files.paths, std::clamp<size_t>(memory_ / 4, 64 << 10, 4 << 20));
  for (;;) {
    KITH_ASSIGN(const std::string_view chunk, chunks.next());
    if (chunk.empty()) return writer.flush();
    KITH_TRY(copy_fragments(chunk, writer));
  }
}

Result<CollapseCounts> PartitionCollapser::split(const PartitionFiles& files,
                                                 const std::string& name,
                                                 std::vector<std::string>& runs) const {
  constexpr uint32_t parts = 1 << split_bits;
  FragmentSpool spool(fs_, fmt::format("{}-part-{}-", name, files.first_bit), parts,
                      files.first_bit);
  KITH_TRY(deal_out(files, spool));
  KITH_TRY(remove(files));
  CollapseCounts counts;
  for (uint32_t part = 0; part < parts; ++part) {
    if (spool.bytes(part) == 0) continue;
    const PartitionFiles files_of_part{
        {spool.path(part)}, spool.bytes(part), files.first_bit + split_bits};
    KITH_ASSIGN(const CollapseCounts more,
                collapse_part(files_of_part, files.bytes, fmt::format("{}-{}", name, part), runs));
    counts += more;
  }
  return counts;
}

Status PartitionCollapser::remove(const PartitionFiles& files) const {
  for (const std::string& path : files.paths) KITH_TRY(fs_.remove(path));
  return Status::ok();
}

}  // namespace kith::bags
