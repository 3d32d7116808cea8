// The snapshot and the log of a stream, of any bytes (section_files.h), opened and then used.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/section_files.h"
#include "jobs/stream/log.h"
#include "jobs/stream/store.h"
#include "sketch/bag.h"

namespace {

using kith::fuzz::File;
using kith::fuzz::opened;
using kith::fuzz::path;
using kith::fuzz::require;

constexpr uint64_t max_tables = 16;  // more take long to plan
constexpr kith::storage::FileKind log_kind{"slog", 1};

kith::Status use_snapshot(kith::storage::FileSystem& fs) {
  const auto snapshot = kith::jobs::Snapshot::open(fs, path);
  if (!opened(snapshot)) return kith::Status::ok();
  const kith::StreamOptions& options = snapshot->head().options;
  if (options.max_tables > max_tables) return kith::Status::ok();
  kith::jobs::Engine engine(options);
  const kith::Status read = snapshot->read(engine);
  if (!read) {
    require(read.error().kind == kith::ErrorKind::corrupt);
    return kith::Status::ok();
  }
  std::vector<kith::StreamDecision> decisions;
  const uint64_t elements[] = {kith::sketch::bag_total};  // a bag of term 0, too
  const kith::jobs::PageWord words[] = {{1, "one"}, {2, "two"}};
  engine.add(
      "a page", elements, 0, decisions, [](const kith::StreamPair&) {}, words);
  for (const kith::StreamDecision& made : decisions) {
    require(engine.themes().theme(made.cluster).size() <= *options.themes);
  }
  engine.remove("a page", 1, decisions);
  const kith::StreamCounts counts = engine.counts();
  require(counts.clusters <= counts.documents);
  return kith::Status::ok();
}

// The bytes of a log come as those of a section.
kith::Status use_log(kith::storage::FileSystem& fs) {
  const auto file = kith::storage::SectionFile::open(fs, path, log_kind);
  if (!opened(file)) return kith::Status::ok();
  const auto bytes = file->section("log");
  if (!opened(bytes)) return kith::Status::ok();
  KITH_TRY(kith::storage::write_file(fs, "stream.1.log", kith::as_text(*bytes)));
  kith::jobs::RecordBuffers buffers;
  std::string again;
  const auto take = [&](std::string_view record) {
    const auto read = kith::jobs::decode(record, buffers);
    if (read) kith::jobs::encode(*read, again);
    return kith::Status::ok();
  };
  const auto end = kith::jobs::read_log(fs, "stream.1.log", 1, take);
  require(end.is_ok() && end->bytes <= bytes->size());
  require(kith::jobs::find_records(fs, "stream.1.log", end->bytes, take).is_ok());
  return kith::Status::ok();
}

const std::vector<File>& files() {
  static const std::vector<File> all{
      {kith::jobs::snapshot_kind,
       {"head",        "numbers",      "sizes",           "last_times",    "last_pages",
        "names",       "names_at",     "times",           "similarities",  "features",
        "features_at", "means",        "means_at",        "changes",       "counted",
        "words",       "word_pages",   "word_known",      "theme_words",   "theme_words_at",
        "theme_stems", "theme_counts", "theme_counts_at", "theme_counted", "theme_floors"},
       use_snapshot},
      {log_kind, {"log"}, use_log},
  };
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kith::fuzz::use_one_of(files(), data, size);
}
