#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "crawl/container/container.h"
#include "crawl/read/byte_source.h"
#include "crawl/read/page_reader.h"

namespace kith::crawl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t between_places = 1 << 20;  // bytes on disk
// Before so many bytes no search is given up, so that there is a place where there can be one.
constexpr uint64_t most_without_place = 4 * between_places;

// Is told where records and members begin, and keeps some places where both do.
class PlaceLog : public LayoutLog {
 public:
  // What is read begins at `start`.
  explicit PlaceLog(RecordPlace start) : start_(start), last_(start.offset) {}

  void file_begins(bool is_packed) override { is_packed_ = is_packed; }

  void member_ended(const MemberExtent& member, uint64_t) override {
    if (!starts_.empty() && starts_.back().unpacked == member.unpacked_end) starts_.pop_back();
    if (member.sound) starts_.push_back({member.unpacked_end, start_.offset + member.end});
  }

  void record_begins(uint64_t record, uint64_t position) override {
    const std::optional<uint64_t> offset = offset_of(position);
    if (!offset || *offset < last_ + between_places) return;
    last_ = *offset;
    places.push_back({start_.record + record, *offset});
  }

  void record_ended(uint64_t) override {}
  void record_needs_next() override {}

  std::vector<RecordPlace> places;

 private:
  struct MemberStart {
    uint64_t unpacked;
    uint64_t on_disk;
  };

  // Of the member that begins at this position, where one does: the member before it has ended
  // before the reader comes so far.
  std::optional<uint64_t> offset_of(uint64_t position) {
    if (!is_packed_) return start_.offset + position;
    while (!starts_.empty() && starts_.front().unpacked < position) starts_.pop_front();
    if (starts_.empty() || starts_.front().unpacked != position) return std::nullopt;
    return starts_.front().on_disk;
  }

  const RecordPlace start_;
  uint64_t last_;  // place that was kept
  bool is_packed_ = false;
  std::deque<MemberStart> starts_;
};

}  // namespace

PageFinder::PageFinder(CrawlOptions options) : options_(std::move(options)) {}

uint64_t PageFinder::places() const {
  const std::lock_guard lock(mutex_);
  uint64_t count = 0;
  for (const auto& [path, places] : places_) count += places.size();
  return count;
}

RecordPlace PageFinder::start_of(const std::string& path, uint64_t record) const {
  const std::lock_guard lock(mutex_);
  const auto own = places_.find(path);
  if (own == places_.end()) return {};
  const auto after = std::ranges::upper_bound(own->second, record, {}, &RecordPlace::record);
  return after == own->second.begin() ? RecordPlace() : *(after - 1);
}

// Searches at the same time may have found the same.
void PageFinder::note(const std::string& path, const std::vector<RecordPlace>& found) {
  const std::lock_guard lock(mutex_);
  std::vector<RecordPlace>& own = places_[path];
  for (const RecordPlace& place : found) {
    if (own.empty() || place.offset >= own.back().offset + between_places) own.push_back(place);
  }
}

Result<PageSearch> PageFinder::find(const std::string& path, uint64_t record,
                                    Clock::duration patience,
                                    const std::function<void(const Page&)>& use) {
  // A pipe would be waited for.
  std::error_code error;
  if (!std::filesystem::is_regular_file(file_on_disk(path), error)) {
    return Error{ErrorKind::not_found, fmt::format("{}: is no file", path)};
  }
  const Clock::time_point end = Clock::now() + patience;
  const RecordPlace start = start_of(path, record);
  PlaceLog log(start);
  KITH_ASSIGN(PageReader reader, PageReader::open_part(options_, path, start.offset, log));
  PageSearch outcome = PageSearch::missing;
  PageBatch batch;
  bool is_behind = false;
  while (!is_behind && outcome == PageSearch::missing) {
    KITH_ASSIGN(const bool more, reader.next(batch));
    if (!more) break;
    for (const Page& page : batch.pages) {
      if (page.kind == PageKind::redirect) continue;
      is_behind |= start.record + page.record > record;
      if (start.record + page.record != record) continue;
      use(page);
      outcome = PageSearch::found;
    }
    const bool may_find_place = log.places.empty() && reader.bytes_done() < most_without_place;
    if (outcome != PageSearch::missing || may_find_place || Clock::now() <= end) continue;
    outcome = log.places.empty() ? PageSearch::too_far : PageSearch::interrupted;
  }
  note(path, log.places);
  return outcome;
}

}  // namespace kith::crawl
