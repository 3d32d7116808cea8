#include "jobs/cluster/signature_shard.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "jobs/cluster/signature_stage.h"

namespace kith::jobs {
namespace {

// What tells these bags from all others.
uint64_t fingerprint(const sketch::BagCollection& bags) {
  StreamHash hash;
  hash.update(std::as_bytes(bags.offsets()));
  hash.update(std::as_bytes(bags.entries()));
  return hash.digest();
}

Error do_not_fit(const std::string& path) {
  return {ErrorKind::corrupt,
          fmt::format("{}: is damaged, or of other bags; make this shard again", path)};
}

}  // namespace

BagRange share_of_bags(uint64_t bags, uint32_t shard, uint32_t shards) {
  return {bags * (shard - 1) / shards, bags * shard / shards};
}

Status write_signature_shard(storage::FileSystem& fs, const std::string& path,
                             const sketch::BagCollection& bags,
                             const sketch::SketchOptions& options, BagRange range,
                             ThreadPool& pool) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, signature_shard_kind));
  KITH_TRY(file.begin("signatures"));
  KITH_TRY(append_signatures(file, bags, range.begin, range.end, options, pool));
  const uint64_t about[] = {range.begin, range.end, fingerprint(bags)};
  KITH_TRY(file.begin("bags"));
  KITH_TRY(file.append_array(std::span<const uint64_t>(about)));
  return file.finish();
}

Status merge_signatures(storage::FileSystem& fs, const std::string& path,
                        std::span<const std::string> shards, const sketch::BagCollection& bags,
                        uint32_t lanes) {
  const uint64_t made_of = fingerprint(bags);
  KITH_ASSIGN(auto merged, storage::SectionWriter::create(fs, path, signatures_kind));
  KITH_TRY(merged.begin("signatures"));
  for (uint32_t i = 0; i < shards.size(); ++i) {
    KITH_ASSIGN(const auto file, storage::SectionFile::open(fs, shards[i], signature_shard_kind));
    KITH_ASSIGN(const auto about, file.array<uint64_t>("bags"));
    KITH_ASSIGN(const auto rows, file.array<uint16_t>("signatures"));
    const BagRange range = share_of_bags(bags.size(), i + 1, static_cast<uint32_t>(shards.size()));
    if (about.size() != 3 || about[0] != range.begin || about[1] != range.end ||
        about[2] != made_of || rows.size() != (range.end - range.begin) * lanes) {
      return do_not_fit(shards[i]);
    }
    KITH_TRY(merged.append_array(rows));
  }
  return merged.finish();
}

}  // namespace kith::jobs
