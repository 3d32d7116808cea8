#include "jobs/dedup/list_writer.h"

#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"

namespace kith::jobs {

std::string checksum_text(uint64_t checksum) {
  return fmt::format("{:016x}", checksum);
}

Result<std::string> checksum_of(storage::FileSystem& fs, const std::string& path) {
  constexpr size_t block = 1 << 20;
  KITH_ASSIGN(const auto file, fs.open(path));
  StreamHash hash;
  std::vector<std::byte> buffer(block);
  for (uint64_t at = 0; at < file->size();) {
    KITH_ASSIGN(const size_t got, file->read_at(at, buffer));
    if (got == 0) break;
    hash.update(Bytes(buffer).first(got));
    at += got;
  }
  return checksum_text(hash.digest());
}

Result<std::unique_ptr<ListWriter>> ListWriter::create(storage::FileSystem& fs,
                                                       const std::string& path,
                                                       const RowFormat& format,
                                                       TableFiles* tables) {
  KITH_ASSIGN(auto file, fs.create(storage::temporary_name(path)));
  std::unique_ptr<ListWriter> writer(new ListWriter(fs, path, format, std::move(file)));
  if (is_table(format.format())) {
    const auto write = [own = writer.get()](std::string_view bytes) { return own->write(bytes); };
    KITH_ASSIGN(writer->table_, create_list_file(tables, format, write));
  }
  return writer;
}

Status ListWriter::row(std::initializer_list<RowField> fields) {
  constexpr size_t block = 1 << 18;
  format_.append(buffer_, fields);
  return buffer_.size() >= block ? flush() : Status::ok();
}

Status ListWriter::finish() {
  KITH_TRY(flush());
  if (table_) KITH_TRY(table_->finish());
  KITH_TRY(file_->sync());
  KITH_TRY(file_->close());
  return fs_->rename(storage::temporary_name(path_), path_);
}

Status ListWriter::flush() {
  KITH_TRY(table_ ? table_->append(buffer_) : write(buffer_));
  buffer_.clear();
  return Status::ok();
}

Status ListWriter::write(std::string_view bytes) {
  hash_.update(as_bytes(bytes));
  return file_->append(as_bytes(bytes));
}

}  // namespace kith::jobs
