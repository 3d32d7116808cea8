// Where bytes come from, and how the file they are in is laid out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kith/status.h"

namespace kith::crawl {

// How a file is laid out: where its members and its records lie, told while it is read.

// A gzip member or zstd frame that has been unpacked, or found broken.
struct MemberExtent {
  uint64_t begin = 0;  // on disk
  uint64_t end = 0;    // on disk; of a broken one, where its decoder stopped
  uint64_t unpacked_begin = 0;
  uint64_t unpacked_end = 0;  // of a broken one, what could be unpacked
  bool sound = true;
};

// Positions are those of UnpackedStream::position(), and ascend. A record is known from its first
// byte to the next record, or to damage: the line breaks behind it are its own.
class LayoutLog {
 public:
  virtual ~LayoutLog() = default;

  // Called first of all.
  virtual void file_begins(bool is_packed) { static_cast<void>(is_packed); }
  // `position` is where the reader stands, which may lie far before the member. Not called for
  // plain files.
  virtual void member_ended(const MemberExtent& member, uint64_t position) = 0;
  // `record` as in Page::record.
  virtual void record_begins(uint64_t record, uint64_t position) = 0;
  // Called also where no record has begun.
  virtual void record_ended(uint64_t position) = 0;
  // The length of the current record is too large: that it ends early is known only by the record
  // that begins next.
  virtual void record_needs_next() = 0;
};

// Where bytes come from, as they lie on disk: a file, standard input, or memory.

// A run of bytes, read forward. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads up to buffer.size() (> 0) bytes, at least one unless the end is reached: 0 is the end.
  virtual Result<size_t> read(std::span<char> buffer) = 0;

  // The size of a source that can be read from any byte; nothing for a pipe, and for a member of a
  // zip file or tar that is unpacked on its way.
  virtual std::optional<uint64_t> known_size() const { return std::nullopt; }

  // Why the bytes ended before their time, once read() has given 0: static text, empty at a sound
  // end.
  virtual const char* problem() const { return ""; }

  // Lets the next read() begin at `offset`. REQUIRES: a known size, offset <= that.
  virtual Status seek(uint64_t offset) = 0;
};

// Bytes that outlive it.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes), rest_(bytes) {}

  Result<size_t> read(std::span<char> buffer) override {
    const size_t n = std::min(buffer.size(), rest_.size());
    if (n > 0) std::memcpy(buffer.data(), rest_.data(), n);
    rest_.remove_prefix(n);
    return n;
  }
  std::optional<uint64_t> known_size() const override { return bytes_.size(); }
  Status seek(uint64_t offset) override {
    rest_ = bytes_.substr(static_cast<size_t>(offset));
    return Status::ok();
  }

 private:
  std::string_view bytes_;
  std::string_view rest_;
};

// A file, a pipe by its path, or standard input ("-"), read with large sequential reads.
class FileSource : public ByteSource {
 public:
  // An error (not_found or io) when the path cannot be opened or is a folder.
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> read(std::span<char> buffer) override;
  std::optional<uint64_t> known_size() const override {
    return regular_ ? std::optional(size_) : std::nullopt;
  }
  Status seek(uint64_t offset) override;

  // A regular file can be opened again; a pipe gives its bytes once and hides its size.
  bool is_regular() const { return regular_; }
  uint64_t size() const { return size_; }  // 0 for a pipe

 private:
  FileSource(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
  bool regular_ = false;
  uint64_t size_ = 0;
};

// A part of the bytes of a source, as if there were no others.
class RangeSource : public ByteSource {
 public:
  // All from an offset on. An error when the source hides its size, or is shorter.
  static Result<std::unique_ptr<RangeSource>> open(std::unique_ptr<ByteSource> source,
                                                   uint64_t from);
  // `size` of them. Likewise an error when the source is shorter.
  static Result<std::unique_ptr<RangeSource>> open(std::unique_ptr<ByteSource> source,
                                                   uint64_t from, uint64_t size);

  Result<size_t> read(std::span<char> buffer) override;
  std::optional<uint64_t> known_size() const override { return size_; }
  Status seek(uint64_t offset) override;
  const char* problem() const override { return source_->problem(); }

 private:
  RangeSource(std::unique_ptr<ByteSource> source, uint64_t from, uint64_t size)
      : source_(std::move(source)), from_(from), size_(size) {}

  std::unique_ptr<ByteSource> source_;
  uint64_t from_;
  uint64_t size_;
  uint64_t position_ = 0;  // from there
};

}  // namespace kith::crawl
