// The bytes of one input file with its outer compression undone, seen through a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "crawl/codec/member_codec.h"
#include "crawl/read/byte_source.h"

namespace kith::crawl {

// Reads a file that is plain, or a row of members of a file codec (of zstd with the dictionary of a
// .warc.zst, if it begins with one), in bounded memory.
//
// Damage cuts the stream into segments: runs of bytes that follow each other in the file.
// fill() stops at the end of a segment, problem() says why it ended, and next_segment() goes
// on at the next member that can be found. Every byte is unpacked at most three times, whatever
// the input. Not thread-safe.
class UnpackedStream {
 public:
  // need() can ask for up to this many bytes.
  static constexpr size_t kMaxNeed = 128u << 10;

  // So far the reader can go back to the mark.
  static constexpr size_t kMaxBack = 4u << 20;

  // One read from the source, large enough for a disk to stream.
  static constexpr size_t kBlock = 1u << 20;

  // Looks at the first bytes of `source`; `named_codec` is what the file's name promises, and
  // is believed when they neither begin a member nor look like text. Tests read in small blocks
  // (4 KiB at least) to meet their borders often. least: the first bytes that are waited for.
  static Result<UnpackedStream> open(std::unique_ptr<ByteSource> source,
                                     std::optional<Codec> named_codec, size_t block = kBlock,
                                     size_t least = 512);

  // The bytes at hand, beginning at the read position; valid until the next fill() or need().
  std::string_view window() const { return {window_.get() + begin_, end_ - begin_}; }

  // Adds bytes to the window, at least one; false when the segment holds no more. The window
  // must be no longer than kMaxNeed, which a caller that consumes it before filling ensures.
  Result<bool> fill();

  // The window, filled to at least n <= kMaxNeed bytes unless the segment ends before.
  Result<std::string_view> need(size_t n);

  // Moves the read position by n <= window().size() bytes.
  void consume(size_t n);

  // Where the read position lies in the file on disk: exactly for a plain file, the start of
  // its member for a compressed one.
  uint64_t file_offset() const;
  // True at the first byte of a member (of the file, for a plain one).
  bool at_member_start() const;
  // Bytes from the read position to the next member start that the window knows of.
  size_t until_next_member() const;

  // Why the segment ended, once fill() has returned false; empty at a sound end of the file.
  std::string_view problem() const { return problem_; }
  // Where the member lies that ended the segment.
  uint64_t problem_offset() const { return problem_offset_; }

  // True when it ended because the file does, inside a member.
  bool is_truncated() const { return segment_ended_ && is_truncated_; }

  // Drops the window and moves to the next segment; false at the end of the file.
  Result<bool> next_segment();

  // The read position among the unpacked bytes of all segments; for a plain file, on disk.
  uint64_t position() const { return window_offset_ + begin_; }
  // Where the unpacked bytes end, if that is known: of a plain file, but not of a pipe or a
  // compressed file.
  std::optional<uint64_t> known_end() const {
    return codec_ ? std::nullopt : source_->known_size();
  }
  // Marks the read position, and none before it: while no more than kMaxBack bytes behind it are
  // consumed, the reader can go back to it. Not needed with a known end.
  void set_mark() { mark_ = known_end() ? kNoMark : position(); }
  // Whether seek() can move there: with a known end to all before it, else to bytes since the mark
  // and those in the window.
  bool can_seek(uint64_t position) const;
  // Moves the read position. REQUIRES: can_seek(position).
  Status seek(uint64_t position);
  // None: the file is plain.
  std::optional<Codec> codec() const { return codec_; }
  // What the zstd frames of the file are packed with; empty for none.
  const std::string& dictionary() const { return dictionary_; }

  // Tells `log`, which outlives the stream, of every member from here on; the reader that is made
  // of the stream tells it of the records.
  void set_layout_log(LayoutLog& log) {
    layout_log_ = &log;
    log.file_begins(codec_.has_value());
  }
  LayoutLog* layout_log() const { return layout_log_; }

  uint64_t bytes_read() const { return input_offset_ + input_end_; }
  uint64_t bytes_unpacked() const { return window_offset_ + end_; }

 private:
  struct MemberStart {
    uint64_t unpacked;  // position among the unpacked bytes
    uint64_t on_disk;
  };

  UnpackedStream(std::unique_ptr<ByteSource> source, size_t block)
      : source_(std::move(source)), block_(block) {}

  std::string_view input() const {
    return {input_.get() + input_begin_, input_end_ - input_begin_};
  }
  uint64_t input_position() const { return input_offset_ + input_begin_; }
  Result<bool> read_input();
  Status need_input(size_t n);
  Status make_file_decoder();
  Result<std::string> read_dictionary_frame();
  void make_room();
  Result<bool> fill_plain();
  Result<bool> fill_members();
  Result<bool> start_member();
  Status decode_some();
  void end_segment(const char* problem);
  void log_member(bool sound);
  void settle_member();
  void drop_members();
  size_t member_at(uint64_t position) const;

  std::unique_ptr<ByteSource> source_;
  size_t block_;
  std::optional<Codec> codec_;  // none: plain
  std::unique_ptr<MemberDecoder> decoder_;
  std::string dictionary_;
  LayoutLog* layout_log_ = nullptr;

  // Bytes from the source: input_[begin, end) are not yet decoded.
  std::unique_ptr<char[]> input_;
  size_t input_size_ = 0;
  size_t input_begin_ = 0;
  size_t input_end_ = 0;
  uint64_t input_offset_ = 0;  // of input_[0] in the file
  bool input_at_end_ = false;

  static constexpr uint64_t kNoMark = std::numeric_limits<uint64_t>::max();

  // Unpacked bytes: window_[begin, end) are not yet consumed. What was consumed since the mark
  // stays before them, in room of its own.
  std::unique_ptr<char[]> window_;
  size_t window_size_ = 0;
  size_t room_ = 0;   // for bytes that are not consumed
  size_t limit_ = 0;  // what may be filled of the window: the room, and what stays before it
  uint64_t mark_ = kNoMark;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t window_offset_ = 0;  // of window_[0] among the unpacked bytes

  bool in_member_ = false;
  uint64_t member_offset_ = 0;        // of the current member in the file
  std::vector<MemberStart> members_;  // members_[first_member_] holds the read position
  size_t first_member_ = 0;

  bool segment_ended_ = false;
  bool is_truncated_ = false;
  const char* problem_ = "";
  uint64_t problem_offset_ = 0;
  uint64_t furthest_damage_ = 0;  // a search for a member never goes behind it twice
};

// Appends the next line of the segment, without its line break, to `line`; of one that is longer
// than `longest` bytes, one byte more. False at the end of the segment.
Result<bool> append_line(UnpackedStream& stream, size_t longest, std::string& line);

}  // namespace kith::crawl
