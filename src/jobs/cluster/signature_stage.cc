#include "jobs/cluster/signature_stage.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/parallel/background.h"

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

}  // namespace kith::jobs
