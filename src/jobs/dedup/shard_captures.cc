#include "jobs/dedup/shard_captures.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/memory.h"
#include "base/page_keys.h"
#include "jobs/dedup/directory.h"
#include "run/captures.h"
#include "run/memory_budget.h"

namespace kith::jobs {
namespace {

constexpr uint32_t flag_cut = 1;
constexpr uint32_t flag_short = 2;

// The rows of a shard in their order, read a piece at a time.
class CaptureRows {
 public:
  static Result<CaptureRows> open(storage::FileSystem& fs, const std::string& shard) {
    CaptureRows rows;
    KITH_ASSIGN(rows.file_,
                storage::SectionFile::open(fs, fmt::format("{}/{}", shard, shard_captures_file),
                                           shard_captures_kind));
    KITH_ASSIGN(rows.all_, rows.file_.array<ShardCapture>("captures"));
    return rows;
  }

  size_t size() const { return all_.size(); }
  void rewind() { next_ = 0; }
  bool at_end() const { return next_ == all_.size(); }

  // Calls visit(number of the document, row) for all that follow of an input file.
  template <class Visit>
  Status for_each_of(uint32_t file, const Visit& visit) {
    for (; !at_end(); ++next_) {
      if (next_ < begin_ || next_ >= begin_ + piece_.size()) KITH_TRY(read_piece());
      const ShardCapture& row = piece_[next_ - begin_];
      if (row.file != file) return Status::ok();
      KITH_TRY(visit(next_, row));
    }
    return Status::ok();
  }

  Error do_not_fit() const { return file_.do_not_fit(); }

 private:
  Status read_piece() {
    constexpr size_t rows = 1 << 12;
    begin_ = next_;
    KITH_ASSIGN(piece_, file_.read(all_.subspan(begin_, std::min(rows, all_.size() - begin_))));
    return Status::ok();
  }

  storage::SectionFile file_;
  std::span<const ShardCapture> all_;
  LargeArray<ShardCapture> piece_;
  size_t begin_ = 0;  // of the piece
  size_t next_ = 0;
};

// Calls visit(shard, document, row) for all documents in the order of the whole input.
template <class Visit>
Status for_each_row(std::vector<CaptureRows>& shards, size_t files, const Budget& memory,
                    const PageKeys& keys, const Visit& visit) {
  constexpr size_t checked_together = 1 << 10;
  for (CaptureRows& shard : shards) shard.rewind();
  for (size_t file = 0; file < files; ++file) {
    const size_t shard = file % shards.size();
    const auto visit_row = [&](size_t document, const ShardCapture& row) -> Status {
      visit(shard, document, row);
      const bool is_time = document % checked_together == 0;
      return is_time ? run::check_pages(memory, keys.size()) : Status::ok();
    };
    KITH_TRY(shards[shard].for_each_of(static_cast<uint32_t>(file), visit_row));
  }
  for (const CaptureRows& shard : shards) {
    if (!shard.at_end()) return shard.do_not_fit();
  }
  return Status::ok();
}

}  // namespace

bool keeps_captures(const DedupOptions& options) {
  return options.shards > 0 && options.captures != Captures::all;
}

void CaptureBlock::add(const crawl::Page& page) {
  if (!is_wanted_) return;
  ShardCapture& row = rows_.emplace_back();
  row.time = page.time;
  row.bytes = page.body.size();
  row.file = page.file;
  row.flags = (page.is_cut ? flag_cut : 0) | (page.ends_early ? flag_short : 0);
  if (!text::parse_url(page.url, nullptr, url_)) return;
  const run::CaptureKeys keys = run::rewrite(rules_, url_);
  row.url = keys.url;
  row.spelling = keys.spelling.value_or(Key128());
}

Result<std::unique_ptr<ShardCapturesWriter>> ShardCapturesWriter::create(storage::FileSystem& fs,
                                                                         const std::string& path) {
  KITH_ASSIGN(auto file,
              storage::SectionWriter::create(fs, fmt::format("{}/{}", path, shard_captures_file),
                                             shard_captures_kind));
  KITH_TRY(file.begin("captures"));
  return std::unique_ptr<ShardCapturesWriter>(new ShardCapturesWriter(std::move(file)));
}

Result<MergedCaptures> choose_captures(storage::FileSystem& fs, const DedupOptions& options,
                                       std::span<const std::string> paths, size_t files,
                                       const Budget& memory) {
  MergedCaptures merged;
  std::vector<CaptureRows> shards;
  for (const std::string& path : paths) {
    KITH_ASSIGN(CaptureRows rows, CaptureRows::open(fs, path));
    merged.is_taken.emplace_back(rows.size(), true);
    shards.push_back(std::move(rows));
  }
  PageKeys keys(options.captures);
  const auto choose = [&](run::PageChoice choice, const auto& pass_over) {
    run::CaptureChoice captures(keys, choice);
    return for_each_row(shards, files, memory, keys,
                        [&](size_t shard, size_t document, const ShardCapture& row) {
                          if (row.url == Key128()) return;
                          run::CaptureKeys capture{row.url, {}};
                          if (row.spelling != Key128()) capture.spelling = row.spelling;
                          const crawl::Admission admission = captures.choose(capture, row.time);
                          if (admission != crawl::Admission::accept)
                            pass_over(shard, document, row, admission);
                        });
  };
  KITH_TRY(
      choose(run::PageChoice::add, [](size_t, size_t, const ShardCapture&, crawl::Admission) {}));
  keys.end_adding();
  KITH_TRY(choose(run::PageChoice::take, [&](size_t shard, size_t document, const ShardCapture& row,
                                             crawl::Admission admission) {
    merged.is_taken[shard][document] = false;
    merged.later += {.pages = 1,
                     .page_bytes = row.bytes,
                     .cut_pages = (row.flags & flag_cut) != 0,
                     .short_pages = (row.flags & flag_short) != 0};
    merged.joined += admission == crawl::Admission::joined ? 1 : 0;
  }));
  return merged;
}

}  // namespace kith::jobs
