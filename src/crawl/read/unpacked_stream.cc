#include "crawl/read/unpacked_stream.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "crawl/read/payload.h"

namespace kith::crawl {
namespace {

// Unpacked bytes stay in the second-level cache until they are copied on; a plain file is
// read straight into the window.
constexpr size_t kPackedWindow = 256u << 10;
// So many beginnings of members are noted before those that lie behind are dropped.
constexpr size_t kManyMembers = 1024;
// fill() returns once it has this many new bytes.
constexpr size_t kEnough = 64u << 10;
static_assert(kPackedWindow >= UnpackedStream::kMaxNeed + kEnough);

// What is kept of a block when a member crosses into the next: damage inside the member is
// searched for the one behind it from its start, if that still lies here.
constexpr size_t look_back(size_t block) {
  return block / 4;
}

bool looks_like_text(std::string_view bytes) {
  bytes = bytes.substr(0, 64);
  return std::ranges::none_of(bytes, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
}

std::optional<Codec> codec_of(std::string_view bytes, std::optional<Codec> named) {
  for (const FileCodec& file : kFileCodecs) {
    if (bytes.size() >= 4 && starts_member(file.codec, bytes)) return file.codec;
  }
  const Signature* const other = find_signature(bytes);
  const bool is_other = other != nullptr && !other->is_codec;
  return bytes.empty() || is_other || looks_like_text(bytes) ? std::nullopt : named;
}

}  // namespace

Result<UnpackedStream> UnpackedStream::open(std::unique_ptr<ByteSource> source,
                                            std::optional<Codec> named_codec, size_t block,
                                            size_t least) {
  KITH_CHECK(block >= 4096);
  UnpackedStream stream(std::move(source), block);
  stream.input_size_ = block + look_back(block);
  stream.input_ = std::make_unique_for_overwrite<char[]>(stream.input_size_);
  KITH_TRY(stream.need_input(least));
  stream.codec_ = codec_of(stream.input(), named_codec);
  stream.members_.push_back({0, 0});
  if (stream.codec_) KITH_TRY(stream.make_file_decoder());
  stream.room_ = stream.codec_ ? kPackedWindow : block + kMaxNeed;
  stream.window_size_ = stream.limit_ = stream.room_;
  stream.window_ = std::make_unique_for_overwrite<char[]>(stream.window_size_);
  return stream;
}

Status UnpackedStream::make_file_decoder() {
  if (codec_ != Codec::zstd) {
    decoder_ = make_decoder(*codec_);
    return Status::ok();
  }
  std::optional<std::string> dictionary = "";
  if (input().starts_with(kZstdDictionaryFrame)) {
    KITH_ASSIGN(const std::string content, read_dictionary_frame());
    dictionary = unpack_zstd_dictionary(content);
  }
  dictionary_ = dictionary.value_or("");
  decoder_ = make_zstd_decoder(kZstdFileWindow, dictionary_);
  if (!dictionary) {
    furthest_damage_ = input_position();  // go on behind the frame
    end_segment("the dictionary of the zstd frames cannot be read");
  }
  return Status::ok();
}

// The content of the skippable frame at hand (RFC 8878, 3.1.2: magic, size, content), which is
// consumed; of one that is longer than a dictionary may be, only so much that this is seen.
Result<std::string> UnpackedStream::read_dictionary_frame() {
  constexpr size_t kFrameHeader = 8;
  KITH_TRY(need_input(kFrameHeader));
  if (input().size() < kFrameHeader) return std::string();
  size_t size = 0;
  for (size_t i = kFrameHeader; i > 4; --i) {
    size = size << 8 | static_cast<unsigned char>(input()[i - 1]);
  }
  input_begin_ += kFrameHeader;
  std::string content;
  while (size > 0) {
    KITH_TRY(need_input(1));
    if (input().empty()) return std::string();
    const std::string_view piece = input().substr(0, size);
    if (content.size() <= kMaxZstdDictionary) content += piece;
    input_begin_ += piece.size();
    size -= piece.size();
  }
  return content;
}

// Adds a block to the input; false at its end. Room is made by dropping decoded bytes, but
// for the look-back into a member that is not finished.
Result<bool> UnpackedStream::read_input() {
  if (input_at_end_) return false;
  if (input_size_ - input_end_ < block_ / 2) {
    size_t keep = input_begin_;
    if (in_member_ && member_offset_ >= input_offset_) {
      keep = std::min(keep, static_cast<size_t>(member_offset_ - input_offset_));
    }
    keep = std::max(keep, input_end_ - std::min(input_end_, look_back(block_)));
    keep = std::min(keep, input_begin_);
    std::memmove(input_.get(), input_.get() + keep, input_end_ - keep);
    input_begin_ -= keep;
    input_end_ -= keep;
    input_offset_ += keep;
  }
  KITH_ASSIGN(const size_t n, source_->read({input_.get() + input_end_, input_size_ - input_end_}));
  input_end_ += n;
  input_at_end_ = n == 0;
  return n > 0;
}

Status UnpackedStream::need_input(size_t n) {
  while (input_end_ - input_begin_ < n) {
    KITH_ASSIGN(const bool more, read_input());
    if (!more) break;
  }
  return Status::ok();
}

void UnpackedStream::make_room() {
  if (mark_ < position() && position() - mark_ > kMaxBack) mark_ = kNoMark;
  const size_t kept = mark_ < position() ? static_cast<size_t>(mark_ - window_offset_) : begin_;
  if (kept < end_ && limit_ - end_ >= room_ / 2) return;
  KITH_CHECK(end_ - begin_ <= kMaxNeed);
  const size_t size = end_ - kept;
  const size_t back = begin_ - kept;
  limit_ = back + room_;
  if (limit_ > window_size_) {
    const size_t larger = std::min(limit_ + limit_ / 2, kMaxBack + room_);
    auto window = std::make_unique_for_overwrite<char[]>(larger);
    std::memcpy(window.get(), window_.get() + kept, size);
    window_ = std::move(window);
    window_size_ = larger;
  } else if (kept > 0 && size > 0) {
    std::memmove(window_.get(), window_.get() + kept, size);
  }
  window_offset_ += kept;
  begin_ = back;
  end_ = size;
}

Result<bool> UnpackedStream::fill() {
  if (segment_ended_) return false;
  make_room();
  return codec_ ? fill_members() : fill_plain();
}

Result<bool> UnpackedStream::fill_plain() {
  const std::string_view first = input();  // what open() has read
  if (!first.empty()) {
    const size_t n = std::min(first.size(), limit_ - end_);
    std::memcpy(window_.get() + end_, first.data(), n);
    input_begin_ += n;
    end_ += n;
    return true;
  }
  KITH_ASSIGN(const size_t n, source_->read({window_.get() + end_, limit_ - end_}));
  input_offset_ += n;
  end_ += n;
  if (n > 0) return true;
  segment_ended_ = true;
  problem_ = source_->problem();
  problem_offset_ = input_offset_;
  is_truncated_ = *problem_ != '\0';
  return false;
}

Result<bool> UnpackedStream::fill_members() {
  const size_t before = end_;
  while (!segment_ended_ && end_ < limit_ && end_ - before < kEnough) {
    if (!in_member_) {
      KITH_ASSIGN(const bool started, start_member());
      if (!started) break;
    }
    KITH_TRY(decode_some());
  }
  settle_member();
  return end_ > before;
}

// Zeros behind the last member are padding, as gzip itself takes them.
Result<bool> UnpackedStream::start_member() {
  for (;;) {
    KITH_TRY(need_input(kMemberHeader));
    const std::string_view bytes = input();
    const size_t zeros = std::min(bytes.find_first_not_of('\0'), bytes.size());
    if (zeros == 0) break;
    input_begin_ += zeros;
  }
  member_offset_ = input_position();
  if (input().empty()) {
    segment_ended_ = true;
    is_truncated_ = *source_->problem() != '\0';
    if (is_truncated_) end_segment(source_->problem());
    return false;
  }
  if (!starts_member(*codec_, input())) {
    end_segment(file_codec(*codec_).no_member);
    return false;
  }
  decoder_->begin();
  in_member_ = true;
  // Of members that hold nothing, the last one counts: their number is not bounded.
  const uint64_t unpacked = window_offset_ + end_;
  if (members_.back().unpacked == unpacked) members_.pop_back();
  members_.push_back({unpacked, member_offset_});
  return true;
}

Status UnpackedStream::decode_some() {
  if (input().empty()) KITH_TRY(read_input());
  const DecodeStep step = decoder_->decode(input(), {window_.get() + end_, limit_ - end_});
  input_begin_ += step.consumed;
  end_ += step.produced;
  if (step.state == DecodeState::bad) {
    end_segment(step.problem);
  } else if (step.state == DecodeState::end) {
    log_member(true);
    in_member_ = false;
  } else if (step.consumed == 0 && step.produced == 0) {
    if (!input().empty()) {
      end_segment("compressed data that leads nowhere");
    } else if (input_at_end_) {
      is_truncated_ = true;
      const char* const of_source = source_->problem();
      end_segment(*of_source != '\0' ? of_source : file_codec(*codec_).cut_in_member);
    }
  }
  return Status::ok();
}

// The next member is searched from just behind the start of this one, for a cut member
// swallows the beginning of the next before its decoder notices.
void UnpackedStream::end_segment(const char* problem) {
  if (in_member_) log_member(false);
  const uint64_t here = input_position();
  uint64_t from = std::max(member_offset_ + 1, furthest_damage_);
  from = std::clamp(from, input_offset_, input_offset_ + input_end_);
  furthest_damage_ = std::max(furthest_damage_, here);
  input_begin_ = static_cast<size_t>(from - input_offset_);
  in_member_ = false;
  segment_ended_ = true;
  problem_ = problem;
  problem_offset_ = member_offset_;
}

void UnpackedStream::log_member(bool sound) {
  if (layout_log_ == nullptr) return;
  layout_log_->member_ended({.begin = member_offset_,
                             .end = input_position(),
                             .unpacked_begin = members_.back().unpacked,
                             .unpacked_end = window_offset_ + end_,
                             .sound = sound},
                            std::min(position(), mark_));
}

Result<bool> UnpackedStream::next_segment() {
  KITH_CHECK(segment_ended_);
  consume(end_ - begin_);
  if (problem().empty()) return false;
  if (!codec_) {
    problem_ = "";
    return false;
  }
  for (;;) {
    KITH_TRY(need_input(kMemberHeader));
    const size_t at = find_member(*codec_, input());
    if (at < input().size()) {
      input_begin_ += at;
      break;
    }
    // A header that crosses the end of the block is found when more has been read.
    input_begin_ = std::max(input_begin_, input_end_ - std::min(input_end_, kMemberHeader - 1));
    KITH_ASSIGN(const bool more, read_input());
    if (!more) {
      input_begin_ = input_end_;
      problem_ = "";
      return false;
    }
  }
  segment_ended_ = is_truncated_ = false;
  problem_ = "";
  return true;
}

bool UnpackedStream::can_seek(uint64_t position) const {
  if (const std::optional<uint64_t> end = known_end()) return position <= *end;
  const uint64_t here = this->position();
  if (position >= here) return position <= window_offset_ + end_;
  return position >= mark_ && here - position <= kMaxBack;
}

Status UnpackedStream::seek(uint64_t position) {
  KITH_CHECK(can_seek(position));
  if (position >= window_offset_ && position <= window_offset_ + end_) {
    begin_ = static_cast<size_t>(position - window_offset_);
    first_member_ = member_at(position);
    return Status::ok();
  }
  KITH_TRY(source_->seek(position));
  window_offset_ = input_offset_ = position;
  begin_ = end_ = input_begin_ = input_end_ = 0;
  segment_ended_ = false;
  return Status::ok();
}

Result<std::string_view> UnpackedStream::need(size_t n) {
  KITH_CHECK(n <= kMaxNeed);
  while (end_ - begin_ < n) {
    KITH_ASSIGN(const bool more, fill());
    if (!more) break;
  }
  return window();
}

void UnpackedStream::consume(size_t n) {
  KITH_CHECK(n <= end_ - begin_);
  begin_ += n;
  settle_member();
}

// Makes members_[first_member_] the one that holds the read position.
void UnpackedStream::settle_member() {
  const uint64_t position = window_offset_ + begin_;
  while (first_member_ + 1 < members_.size() && members_[first_member_ + 1].unpacked <= position) {
    ++first_member_;
  }
  if (first_member_ >= kManyMembers) drop_members();
}

// Drops those that lie behind, now and then. The mark goes where too many have begun since.
void UnpackedStream::drop_members() {
  if (mark_ < position() && member_at(mark_) < kManyMembers / 2) mark_ = kNoMark;
  const size_t count = mark_ < position() ? member_at(mark_) : first_member_;
  members_.erase(members_.begin(), members_.begin() + static_cast<ptrdiff_t>(count));
  first_member_ -= count;
}

// The one that holds a position. REQUIRES: it is not before all of them.
size_t UnpackedStream::member_at(uint64_t position) const {
  const auto behind = std::ranges::upper_bound(members_, position, {}, &MemberStart::unpacked);
  return static_cast<size_t>(behind - members_.begin()) - 1;
}

uint64_t UnpackedStream::file_offset() const {
  return codec_ ? members_[first_member_].on_disk : window_offset_ + begin_;
}

bool UnpackedStream::at_member_start() const {
  return members_[first_member_].unpacked == window_offset_ + begin_;
}

size_t UnpackedStream::until_next_member() const {
  if (first_member_ + 1 >= members_.size()) return std::numeric_limits<size_t>::max();
  return static_cast<size_t>(members_[first_member_ + 1].unpacked - (window_offset_ + begin_));
}

Result<bool> append_line(UnpackedStream& stream, size_t longest, std::string& line) {
  const size_t most = line.size() + longest + 1;
  for (bool any = false;; any = true) {
    if (stream.window().empty()) {
      KITH_ASSIGN(const bool more, stream.fill());
      if (!more) return any;
    }
    const std::string_view window = stream.window();
    const std::string_view piece = window.substr(0, window.find('\n'));
    line += piece.substr(0, most - line.size());
    const bool is_whole = piece.size() < window.size();
    stream.consume(piece.size() + (is_whole ? 1 : 0));
    if (is_whole) return true;
  }
}

}  // namespace kith::crawl
