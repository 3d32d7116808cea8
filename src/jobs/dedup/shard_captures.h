// Captures of a URL in several shards (--captures first or last): a shard keeps the documents of
// all, and the merge chooses among them as a run on the whole would (docs/formats/shards.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kith/dedup.h"
#include "kith/report.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/dates.h"
#include "base/hash.h"
#include "crawl/read/page.h"
#include "storage/file_system.h"
#include "storage/section_file.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith::jobs {

inline constexpr storage::FileKind shard_captures_kind{"dcap", 1};

// What a document is as a capture: a row of a file of captures.
struct ShardCapture {
  Key128 url = {};         // zero where the document has none, and is in the run whatever comes
  Key128 spelling = {};    // of the URL before rules have rewritten it; zero without rules
  int64_t time = no_time;  // as Page::time
  uint64_t bytes = 0;      // of the payload
  uint32_t file = 0;       // the number of its input file
  uint32_t flags = 0;      // as Page has them: 1: is_cut, 2: ends_early
};
static_assert(sizeof(ShardCapture) == 56);

// Whether a shard has such a file.
bool keeps_captures(const DedupOptions& options);

// The captures of consecutive documents, on their way to the file. One for a worker.
class CaptureBlock {
 public:
  explicit CaptureBlock(const DedupOptions& options)
      : is_wanted_(keeps_captures(options)), rules_(text::UrlRules::of_valid(options.url_rules)) {}

  // The next document; nothing where no file is kept.
  void add(const crawl::Page& page);
  std::span<const ShardCapture> rows() const { return rows_; }
  void clear() { rows_.clear(); }

 private:
  bool is_wanted_;
  text::UrlRules rules_;
  text::Url url_;
  std::vector<ShardCapture> rows_;
};

// The file of captures of a shard in the folder `path`, whose documents come in ascending order.
class ShardCapturesWriter {
 public:
  static Result<std::unique_ptr<ShardCapturesWriter>> create(storage::FileSystem& fs,
                                                             const std::string& path);
  Status add(std::span<const ShardCapture> rows) { return file_.append_array(rows); }
  Status finish() { return file_.finish(); }

 private:
  explicit ShardCapturesWriter(storage::SectionWriter file) : file_(std::move(file)) {}

  storage::SectionWriter file_;
};

// Which documents of all shards the run has.
struct MergedCaptures {
  std::vector<std::vector<bool>> is_taken;  // by shard and document; empty: all of all shards
  PageCounts later;                         // what the other ones are as pages
  uint64_t joined = 0;  // of these the first of other spellings; the others are duplicates
};

// `paths`: of all shards, in the order of their numbers; files: how many input files there are. The
// keys of their URLs are held in `memory` meanwhile, 40 bytes each. Errors: too little memory,
// files that do not fit each other.
Result<MergedCaptures> choose_captures(storage::FileSystem& fs, const DedupOptions& options,
                                       std::span<const std::string> paths, size_t files,
                                       const Budget& memory);

}  // namespace kith::jobs
