// What the targets of section files share: a file of any bytes, made, opened and used.
//
// The first byte of the input chooses the file and how it is made: of the bytes as they are, or of
// the bytes as the contents of its sections, in a container that is sound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "base/bytes.h"
#include "storage/section_file.h"
#include "support/memory_file_system.h"

namespace kith::fuzz {

inline constexpr const char* path = "file.kith";

inline void require(bool condition) {
  if (!condition) __builtin_trap();
}

// Damage is an error of the right kind that names the file.
template <class T>
bool opened(const Result<T>& file) {
  if (file) return true;
  require(file.error().kind == ErrorKind::corrupt);
  require(file.error().message.starts_with(path));
  return false;
}

struct File {
  storage::FileKind kind;
  std::vector<std::string_view> sections;
  Status (*use)(storage::FileSystem&);
};

// The bytes of a section: a length (u16, 0xffff: absent) and so many bytes.
inline void write_sections(storage::FileSystem& fs, const std::string& at, storage::FileKind kind,
                           const std::vector<std::string_view>& sections, Cursor& cursor) {
  constexpr uint16_t absent = 0xffff;
  auto writer = storage::SectionWriter::create(fs, at, kind);
  for (const std::string_view name : sections) {
    const auto size = cursor.fixed<uint16_t>();
    if (size == absent) continue;
    require(writer->begin(name).is_ok());
    require(writer->append(cursor.take(std::min<size_t>(size, cursor.remaining()))).is_ok());
  }
  require(writer->finish().is_ok());
}

inline int use_one_of(const std::vector<File>& files, const uint8_t* data, size_t size) {
  constexpr uint8_t raw_bytes = 0x80;
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const File& file = files[(data[0] & ~raw_bytes) % files.size()];
  test::MemoryFileSystem fs;
  if ((data[0] & raw_bytes) != 0) {
    fs.put(path, input);
    static_cast<void>(file.use(fs));  // the checksums may be wrong
  } else {
    Cursor cursor(input);
    write_sections(fs, path, file.kind, file.sections, cursor);
    require(file.use(fs).is_ok());
  }
  return 0;
}

}  // namespace kith::fuzz
