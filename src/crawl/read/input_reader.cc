// A file of HTML or text: one page, whose URL or name its path gives.
#include "crawl/read/input_reader.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "crawl/read/records.h"

namespace kith::crawl {
namespace {

constexpr uint64_t kReadSize = 1u << 20;

class WholeReader : public InputReader {
 public:
  WholeReader(std::unique_ptr<ByteSource> source, uint64_t size, const std::string& path,
              const std::string& url, PageKind kind)
      : source_(std::move(source)), size_(size), path_(path), url_(url), kind_(kind) {}

  Result<bool> read(BatchBuilder& batch) override;
  uint64_t bytes_read() const override { return bytes_read_; }
  uint64_t bytes_unpacked() const override { return bytes_read_; }

 private:
  std::unique_ptr<ByteSource> source_;
  const uint64_t size_;
  const std::string& path_;
  const std::string& url_;
  const PageKind kind_;
  uint64_t bytes_read_ = 0;
};

Result<bool> WholeReader::read(BatchBuilder& batch) {
  Arena& raw = batch.raw();
  const size_t begin = raw.used();
  Draft draft;
  draft.kind = kind_;
  draft.place = {&path_, 0};
  draft.url = raw.append(url_);
  draft.body.offset = raw.used();
  // One byte more than is kept tells a file that is cut, and one more than its size its end.
  const uint64_t want = batch.max_page() + 1;
  const uint64_t piece = std::clamp<uint64_t>(size_ + 1, 1, kReadSize);
  while (draft.body.size < want) {
    KITH_ASSIGN(const size_t n, source_->read(raw.room(std::min(piece, want - draft.body.size))));
    if (n == 0) break;
    raw.take(n);
    draft.body.size += n;
  }
  bytes_read_ = draft.body.size;
  batch.count_record();
  const char* const problem = source_->problem();
  if (draft.body.size == 0 || *problem != '\0') {
    raw.cut_back(begin);
    batch.skip(*problem != '\0' ? Skip::damaged : Skip::empty, draft.place, problem);
    return false;
  }
  draft.cut = draft.body.size == want;
  draft.body.size = std::min<size_t>(draft.body.size, batch.max_page());
  batch.offer(draft);
  return false;
}

}  // namespace

std::unique_ptr<InputReader> make_whole_reader(std::unique_ptr<ByteSource> source, uint64_t size,
                                               const std::string& path, const std::string& url,
                                               PageKind kind) {
  return std::make_unique<WholeReader>(std::move(source), size, path, url, kind);
}

}  // namespace kith::crawl
