#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "jobs/cluster/pair_stage.h"

namespace kith::jobs {
namespace {

constexpr size_t max_block = 1 << 15;      // bags
constexpr uint64_t block_bytes = 4 << 20;  // of signatures, or of bags

}  // namespace

Status append_signatures(storage::SectionWriter& file, const sketch::BagCollection& bags,
                         size_t begin, size_t end, const sketch::SketchOptions& options,
                         ThreadPool& pool) {
  const sketch::Sketcher sketcher(options);
  const uint64_t row_bytes = uint64_t{options.lanes} * sizeof(uint16_t);
  const size_t block_bags =
      std::min({max_block, bags.bags_in(block_bytes), size_t{block_bytes / row_bytes}});
  const size_t grain = block_bags / 32 + 1;
  std::array<std::vector<uint16_t>, 2> blocks;
  std::vector<sketch::BagBuffer> buffers(pool.size());
  Background writing(pool.size());  // of a block, while the next is made
  for (size_t first = begin; first < end; first += block_bags) {
    std::vector<uint16_t>& rows = blocks[(first - begin) / block_bags % 2];
    const size_t count = std::min(block_bags, end - first);
    rows.resize(count * options.lanes);
    pool.for_chunks(count, grain, [&](size_t chunk_begin, size_t chunk_end, unsigned worker) {
      const sketch::BagBlock block =
          bags.block(first + chunk_begin, first + chunk_end, buffers[worker]);
      for (size_t i = chunk_begin; i < chunk_end; ++i) {
        sketcher.sketch(block[first + i],
                        std::span(rows).subspan(i * options.lanes, options.lanes));
      }
    });
    KITH_TRY(writing.wait());
    writing.start(
        [&file, made = std::span<const uint16_t>(rows)] { return file.append_array(made); });
  }
  return writing.wait();
}

Status write_signatures(storage::FileSystem& fs, const std::string& path,
                        const sketch::BagCollection& bags, const sketch::SketchOptions& options,
                        ThreadPool& pool) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, signatures_kind));
  KITH_TRY(file.begin("signatures"));
  KITH_TRY(append_signatures(file, bags, 0, bags.size(), options, pool));
  return file.finish();
}

Result<SignatureTable> SignatureTable::open(storage::FileSystem& fs, const std::string& path,
                                            uint32_t lanes, uint64_t count) {
  SignatureTable table;
  KITH_ASSIGN(table.file_, storage::SectionFile::open(fs, path, signatures_kind));
  KITH_ASSIGN(const auto values, table.file_.array<uint16_t>("signatures"));
  if (values.size() != count * lanes) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: does not hold the {} signatures of this run; remove the run "
                             "directory and run the same command again",
                             path, count)};
  }
  table.signatures_ = sketch::Signatures(values, lanes, &table.file_.mapping());
  return table;
}

Status SignatureTable::stay() {
  KITH_ASSIGN(own_values_, file_.read(signatures_.values()));
  signatures_ = sketch::Signatures(own_values_.span(), signatures_.lanes());
  return Status::ok();
}

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
