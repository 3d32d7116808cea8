// The container of every file that kith keeps: named, checksummed sections of bytes.
// The byte format is docs/formats/container.md. Three types: SectionWriter makes a file,
// the file is immutable, SectionFile reads it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "base/hash.h"
#include "base/memory.h"
#include "storage/file_system.h"

namespace kith::storage {

// Four letters that name what a file holds, and the version of its sections.
struct FileKind {
  std::string_view name;
  uint32_t version;
};

// The advice that ends every error of kind corrupt of a SectionFile.
inline constexpr std::string_view repair_advice = "; run the kith command that made it again";

// A section is checked by blocks of so many bytes, the last of which may be shorter. What is looked
// up lies in as many blocks as there are items, so that they are small; their checksums, which are
// compared when a file is opened, are a 2,048th of it.
inline constexpr uint64_t check_block = 16 << 10;

// An entry of the section table.
struct Section {
  std::string name;
  uint64_t offset;       // of its first byte in the file
  uint64_t size;         // bytes
  uint64_t hash;         // XXH3-64 of the checksums of its blocks
  uint64_t first_block;  // of the blocks of all sections, one after the other
};

// Writes sections one after the other. Nothing is visible under `path` before finish(); a
// writer that is destroyed without it removes its temporary file. Not thread-safe.
class SectionWriter {
 public:
  static Result<SectionWriter> create(FileSystem& fs, const std::string& path, FileKind kind);
  ~SectionWriter();
  SectionWriter(SectionWriter&& other) noexcept;
  SectionWriter& operator=(SectionWriter&&) = delete;

  // Ends the current section and starts the next. `name`: 1 to 16 ASCII characters, once a file.
  Status begin(std::string_view name);
  // Appends to the current section. REQUIRES: begin() was called.
  Status append(Bytes bytes);
  Status append(std::string_view bytes) { return append(as_bytes(bytes)); }
  template <class T>
  Status append_array(std::span<const T> values) {
    return append(std::as_bytes(values));
  }

  // A whole section: an array.
  template <class Array>
  Status write_array(std::string_view name, const Array& values) {
    KITH_TRY(begin(name));
    return append_array(std::span(values));
  }
  // Two sections: the strings text(0) to text(count - 1), and NAME_at: where each begins, and the
  // end.
  template <class Text>
  Status write_strings(const std::string& name, size_t count, const Text& text) {
    std::vector<uint64_t> offsets{0};
    offsets.reserve(count + 1);
    KITH_TRY(begin(name));
    for (size_t i = 0; i < count; ++i) {
      const std::string_view bytes = text(i);
      KITH_TRY(append(bytes));
      offsets.push_back(offsets.back() + bytes.size());
    }
    return write_array(name + "_at", offsets);
  }

  // Writes the table, syncs and renames to the final path. Nothing may be called afterwards.
  Status finish();

 private:
  SectionWriter(FileSystem& fs, std::string path);
  Status write(Bytes bytes);
  Status pass_on(Bytes bytes);
  Status flush();
  Status pad();
  void end_block();
  void end_section();

  FileSystem* fs_;
  std::string path_;
  std::unique_ptr<WritableFile> file_;
  std::string buffer_;
  uint64_t position_ = 0;
  uint64_t waiting_ = 0;          // bytes that are not on their way to the disk
  StreamHash block_;              // the block in progress
  uint64_t block_size_ = 0;       // its bytes so far
  std::vector<uint64_t> blocks_;  // checksums
  std::vector<Section> sections_;
  bool open_section_ = false;
};

// A mapped, immutable file. Thread-safe. Opening checks the header, the table, the checksums of
// blocks and that every section lies inside the file; verify() checks the contents, check() those
// that are about to be used.
class SectionFile {
 public:
  static Result<SectionFile> open(FileSystem& fs, const std::string& path, FileKind kind);

  const std::string& path() const { return path_; }
  // What the sections are views of; as long as this object.
  const Mapping& mapping() const { return *file_; }

  // Nothing of the file will be read for a while: see Mapping::release().
  void release() const { file_->release(file_->bytes()); }
  // Of the whole file.
  uint64_t mapping_bytes() const { return file_->bytes().size(); }

  // The bytes of a section, valid as long as this object; an error when it is absent.
  Result<Bytes> section(std::string_view name) const;

  // A section as an array; an error when its size is no multiple of sizeof(T). Sections begin
  // at multiples of 64 bytes, so the array is aligned.
  template <class T>
  Result<std::span<const T>> array(std::string_view name) const {
    KITH_ASSIGN(const Bytes bytes, section(name));
    if (bytes.size() % sizeof(T) != 0) return wrong_size(name);
    return std::span<const T>(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  }

  // A copy of a part of a section, read and not touched: what stages use throughout, so that no
  // other process can take it from them. REQUIRES: `part` lies inside a section of this file.
  template <class T>
  Result<LargeArray<T>> read(std::span<const T> part) const {
    LargeArray<T> copy(part.size());
    KITH_TRY(file_->read(std::as_bytes(part), std::as_writable_bytes(copy.span()).data()));
    return copy;
  }

  // Reads everything and compares the checksums; the error names the file and the section. A file
  // that is sound has every byte that was written.
  Status verify() const;

  // An error where another process has cut the file off since it was opened: see MappedFile.
  Status check_size() const { return file_->check_size(); }

  // Compares the blocks that a part of a section lies in with their checksums, each once as long as
  // this object lives: so what was looked up is what was written, and the rest need not be read.
  // The size of the file is compared each time.
  // The error names the file and the section. REQUIRES: `part` lies inside a section of this file.
  Status check(Bytes part) const;
  template <class T>
  Status check(std::span<const T> part) const {
    return check(std::as_bytes(part));
  }

  // Of the section table, and so of all that the file holds.
  uint64_t checksum() const { return checksum_; }

  // An error that names the file, says what is wrong with it and what to do.
  Error corrupt(std::string_view what) const;
  // The same of sections whose sizes or values cannot belong together.
  Error do_not_fit() const;

 private:
  Status parse(FileKind kind);
  Status parse_header(FileKind kind) const;
  Status parse_table(Bytes table);
  Status check_block_checksums();
  Error wrong_size(std::string_view name) const;
  Error is_damaged(const Section& section) const;
  Status verify_gaps() const;
  uint64_t blocks_offset() const { return table_offset_ - blocks_.size() * sizeof(uint64_t); }
  Bytes block_of(const Section& section, uint64_t block) const;
  Status check(const Section& section, uint64_t block) const;

  std::string path_;
  std::unique_ptr<MappedFile> file_;
  std::vector<Section> sections_;
  uint64_t table_offset_ = 0;
  std::span<const uint64_t> blocks_;  // checksums
  // A bit for each block that was compared.
  std::unique_ptr<std::atomic<uint64_t>[]> compared_;
  uint64_t checksum_ = 0;
};

}  // namespace kith::storage
