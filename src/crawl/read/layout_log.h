// How a file is laid out: where its members and its records lie, told while it is read.
#pragma once

#include <cstdint>

namespace kith::crawl {

// A gzip member or zstd frame that has been unpacked, or found broken.
struct MemberExtent {
  uint64_t begin = 0;  // on disk
  uint64_t end = 0;    // on disk; of a broken one, where its decoder stopped
  uint64_t unpacked_begin = 0;
  uint64_t unpacked_end = 0;  // of a broken one, what could be unpacked
  bool sound = true;
};

// Positions are those of UnpackedStream::position(), and ascend. A record is known from its first
// byte to the next record, or to damage: the line breaks behind it are its own.
class LayoutLog {
 public:
  virtual ~LayoutLog() = default;

  // Called first of all.
  virtual void file_begins(bool is_packed) { static_cast<void>(is_packed); }
  // `position` is where the reader stands, which may lie far before the member. Not called for
  // plain files.
  virtual void member_ended(const MemberExtent& member, uint64_t position) = 0;
  // `record` as in Page::record.
  virtual void record_begins(uint64_t record, uint64_t position) = 0;
  // Called also where no record has begun.
  virtual void record_ended(uint64_t position) = 0;
  // The length of the current record is too large: that it ends early is known only by the record
  // that begins next.
  virtual void record_needs_next() = 0;
};

}  // namespace kith::crawl
