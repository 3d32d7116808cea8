// One list of a run: rows of fields in one of the formats.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kith/rows.h"
#include "kith/status.h"
#include "kith/table_files.h"

#include "base/hash.h"
#include "storage/file_system.h"

namespace kith::jobs {

// A checksum as the manifest has it: 16 hexadecimal digits.
std::string checksum_text(uint64_t checksum);
// Of the bytes of a file.
Result<std::string> checksum_of(storage::FileSystem& fs, const std::string& path);

// Writes a list, which stands under its name only when it is whole. Not thread-safe.
class ListWriter {
 public:
  // tables: what makes files of parquet and arrow.
  static Result<std::unique_ptr<ListWriter>> create(storage::FileSystem& fs,
                                                    const std::string& path,
                                                    const RowFormat& format, TableFiles* tables);

  Status row(std::initializer_list<RowField> fields);
  Status finish();
  // Of all that was written. REQUIRES: finish() was called.
  std::string checksum() const { return checksum_text(hash_.digest()); }

 private:
  ListWriter(storage::FileSystem& fs, std::string path, RowFormat format,
             std::unique_ptr<storage::WritableFile> file)
      : fs_(&fs),
        path_(std::move(path)),
        format_(std::move(format)),
        file_(std::move(file)),
        buffer_(format_.header()) {}

  Status flush();
  Status write(std::string_view bytes);

  storage::FileSystem* fs_;
  std::string path_;
  RowFormat format_;
  std::unique_ptr<storage::WritableFile> file_;
  std::unique_ptr<ListFile> table_;  // of which the rows become the bytes of the file
  std::string buffer_;
  StreamHash hash_;
};

}  // namespace kith::jobs
