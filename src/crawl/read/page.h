// A page as it is read, and the memory of a batch of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/dates.h"
#include "base/memory.h"

namespace kith::crawl {

// Appends bytes to a string that is kept at its largest size, so that a buffer which is used
// again and again is neither cleared nor reallocated each time. Positions stay valid while it
// grows; pointers do not.

// Bytes of an arena by position.
struct Slice {
  size_t offset = 0;
  size_t size = 0;
};

class Arena {
 public:
  // Writes to `bytes`, which outlives the arena, from its beginning.
  explicit Arena(std::string& bytes) : bytes_(bytes) {}

  size_t used() const { return used_; }

  // n writable bytes behind what is used, valid until the next call.
  std::span<char> room(size_t n) {
    if (bytes_.size() - used_ < n) grow_to(used_ + n);
    return {bytes_.data() + used_, n};
  }
  // Takes the first n bytes of the last room().
  Slice take(size_t n) {
    KITH_CHECK(n <= bytes_.size() - used_);
    used_ += n;
    return {used_ - n, n};
  }
  // The text may be one of the arena's own.
  Slice append(std::string_view text) {
    if (text.empty()) return take(0);
    const size_t own = place_of(text);
    char* const place = room(text.size()).data();
    std::memcpy(place, own < used_ ? bytes_.data() + own : text.data(), text.size());
    return take(text.size());
  }
  // Forgets everything from `position` on.
  void cut_back(size_t position) {
    KITH_CHECK(position <= used_);
    used_ = position;
  }

  std::string_view view(Slice slice) const { return {bytes_.data() + slice.offset, slice.size}; }
  std::span<char> bytes(Slice slice) { return {bytes_.data() + slice.offset, slice.size}; }

 private:
  // Of a text in the arena; another's is not below used().
  size_t place_of(std::string_view text) const {
    return reinterpret_cast<uintptr_t>(text.data()) - reinterpret_cast<uintptr_t>(bytes_.data());
  }
  // By half of its size, of a large one by an eighth: what is grown is filled, and so takes memory
  // whether it is used or not.
  void grow_to(size_t least) {
    constexpr size_t large = 4u << 20;
    const size_t more = bytes_.size() / (bytes_.size() < large ? 2 : 8);
    bytes_.resize(std::max(least, bytes_.size() + more));
  }

  std::string& bytes_;
  size_t used_ = 0;
};

// What the crawl stage hands on: pages, in the order of the input.
enum class PageKind : uint8_t {
  html,  // markup: text/html, application/xhtml+xml
  text,  // plain text without links: text/plain, WET, a JSONL record with "text"
  wat,   // the JSON of a WAT record: title and links of an HTML page without its text
  // No page but a note that `url` (as the record spells it, never admitted) was answered by a
  // redirect to `location`, or, a revisit, by what that has given. The body is empty.
  redirect,
  // No page but a note that the page `url` is to be removed; with CrawlOptions::notes only. The
  // body is empty.
  removal,
};

// One page. All views point into the PageBatch that holds it.
struct Page {
  // As the Admit callback left it (canonical), not the record's spelling. A name where there is no
  // URL (CrawlOptions::nameless).
  std::string_view url;
  PageKind kind = PageKind::html;
  std::string_view
      spelled;  // the URL as the record spells it, where that is another one; else empty
  std::string_view charset;  // from the HTTP header; empty when it names none ("utf-8" for JSONL)
  // Only where the container gives one ("title" of JSON lines and of the list of pages of a WACZ).
  std::string_view title;
  std::string_view body;  // the payload, transfer and content encodings undone, cut at max_page
  // With CrawlOptions::rows, of a JSON line whose text is the body: what stands before and behind
  // the characters of that string. Of one without text the line, and nothing.
  std::string_view row_head;
  std::string_view row_tail;
  std::string_view media_type;  // "text/html" as the record spells it; empty when it names none
  std::string_view location;    // of a redirect: its Location, perhaps relative; else empty
  bool is_revisit = false;      // of a redirect: `location` is a URL, perhaps `url` itself
  // Of the capture, as of base/dates.h: of an archive what its records say (WARC-Date), of a JSON
  // line its "time", "timestamp", "date" or "warc_date". With CrawlOptions::notes a line's "time"
  // alone, and no_time for records of archives.
  int64_t time = no_time;
  std::string_view digest;  // of the payload, as a WARC record has it; else empty
  std::string_view extras;  // of rows the values of RowFields::extras, for extras_of()
  uint16_t status = 0;      // of HTTP; 0 when the record holds none
  bool is_cut = false;      // the payload was longer than max_page
  bool ends_early = false;  // the chunks or coded bytes of the payload did
  uint32_t file = 0;        // the number of its file among those of all inputs, from 0
  // Where its record begins in the file as it lies on disk: of a packed one, where the member does.
  uint64_t offset = 0;
  // How many bytes its record takes there: of archives alone, and of a packed one if it has a
  // member of its own; else 0.
  uint64_t length = 0;
  // The number of its record in the file, from 0. Counted are also records that are no pages: in
  // archives every record whose head could be read, in JSONL every line, blank ones too. The page
  // of a file of HTML or text has 0.
  uint64_t record = 0;
};

// What the reader keeps of a batch whose pages come in several parts.
struct UnfinishedBatch {
  virtual ~UnfinishedBatch() = default;
};

// Some consecutive pages of the input, about a megabyte as the records hold them, and the bytes
// they view. Reuse one batch per worker, in its place: its buffers keep their capacity.
struct PageBatch {
  PageBatch() = default;
  PageBatch(const PageBatch&) = delete;
  PageBatch& operator=(const PageBatch&) = delete;

  // 0, 1, 2, ... in input order. The same again where the pages, decoded, take too much memory
  // for one part: the rest comes with the next call of next() for this batch.
  uint64_t sequence = 0;
  std::vector<Page> pages;
  std::string raw;      // record bytes as read
  std::string decoded;  // payloads that had to be decoded; reserved before views are taken
  std::unique_ptr<UnfinishedBatch> rest;  // the reader's own

  // Frees the buffers when they are larger than `most` bytes, and tells whether they were.
  // REQUIRES: no rest.
  bool shrink(size_t most) {
    if (raw.capacity() + decoded.capacity() <= most) return false;
    pages.clear();
    free_memory(raw);
    free_memory(decoded);
    return true;
  }
};

}  // namespace kith::crawl
