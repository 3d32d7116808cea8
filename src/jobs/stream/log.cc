#include "jobs/stream/log.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "kith/dedup.h"

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::jobs {
namespace {

constexpr uint8_t ahead_bit = 0x80;  // beside the kind

}  // namespace

void encode(const Record& record, std::string& bytes) {
  bytes.clear();
  const auto kind = static_cast<uint8_t>(record.kind);
  append_fixed(bytes, static_cast<uint8_t>(record.is_ahead ? kind | ahead_bit : kind));
  append_fixed(bytes, record.time);
  append_varint(bytes, record.next);
  append_varint(bytes, record.source.size());
  bytes += record.source;
  append_varint(bytes, record.name.size());
  bytes += record.name;
  append_varint(bytes, record.words.size());
  for (const PageWord& word : record.words) {
    append_fixed(bytes, word.stem);
    append_varint(bytes, word.form.size());
    bytes += word.form;
  }
  bytes += as_text(std::as_bytes(record.features));
}

Result<Record> decode(std::string_view bytes, RecordBuffers& buffers) {
  Cursor cursor(bytes);
  Record record;
  const auto bits = cursor.fixed<uint8_t>();
  const auto kind = static_cast<uint8_t>(bits & ~ahead_bit);
  record.is_ahead = bits != kind;
  record.kind = static_cast<RecordKind>(kind);
  record.time = cursor.fixed<int64_t>();
  record.next = cursor.varint();
  record.source = cursor.take(cursor.varint());
  record.name = cursor.take(cursor.varint());
  buffers.words.clear();
  for (uint64_t left = cursor.varint(); left > 0 && !cursor.failed(); --left) {
    const auto stem = cursor.fixed<uint64_t>();
    buffers.words.push_back({stem, cursor.take(cursor.varint())});
  }
  const std::string_view rest = cursor.take(cursor.remaining());
  const bool is_known = kind >= static_cast<uint8_t>(RecordKind::page) &&
                        kind <= static_cast<uint8_t>(RecordKind::source);
  if (cursor.failed() || !is_known || rest.size() % sizeof(uint64_t) != 0) {
    return Error{ErrorKind::corrupt, "a record of the log that no version of kith has written"};
  }
  buffers.features.resize(rest.size() / sizeof(uint64_t));
  if (!rest.empty()) std::memcpy(buffers.features.data(), rest.data(), rest.size());
  record.features = buffers.features;
  record.words = buffers.words;
  return record;
}

namespace {

// Calls visit(name, field) for every option but memory, in the order of the file.
template <class Options, class Visit>
void for_each_option(Options& options, Visit&& visit) {
  visit("by", options.by);
  visit("measure", options.measure);
  visit("similarity", options.similarity);
  visit("distance", options.distance);
  visit("bits", options.bits);
  visit("shingles", options.shingles.shingles);
  visit("width", options.shingles.width);
  visit("bag", options.shingles.bag);
  visit("normalize", options.shingles.normalize);
  visit("numbers", options.shingles.numbers);
  visit("assign", options.assign);
  visit("leader", options.leader);
  visit("forget_after_ms", options.forget_after_ms);
  visit("forget_after_pages", options.forget_after_pages);
  visit("half_life_ms", options.half_life_ms);
  visit("most_leaders", options.most_leaders);
  visit("pairs", options.pairs);
  visit("themes", *options.themes);
  visit("recall", options.recall);
  visit("lanes", options.lanes);
  visit("max_tables", options.max_tables);
  visit("seed", options.seed);
}

template <class Head, class Visit>
void for_each_count(Head& head, Visit&& visit) {
  visit(head.counts.pages);
  visit(head.counts.duplicates);
  visit(head.counts.updates);
  visit(head.counts.deletions);
  visit(head.counts.unknown);
  visit(head.counts.late);
  visit(head.counts.ahead);
  visit(head.counts.empty);
  visit(head.counts.forgotten_age);
  visit(head.counts.forgotten_room);
  visit(head.counts.forgotten_pages);
  visit(head.clock);
  visit(head.next_number);
  visit(head.progress.snapshot);
  visit(head.progress.answers);
  visit(head.progress.told);
}

// Numbers and enums as eight bytes: the bits of a double, else the value.
template <class Value>
uint64_t bits_of(Value value) {
  if constexpr (std::is_same_v<Value, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return static_cast<uint64_t>(value);
  }
}

// False when the value does not fit its type.
template <class Value>
bool read_bits(uint64_t bits, Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    value = std::bit_cast<double>(bits);
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(bits);
    if (name(value).empty()) return false;
  } else {
    value = static_cast<Value>(bits);
  }
  return bits_of(value) == bits;
}

}  // namespace

std::string encode(const SnapshotHead& head) {
  std::string bytes;
  for_each_option(head.options,
                  [&](const char*, auto value) { append_fixed(bytes, bits_of(value)); });
  for_each_count(head, [&](auto value) { append_fixed(bytes, bits_of(value)); });
  append_string(bytes, head.options.dictionary);
  append_string(bytes, head.options.url_rules);
  append_string(bytes, head.progress.dictionary);
  append_string(bytes, head.progress.last);
  append_varint(bytes, head.progress.sources.size());
  for (const auto& [name, source] : head.progress.sources) {
    append_string(bytes, name);
    append_varint(bytes, source.next);
    append_varint(bytes, source.size);
    append_fixed(bytes, source.hash);
  }
  return bytes;
}

Result<SnapshotHead> decode_head(std::string_view bytes) {
  Cursor cursor(bytes);
  SnapshotHead head;
  head.options.themes = 0;
  bool fits = true;
  for_each_option(head.options, [&](const char*, auto& value) {
    fits &= read_bits(cursor.fixed<uint64_t>(), value);
  });
  for_each_count(head, [&](auto& value) { fits &= read_bits(cursor.fixed<uint64_t>(), value); });
  head.options.dictionary = cursor.take(cursor.varint());
  head.options.url_rules = cursor.take(cursor.varint());
  head.progress.dictionary = cursor.take(cursor.varint());
  head.progress.last = cursor.take(cursor.varint());
  for (uint64_t left = cursor.varint(); left > 0 && !cursor.failed(); --left) {
    const std::string_view name = cursor.take(cursor.varint());
    StreamSource source;
    source.next = cursor.varint();
    source.size = cursor.varint();
    source.hash = cursor.fixed<uint64_t>();
    head.progress.sources.emplace(name, source);
  }
  const bool is_sound = fits && !cursor.failed() && cursor.at_end() && validate(head.options) &&
                        head.progress.told <= head.progress.answers;
  if (!is_sound) return Error{ErrorKind::corrupt, "options and counts that contradict each other"};
  return head;
}

std::string first_difference(const StreamOptions& a, const StreamOptions& b) {
  std::vector<uint64_t> values;
  for_each_option(a, [&](const char*, auto value) { values.push_back(bits_of(value)); });
  std::string different;
  size_t at = 0;
  for_each_option(b, [&](const char* name, auto value) {
    if (bits_of(value) == values[at++] || !different.empty()) return;
    if constexpr (std::is_same_v<decltype(value), bool>) {
      different = fmt::format("{} = {}", name, !value);
    } else {
      different = fmt::format("another `{}`", name);
    }
  });
  if (different.empty() && a.url_rules != b.url_rules) different = "another `url_rules`";
  return different;
}

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
  // written there reads so. REQUIRES: the header of a log, which is not all zeros.
  Result<uint64_t> written_end() {
    for (uint64_t end = size();;) {
      const uint64_t block = (end - 1) / disk_block * disk_block;
      KITH_ASSIGN(const std::string_view bytes, read(block, end - block));
      const size_t last = bytes.find_last_not_of('\0');
      const bool is_to_end = end < size() || end % disk_block == 0;
      if (last != std::string_view::npos) return is_to_end ? block + last + 1 : end;
      end = block;
    }
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
