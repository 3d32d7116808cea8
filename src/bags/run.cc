#include "bags/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"

namespace kith::bags {
namespace {

constexpr size_t length_bytes = sizeof(uint32_t);

void encode(const RawBag& bag, std::string& out) {
  append_string(out, bag.surt);
  out.push_back(static_cast<char>(bag.facts));
  if (bag.facts != 0) append_fixed(out, bag.content);
  append_varint(out, bag.inlinks);
  append_string(out, bag.title);
  append_varint(out, bag.terms.size());
  uint32_t last = 0;
  for (const TermCount& entry : bag.terms) {
    append_varint(out, entry.term - last);
    append_varint(out, entry.count);
    last = entry.term;
  }
}

// What stands before the terms.
void read_head(Cursor& cursor, RunRecord& record) {
  record.surt = cursor.take(cursor.varint());
  record.facts = cursor.fixed<uint8_t>();
  record.content = record.facts != 0 ? cursor.fixed<uint64_t>() : 0;
  record.inlinks = static_cast<uint32_t>(cursor.varint());
  record.title = cursor.take(cursor.varint());
}

}  // namespace

Result<RunWriter> RunWriter::create(storage::FileSystem& fs, const std::string& path,
                                    size_t block_bytes) {
  RunWriter writer;
  KITH_ASSIGN(writer.file_, fs.create(path));
  writer.block_bytes_ = block_bytes;
  return writer;
}

Status RunWriter::add(const RawBag& bag) {
  record_.clear();
  encode(bag, record_);
  return add(std::string_view(record_));
}

Status RunWriter::add(std::string_view record) {
  if (buffer_.size() + length_bytes + record.size() > block_bytes_) {
    KITH_TRY(file_->append(as_bytes(buffer_)));
    buffer_.clear();
  }
  append_fixed(buffer_, static_cast<uint32_t>(record.size()));
  buffer_ += record;
  return Status::ok();
}

Status RunWriter::finish() {
  KITH_TRY(file_->append(as_bytes(buffer_)));
  return file_->close();
}

bool read_record(std::string_view bytes, RunRecord& record) {
  Cursor cursor(bytes);
  read_head(cursor, record);
  return !cursor.failed();
}

bool read_record(std::string_view bytes, RunRecord& record, std::vector<TermCount>& terms) {
  Cursor cursor(bytes);
  read_head(cursor, record);
  terms.resize(std::min<uint64_t>(cursor.varint(), cursor.remaining()));
  uint64_t term = 0;
  for (TermCount& entry : terms) {
    const uint64_t step = cursor.varint();
    const uint64_t count = cursor.varint();
    const bool ascends = step > 0 || &entry == terms.data();
    if (!ascends || step > UINT32_MAX - term || count == 0 || count > UINT32_MAX) return false;
    term += step;
    entry = {static_cast<uint32_t>(term), static_cast<uint32_t>(count)};
  }
  return !cursor.failed() && cursor.at_end();
}

Result<RunReader> RunReader::open(storage::FileSystem& fs, const std::string& path,
                                  size_t block_bytes) {
  RunReader reader;
  KITH_ASSIGN(reader.size_, storage::file_size(fs, path));
  reader.fs_ = &fs;
  reader.path_ = path;
  reader.block_bytes_ = block_bytes;
  return reader;
}

// Makes `needed` bytes stand in the buffer from begin_ on; false at the end of the file.
Result<bool> RunReader::fill(size_t needed) {
  if (buffer_.size() - begin_ >= needed) return true;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t kept = buffer_.size();
  const uint64_t left = size_ - std::min(size_, position_);
  const size_t wanted = std::max(needed > kept ? needed - kept : 0, block_bytes_);
  buffer_.resize(kept + static_cast<size_t>(std::min<uint64_t>(wanted, left)));
  if (buffer_.size() == kept) return kept >= needed;
  const std::span<char> space(buffer_.data() + kept, buffer_.size() - kept);
  KITH_ASSIGN(const size_t got,
              storage::read_block(*fs_, path_, position_, std::as_writable_bytes(space)));
  position_ += got;
  buffer_.resize(kept + got);
  return buffer_.size() >= needed;
}

Error RunReader::damaged() const {
  return {
      ErrorKind::corrupt,
      fmt::format("{}: a temporary file changed while it was in use; run the same command again",
                  path_)};
}

Result<bool> RunReader::next() {
  KITH_ASSIGN(const bool more, fill(length_bytes));
  if (!more) {
    if (buffer_.size() != begin_) return damaged();
    return false;
  }
  Cursor length(std::string_view(buffer_).substr(begin_, length_bytes));
  const auto size = length.fixed<uint32_t>();
  begin_ += length_bytes;
  KITH_ASSIGN(const bool whole, fill(size));
  if (!whole) return damaged();
  Cursor cursor(std::string_view(buffer_).substr(begin_, size));
  const std::string_view surt = cursor.take(cursor.varint());
  if (cursor.failed()) return damaged();
  surt_begin_ = static_cast<size_t>(surt.data() - buffer_.data());
  surt_bytes_ = surt.size();
  record_bytes_ = size;
  begin_ += size;
  return true;
}

}  // namespace kith::bags
