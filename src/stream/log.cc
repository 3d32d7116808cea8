#include "stream/log.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::stream {
namespace {

constexpr std::string_view magic = "kithlog2";
constexpr size_t header_bytes = 16;         // the magic and the number of the snapshot
constexpr size_t record_header_bytes = 16;  // size and checksum
constexpr size_t flush_bytes = 64 << 10;

std::string header_of(uint64_t snapshot) {
  std::string header(magic);
  append_fixed(header, snapshot);
  return header;
}

// Where the record begins counts: what a file system gives back of an earlier log does not fit.
uint64_t checksum_of(std::string_view record, uint64_t offset) {
  return hash64(record) ^ mix64(offset);
}

// Fills `out` from a file; false when fewer bytes are left.
Result<bool> read_exactly(const storage::ReadableFile& file, uint64_t offset, std::string& out,
                          size_t size) {
  out.resize(size);
  const std::span<char> room(out);
  KITH_ASSIGN(const size_t read, file.read_at(offset, std::as_writable_bytes(room)));
  return read == size;
}

}  // namespace

Result<LogWriter> LogWriter::create(storage::FileSystem& fs, const std::string& path,
                                    uint64_t snapshot) {
  KITH_ASSIGN(auto file, fs.create(path));
  LogWriter writer(std::move(file));
  writer.buffer_ = header_of(snapshot);
  writer.bytes_ = header_bytes;
  KITH_TRY(writer.sync());
  return writer;
}

Result<LogWriter> LogWriter::reopen(storage::FileSystem& fs, const std::string& path,
                                    uint64_t bytes) {
  KITH_ASSIGN(auto file, fs.reopen(path));
  LogWriter writer(std::move(file));
  writer.bytes_ = bytes;
  return writer;
}

Status LogWriter::append(std::string_view record) {
  if (!failure_) return failure_;
  append_fixed(buffer_, static_cast<uint64_t>(record.size()));
  append_fixed(buffer_, checksum_of(record, bytes_));
  buffer_ += record;
  bytes_ += record_header_bytes + record.size();
  return buffer_.size() < flush_bytes ? Status::ok() : flush();
}

Status LogWriter::flush() {
  if (!failure_ || buffer_.empty()) return failure_;
  failure_ = file_->append(as_bytes(buffer_));
  buffer_.clear();
  return failure_;
}

Status LogWriter::sync() {
  KITH_TRY(flush());
  failure_ = file_->sync();
  return failure_;
}

Result<LogEnd> read_log(storage::FileSystem& fs, const std::string& path, uint64_t snapshot,
                        const std::function<Status(std::string_view record)>& take) {
  KITH_ASSIGN(const auto file, fs.open(path));
  LogEnd end;
  std::string bytes;
  KITH_ASSIGN(const bool has_header, read_exactly(*file, 0, bytes, header_bytes));
  // A log whose header never reached the disk holds nothing.
  if (!has_header) return end;
  if (bytes != header_of(snapshot)) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{} is not the log of the snapshot beside it; restore both from the "
                             "same backup",
                             path)};
  }
  end.bytes = header_bytes;
  for (;;) {
    end.is_whole = end.bytes == file->size();
    KITH_ASSIGN(const bool has_record, read_exactly(*file, end.bytes, bytes, record_header_bytes));
    if (!has_record) return end;
    Cursor cursor(bytes);
    const auto size = cursor.fixed<uint64_t>();
    const auto checksum = cursor.fixed<uint64_t>();
    if (size > file->size() - end.bytes - record_header_bytes) return end;
    KITH_ASSIGN(const bool is_there,
                read_exactly(*file, end.bytes + record_header_bytes, bytes, size));
    if (!is_there || checksum_of(bytes, end.bytes) != checksum) return end;
    KITH_TRY(take(bytes));
    end.bytes += record_header_bytes + size;
  }
}

}  // namespace kith::stream
