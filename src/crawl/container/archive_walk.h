// The heads and the bytes of the members of a zip file or tar, one after the other, by libarchive.
#pragma once

#include <clocale>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <archive.h>
#include <archive_entry.h>

#include "kith/status.h"

#include "crawl/read/unpacked_stream.h"

namespace kith::crawl {

// Not thread-safe.
class ArchiveWalk {
 public:
  // Nothing where the file is neither a zip file nor a tar.
  static Result<std::unique_ptr<ArchiveWalk>> open(const std::string& path);
  ~ArchiveWalk();
  ArchiveWalk(const ArchiveWalk&) = delete;
  ArchiveWalk& operator=(const ArchiveWalk&) = delete;

  // Moves to the next head, of a file or of anything else; false at the end.
  Result<bool> next();
  // That were passed, with the current one.
  size_t heads() const { return heads_; }

  // Of the current head.
  const std::string& name() const { return name_; }
  archive_entry* entry() const { return entry_; }
  bool is_encrypted() const { return archive_entry_is_encrypted(entry_) != 0; }
  // Of a zip file what the member is packed with, as libarchive calls it: "uncompressed",
  // "deflation". Empty for a tar.
  std::string_view method() const;
  // Where the reader stands in the file, or in the tar that is packed as a whole; behind a head
  // where the bytes of the member begin.
  uint64_t position() const;

  // Some more bytes of the current member, valid until the next call; nothing at its end. They are
  // none of a member that is damaged from there on, which is_damaged() then tells.
  Result<std::optional<std::string_view>> read();
  bool is_damaged() const { return is_damaged_; }

  bool is_packed() const { return stream_.codec().has_value(); }
  // Of the file, if it is not packed as a whole.
  std::optional<uint64_t> size() const { return stream_.known_end(); }
  // "PATH is damaged, or was cut: why".
  Error damaged(std::string_view why) const;

 private:
  ArchiveWalk(std::string path, UnpackedStream stream);

  static la_ssize_t read_on(archive* archive, void* walk, const void** bytes);
  static la_int64_t seek_to(archive* archive, void* walk, la_int64_t offset, int whence);
  Status check_callbacks();
  Error broken() const;

  const std::string path_;
  UnpackedStream stream_;
  size_t lent_ = 0;  // bytes of the window that libarchive has
  // What a callback has met, which is no business of libarchive's.
  std::optional<Error> failure_;
  std::exception_ptr thrown_;
  // Names are given in the charset of the thread's locale, whatever that is.
  const locale_t utf8_;
  archive* const archive_;
  archive_entry* entry_ = nullptr;
  std::string name_;
  size_t heads_ = 0;
  bool is_damaged_ = false;
};

}  // namespace kith::crawl
