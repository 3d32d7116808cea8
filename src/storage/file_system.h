// Files and folders behind one interface, so that tests can make them fail.
#pragma once

#include <cerrno>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "kith/status.h"

#include "base/bytes.h"
#include "base/memory.h"

namespace kith::storage {

// What the operating system says of a call that failed, as an error for the user.

// action: "open", "remove", said of the path. code: of errno.
inline Error os_error(std::string_view action, const std::string& path, int code) {
  std::string_view advice;
  if (code == ENOSPC || code == EDQUOT) {
    advice = "; free some space or choose another place, then run the same command again";
  }
  const ErrorKind kind = code == ENOENT || code == ENOTDIR ? ErrorKind::not_found : ErrorKind::io;
  return {kind, fmt::format("cannot {} {}: {}{}", action, path,
                            std::generic_category().message(code), advice)};
}

// Folders of the operating system. The iterators of std::filesystem, and remove_all(), end the
// program where there is no memory for them: their steps are noexcept.

// The names of what is in the folder, files and folders, in order of their bytes. Error (not_found,
// io) where it cannot be listed. Thread-safe.
Result<std::vector<std::string>> names_in(const std::string& folder);

// Removes the file or link, or the folder with all in it; links are not followed. Nothing there is
// no error. Error (io) at the first that cannot be removed. Thread-safe.
Status remove_tree(const std::string& path);

// All access to files goes through this seam, so that a test can make a disk fail on command.

// An append-only file. Not thread-safe. Destroying it without close() leaves the bytes
// written so far and reports nothing: call close() and look at its Status.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status append(Bytes bytes) = 0;
  // What was appended so far goes to the disk while the caller goes on, so that sync() has less to
  // wait for. Reports no error: sync() does.
  virtual void start_sync() {}
  virtual Status sync() = 0;  // returns when the bytes are on the disk
  virtual Status close() = 0;
};

// Random reads. Thread-safe.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  virtual uint64_t size() const = 0;
  // Reads up to out.size() bytes at offset; fewer only at the end of the file.
  virtual Result<size_t> read_at(uint64_t offset, std::span<std::byte> out) const = 0;
};

// The bytes of a whole file, mapped; they live as long as the object.
class MappedFile : public Mapping {
 public:
  virtual Bytes bytes() const = 0;
  // An error where the file has become shorter than the mapping: to be asked before bytes() are
  // touched that were mapped a while ago. Thread-safe.
  virtual Status check_size() const { return Status::ok(); }
};

// Holds a folder against other processes as long as it lives, and not beyond the end of this one.
class FolderLock {
 public:
  virtual ~FolderLock() = default;
};

// Thread-safe. Every error names the path and says what the operating system answered.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path) = 0;  // truncates
  // A file that exists; what is appended follows what it holds.
  virtual Result<std::unique_ptr<WritableFile>> reopen(const std::string& path) = 0;
  // Leaves the first `bytes` bytes of a file, which has as many. Not while it is being written.
  virtual Status truncate(const std::string& path, uint64_t bytes) = 0;
  virtual Result<std::unique_ptr<ReadableFile>> open(const std::string& path) = 0;
  virtual Result<std::unique_ptr<MappedFile>> map(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  // The names of what is in a folder, ascending.
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
  // Durable, as far as the file system can sync folders; some cannot, and then this says nothing.
  virtual Status make_directories(const std::string& path) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;  // atomic; likewise
  virtual Status remove(const std::string& path) = 0;         // a missing file is no error
  virtual Status remove_tree(const std::string& path) = 0;    // likewise
  virtual Status remove_folder(const std::string& path) = 0;  // an error unless it is empty
  // Makes the file that stands at `from`, which nobody will write to again, stand at `to` as well:
  // a second name for it, or a copy where the file system gives none. Durable.
  virtual Status share(const std::string& from, const std::string& to);
  // Locks a folder; an error of kind usage when it is locked already. Null where the file system
  // knows no locks.
  virtual Result<std::unique_ptr<FolderLock>> lock(const std::string& folder);
};

// The operating system's files.
FileSystem& posix_file_system();

// Whether an answer of the operating system (errno) to the sync of a folder, or to a lock, is an
// error, and not that the file system does not know such a thing (some network file systems).
bool is_sync_error(int code);
bool is_lock_error(int code);

// Where a file is written before it is renamed to `path`.
inline std::string temporary_name(const std::string& path) {
  return path + ".tmp";
}

// Whole files, for small ones. write_file is atomic: temporary name, sync, rename; after an error
// it leaves no file under the temporary name.
Result<std::string> read_file(FileSystem& fs, const std::string& path);
Status write_file(FileSystem& fs, const std::string& path, std::string_view bytes);

// Many files that are written or read in turns, a block at a time: each is open only while a block
// is on its way, so that a process may have any number of them.
// begin: the first block, which replaces what the file holds; else the block is appended.
Status append_block(FileSystem& fs, const std::string& path, Bytes bytes, bool begin);
// Reads up to out.size() bytes at offset; fewer only at the end of the file.
Result<size_t> read_block(FileSystem& fs, const std::string& path, uint64_t offset,
                          std::span<std::byte> out);
Result<uint64_t> file_size(FileSystem& fs, const std::string& path);

}  // namespace kith::storage
