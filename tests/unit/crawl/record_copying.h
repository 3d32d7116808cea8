// Copies crawl files without some records, for the tests of copies.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel/thread_pool.h"
#include "crawl/copy/record_copy.h"
#include "crawl/read/byte_source.h"
#include "crawl/read/unpacked_stream.h"
#include "storage/file_system.h"

namespace kith::crawl::test {

// Records to be removed, by the number of their file.
using Removal = std::map<uint32_t, std::vector<uint64_t>>;

inline Result<CopyReport> try_copy(const CrawlOptions& options, const std::string& out,
                                   const Removal& removal, unsigned threads = 1,
                                   storage::FileSystem& fs = storage::posix_file_system(),
                                   const Replacement& replacement = nullptr) {
  KITH_ASSIGN(const CopyPlan plan, plan_copy(options, out));
  ThreadPool pool(threads);
  const auto removed = [&](uint32_t file) -> Result<std::vector<uint64_t>> {
    const auto found = removal.find(file);
    return found == removal.end() ? std::vector<uint64_t>() : found->second;
  };
  return write_copy(fs, pool, plan, {.removed = removed, .replacement = replacement});
}

inline CopyReport copy(const CrawlOptions& options, const std::string& out, const Removal& removal,
                       unsigned threads = 1) {
  const Result<CopyReport> report = try_copy(options, out, removal, threads);
  if (report) return *report;
  ADD_FAILURE() << report.error().message;
  return {};
}

// What a file unpacks to.
inline std::string unpack(std::string_view bytes, std::optional<Codec> codec) {
  auto stream = UnpackedStream::open(std::make_unique<MemorySource>(bytes), codec);
  std::string all;
  while (stream->fill().value()) {
    all += stream->window();
    stream->consume(stream->window().size());
  }
  EXPECT_EQ(stream->problem(), "");
  return all;
}

}  // namespace kith::crawl::test
