// JSON lines whose rows get fields: every line is written again, and packed again.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "crawl/codec/member_codec.h"
#include "crawl/copy/record_copy.h"
#include "crawl/read/input_reader.h"

namespace kith::crawl {
namespace {

// Behind the string that begins at `at`.
size_t end_of_string(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
  return std::min(at + 1, json.size());
}

// Where the member that begins at `at` ends: at the comma or bracket behind it.
size_t end_of_member(std::string_view json, size_t at) {
  for (int depth = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      at = end_of_string(json, at);
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (c == ',' || closes)) return at;
    depth += c == '{' || c == '[' ? 1 : closes ? -1 : 0;
    ++at;
  }
  return json.size();
}

// The members of an object, each as it stands.
std::vector<std::string_view> members_of(std::string_view object) {
  std::vector<std::string_view> members;
  size_t at = object.find('{');
  while (at < object.size() && object[at] != '}') {
    const size_t end = end_of_member(object, ++at);
    if (const auto member = trim(object.substr(at, end - at)); !member.empty()) {
      members.push_back(member);
    }
    at = end;
  }
  return members;
}

std::string_view key_of(std::string_view member) {
  return member.substr(0, end_of_string(member, 0));
}

// What is written, in members of about a block where the file is packed.
class PackedWriter {
 public:
  PackedWriter(const UnpackedStream& stream, storage::WritableFile& to) : to_(to) {
    // Without the dictionary of the file, so that the copy needs none.
    if (stream.codec()) encoder_ = make_encoder(*stream.codec());
  }

  Status add(std::string_view bytes) {
    constexpr size_t block = 4u << 20;
    buffer_ += bytes;
    return buffer_.size() < block ? Status::ok() : flush();
  }
  // After everything. A packed file of no bytes is one member of nothing.
  Status finish() {
    const bool is_empty = encoder_ && written_ == 0 && buffer_.empty();
    return buffer_.empty() && !is_empty ? Status::ok() : flush();
  }
  uint64_t written() const { return written_; }
  uint64_t members() const { return members_; }

 private:
  Status flush() {
    if (encoder_) {
      packed_.clear();
      encoder_->begin(buffer_.size());
      encoder_->encode(buffer_, packed_);
      encoder_->end(packed_);
      buffer_.swap(packed_);
      ++members_;
    }
    written_ += buffer_.size();
    Status status = to_.append(as_bytes(std::string_view(buffer_)));
    buffer_.clear();
    return status;
  }

  storage::WritableFile& to_;
  std::unique_ptr<MemberEncoder> encoder_;
  std::string buffer_;
  std::string packed_;
  uint64_t written_ = 0;
  uint64_t members_ = 0;
};

// The next line with its line end; false at the end of the file.
Result<bool> next_line(UnpackedStream& stream, std::string& line) {
  line.clear();
  for (;;) {
    const std::string_view window = stream.window();
    const size_t end = window.find('\n');
    const std::string_view piece = window.substr(0, end == window.npos ? end : end + 1);
    line += piece;
    stream.consume(piece.size());
    if (end != window.npos) return true;
    KITH_ASSIGN(const bool more, stream.fill());
    if (!more) return !line.empty();
  }
}

}  // namespace

std::string with_members(std::string_view line, std::string_view added) {
  const size_t end = line.rfind('}');
  const size_t begin = line.find('{');
  if (end == line.npos || begin == line.npos) return std::string(line);
  const std::string_view object = line.substr(begin, end + 1 - begin);
  const std::vector<std::string_view> news = members_of(added);
  const auto is_new = [&](std::string_view member) {
    return std::ranges::find(news, key_of(member), key_of) != news.end();
  };
  const bool may_have_some = std::ranges::any_of(
      news, [&](std::string_view member) { return object.find(key_of(member)) != object.npos; });
  std::string out(line.substr(0, begin));
  if (may_have_some) {
    out += '{';
    for (const std::string_view member : members_of(object)) {
      if (is_new(member)) continue;
      out += out.size() == begin + 1 ? "" : ",";
      out += member;
    }
  } else {
    out += trim(object.substr(0, object.size() - 1));
  }
  for (const std::string_view member : news) {
    out += out.ends_with('{') ? "" : ",";
    out += member;
  }
  out += line.substr(end);
  return out;
}

Status copy_with_fields(const InputFile& file, std::span<const uint64_t> removed,
                        const CopyChanges& changes, storage::WritableFile& to, CopyReport& report) {
  KITH_ASSIGN(UnpackedStream stream, open_stream(file));
  PackedWriter out(stream, to);
  std::string line;
  size_t next = 0;  // of the removed
  for (uint64_t record = 0;; ++record) {
    KITH_ASSIGN(const bool more, next_line(stream, line));
    if (!stream.problem().empty()) {
      return Error{ErrorKind::corrupt,
                   fmt::format("{}: is damaged after line {}: {}; only a sound file can be written "
                               "with fields",
                               file.path, record, stream.problem())};
    }
    if (!more) break;
    if (next < removed.size() && removed[next] == record) {
      ++next;
      continue;
    }
    const std::string added = changes.added(file.number, record);
    KITH_TRY(out.add(added.empty() ? line : with_members(line, added)));
  }
  KITH_TRY(out.finish());
  if (next < removed.size()) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{} does not hold the records that were read of it: it has changed "
                             "since; run again on a file that stays as it is",
                             file.path)};
  }
  report.removed += removed.size();
  report.bytes_in += file.size;
  report.bytes_out += out.written();
  report.packed_again += out.members();
  return Status::ok();
}

}  // namespace kith::crawl
