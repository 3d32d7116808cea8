#include "jobs/stream/log.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::jobs {
namespace {

constexpr std::string_view magic = "kithlog3";
constexpr size_t log_header_bytes = 16;     // the magic and the number of the snapshot
constexpr size_t record_header_bytes = 24;  // size, checksum, and the checksum of both
constexpr size_t flush_bytes = 64 << 10;
// What a file system gives or does not give back of a file after the machine went down.
constexpr uint64_t disk_block = 4096;

std::string log_header(uint64_t snapshot) {
  std::string header(magic);
  append_fixed(header, snapshot);
  return header;
}

struct RecordHeader {
  uint64_t size;
  uint64_t checksum;
};

// Where the record begins counts: what a file system gives back of an earlier log does not fit.
uint64_t checksum_of(const RecordHeader& header, uint64_t offset) {
  return mix64(header.size ^ mix64(header.checksum ^ mix64(offset)));
}

std::optional<RecordHeader> parse_header(std::string_view bytes, uint64_t offset) {
  Cursor cursor(bytes);
  RecordHeader header{};
  header.size = cursor.fixed<uint64_t>();
  header.checksum = cursor.fixed<uint64_t>();
  const auto check = cursor.fixed<uint64_t>();
  if (cursor.failed() || check != checksum_of(header, offset)) return std::nullopt;
  return header;
}

// A log that is read from a file.
class Reader {
 public:
  static Result<Reader> open(storage::FileSystem& fs, const std::string& path) {
    KITH_ASSIGN(auto file, fs.open(path));
    return Reader(std::move(file));
  }

  uint64_t size() const { return file_->size(); }
  // As many bytes from there on as the file has, up to `size`.
  Result<std::string_view> read(uint64_t offset, uint64_t size) {
    bytes_.resize(std::min(size, file_->size() - std::min(offset, file_->size())));
    const std::span<char> room(bytes_);
    KITH_ASSIGN(const size_t got, file_->read_at(offset, std::as_writable_bytes(room)));
    return std::string_view(bytes_).substr(0, got);
  }
  // The whole record there, if there is one: valid until the next call.
  Result<std::optional<std::string_view>> record(uint64_t offset) {
    KITH_ASSIGN(const std::string_view head, read(offset, record_header_bytes));
    const std::optional<RecordHeader> header = parse_header(head, offset);
    if (!header || header->size > size() - offset - record_header_bytes) return none();
    KITH_ASSIGN(const std::string_view content, read(offset + record_header_bytes, header->size));
    if (content.size() < header->size || hash64(content) != header->checksum) return none();
    return std::optional(content);
  }
  // Where the file ends, without zeros that reach the end of a block of the disk: what was never
  // written there reads so.
  Result<uint64_t> written_end() {
    for (uint64_t end = size(); end > 0;) {
      const uint64_t block = (end - 1) / disk_block * disk_block;
      KITH_ASSIGN(const std::string_view bytes, read(block, end - block));
      const size_t last = bytes.find_last_not_of('\0');
      const bool is_to_end = end < size() || end % disk_block == 0;
      if (last != std::string_view::npos) return is_to_end ? block + last + 1 : end;
      end = block;
    }
    return 0;
  }
  // Whether what begins there is the beginning of a record, which the file ends in the middle of.
  Result<bool> is_cut_record(uint64_t offset) {
    KITH_ASSIGN(const uint64_t end, written_end());
    if (end < offset + record_header_bytes) return true;
    KITH_ASSIGN(const std::string_view head, read(offset, record_header_bytes));
    const std::optional<RecordHeader> header = parse_header(head, offset);
    return header && header->size > end - offset - record_header_bytes;
  }
  // The first place from there on where the header of a record may be, or the end of the file.
  Result<uint64_t> next_header(uint64_t offset) {
    for (; offset < size(); offset += flush_bytes - record_header_bytes + 1) {
      KITH_ASSIGN(const std::string_view bytes, read(offset, flush_bytes));
      for (size_t i = 0; i < bytes.size(); ++i) {
        if (parse_header(bytes.substr(i, record_header_bytes), offset + i)) return offset + i;
      }
    }
    return size();
  }

 private:
  explicit Reader(std::unique_ptr<storage::ReadableFile> file) : file_(std::move(file)) {}
  static std::optional<std::string_view> none() { return std::nullopt; }

  std::unique_ptr<storage::ReadableFile> file_;
  std::string bytes_;
};

}  // namespace

Result<LogWriter> LogWriter::create(storage::FileSystem& fs, const std::string& path,
                                    uint64_t snapshot) {
  KITH_ASSIGN(auto file, fs.create(path));
  LogWriter writer(fs, path, std::move(file), 0);
  writer.waiting_ = log_header(snapshot);
  KITH_TRY(writer.sync());
  return writer;
}

Result<LogWriter> LogWriter::reopen(storage::FileSystem& fs, const std::string& path,
                                    uint64_t bytes) {
  KITH_ASSIGN(const uint64_t size, storage::file_size(fs, path));
  if (size > bytes) KITH_TRY(fs.truncate(path, bytes));
  KITH_ASSIGN(auto file, fs.reopen(path));
  return LogWriter(fs, path, std::move(file), bytes);
}

void LogWriter::append(std::string_view record) {
  const RecordHeader header{record.size(), hash64(record)};
  // The whole record, or nothing where there is no memory for it.
  waiting_.reserve(waiting_.size() + record_header_bytes + record.size());
  const uint64_t check = checksum_of(header, bytes());
  append_fixed(waiting_, header.size);
  append_fixed(waiting_, header.checksum);
  append_fixed(waiting_, check);
  waiting_ += record;
}

void LogWriter::take_back(uint64_t bytes) {
  waiting_.resize(std::max(bytes, written_) - written_);
}

bool LogWriter::is_full() const {
  return waiting_.size() >= flush_bytes;
}

Status LogWriter::flush() {
  KITH_TRY(lost_);
  if (waiting_.empty()) return Status::ok();
  if (is_torn_) KITH_TRY(cut_off());
  // Records may be whole that the caller takes back.
  is_torn_ = true;
  Status written = file_->append(as_bytes(waiting_));
  if (!written) {
    static_cast<void>(cut_off());
    return written;
  }
  is_torn_ = false;
  written_ += waiting_.size();
  waiting_.clear();
  return Status::ok();
}

// Opened anew, since the place at which this process writes has moved on.
Status LogWriter::cut_off() {
  KITH_TRY(fs_->truncate(path_, written_));
  KITH_ASSIGN(file_, fs_->reopen(path_));
  is_torn_ = false;
  return Status::ok();
}

Status LogWriter::sync() {
  KITH_TRY(flush());
  lost_ = file_->sync();
  return lost_;
}

Result<LogEnd> read_log(storage::FileSystem& fs, const std::string& path, uint64_t snapshot,
                        const TakeRecord& take) {
  KITH_ASSIGN(Reader reader, Reader::open(fs, path));
  LogEnd end;
  end.size = reader.size();
  KITH_ASSIGN(const std::string_view header, reader.read(0, log_header_bytes));
  // It was on the disk before the snapshot that names it.
  end.is_damaged = header != log_header(snapshot);
  if (end.is_damaged) return end;
  end.bytes = log_header_bytes;
  for (;;) {
    KITH_ASSIGN(const auto record, reader.record(end.bytes));
    if (!record) break;
    end.bytes += record_header_bytes + record->size();
    KITH_TRY(take(*record));
  }
  KITH_ASSIGN(const bool is_cut, reader.is_cut_record(end.bytes));
  end.is_damaged = !end.is_whole() && !is_cut;
  return end;
}

Status find_records(storage::FileSystem& fs, const std::string& path, uint64_t from,
                    const TakeRecord& take) {
  KITH_ASSIGN(Reader reader, Reader::open(fs, path));
  for (uint64_t at = from; at < reader.size();) {
    KITH_ASSIGN(const auto record, reader.record(at));
    if (record) {
      at += record_header_bytes + record->size();
      KITH_TRY(take(*record));
    } else {
      KITH_ASSIGN(at, reader.next_header(at + 1));
    }
  }
  return Status::ok();
}

}  // namespace kith::jobs
