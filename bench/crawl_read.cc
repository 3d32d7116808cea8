// Reading pages from a WARC file: KITH_BENCH_WARC names it. Beside the whole path stands the
// bare decompression of the same file, which is its lower bound.
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include "crawl/read/page_reader.h"
#include "crawl/read/unpacked_stream.h"

namespace {

using namespace kith::crawl;

std::string warc_path(benchmark::State& state) {
  const char* path = std::getenv("KITH_BENCH_WARC");
  if (path == nullptr) state.SkipWithError("set KITH_BENCH_WARC to a WARC file");
  return path == nullptr ? "" : path;
}

void unpack(benchmark::State& state) {
  const std::string path = warc_path(state);
  if (path.empty()) return;
  uint64_t unpacked = 0;
  for (auto _ : state) {
    auto source = FileSource::open(path);
    if (!source) return state.SkipWithError(source.error().message.c_str());
    auto stream = UnpackedStream::open(std::move(source).value(), std::nullopt);
    while (stream.is_ok() && stream->fill().value()) stream->consume(stream->window().size());
    unpacked += stream->bytes_unpacked();
  }
  state.SetBytesProcessed(static_cast<int64_t>(unpacked));
}
BENCHMARK(unpack)->Unit(benchmark::kMillisecond);

void read_pages(benchmark::State& state) {
  const std::string path = warc_path(state);
  if (path.empty()) return;
  CrawlReport total;
  PageBatch batch;
  for (auto _ : state) {
    kith::Result<PageReader> reader = PageReader::open({.inputs = {path}}, {});
    if (!reader) return state.SkipWithError(reader.error().message.c_str());
    while (reader->next(batch).value()) benchmark::DoNotOptimize(batch.pages.data());
    const CrawlReport report = reader->report();
    total.pages += report.pages;
    total.bytes_unpacked += report.bytes_unpacked;
  }
  state.SetBytesProcessed(static_cast<int64_t>(total.bytes_unpacked));
  state.SetItemsProcessed(static_cast<int64_t>(total.pages));
}
BENCHMARK(read_pages)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
