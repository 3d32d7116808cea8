#include "storage/file_system.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kith::storage {

Result<std::vector<std::string>> names_in(const std::string& folder) {
  const auto close = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close)> opened(::opendir(folder.c_str()), close);
  if (!opened) return os_error("list", folder, errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return os_error("list", folder, errno);
  std::ranges::sort(names);
  return names;
}

Status remove_tree(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? Status::ok() : Status(os_error("remove", path, errno));
  }
  const bool is_folder = S_ISDIR(status.st_mode);
  if (is_folder) {
    const Result<std::vector<std::string>> names = names_in(path);
    if (!names) return names.error().kind == ErrorKind::not_found ? Status::ok() : names.status();
    for (const std::string& name : *names) KITH_TRY(remove_tree(fmt::format("{}/{}", path, name)));
  }
  const int failed = is_folder ? ::rmdir(path.c_str()) : ::unlink(path.c_str());
  if (failed != 0 && errno != ENOENT) return os_error("remove", path, errno);
  return Status::ok();
}

namespace {

// Closes a file descriptor when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  Status append(Bytes bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return os_error("write", path_, errno);
      }
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return Status::ok();
  }

  void start_sync() override {
    static_cast<void>(::sync_file_range(fd_.get(), 0, 0, SYNC_FILE_RANGE_WRITE));
  }

  Status sync() override {
    if (::fdatasync(fd_.get()) != 0) return os_error("sync", path_, errno);
    return Status::ok();
  }

  Status close() override {
    if (::close(fd_.release()) != 0) return os_error("close", path_, errno);
    return Status::ok();
  }

 private:
  std::string path_;
  Descriptor fd_;
};

// Fewer bytes than `out` has only at the end of the file.
Result<size_t> read_from(int fd, const std::string& path, uint64_t offset,
                         std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0) {
      if (errno == EINTR) continue;
      return os_error("read", path, errno);
    }
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(std::string path, Descriptor fd, uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}

  uint64_t size() const override { return size_; }

  Result<size_t> read_at(uint64_t offset, std::span<std::byte> out) const override {
    return read_from(fd_.get(), path_, offset, out);
  }

 private:
  std::string path_;
  Descriptor fd_;
  uint64_t size_;
};

class PosixMappedFile final : public MappedFile {
 public:
  PosixMappedFile(std::string path, void* address, size_t size, Descriptor fd)
      : path_(std::move(path)), address_(address), size_(size), fd_(std::move(fd)) {}
  ~PosixMappedFile() override {
    if (size_ > 0) ::munmap(address_, size_);
  }
  PosixMappedFile(const PosixMappedFile&) = delete;
  PosixMappedFile& operator=(const PosixMappedFile&) = delete;
  Bytes bytes() const override { return {static_cast<const std::byte*>(address_), size_}; }

  // From where the largest folio would begin, two MiB: who reads on behind what was released may
  // have brought in again what lies before. What a neighbour still reads comes back from the cache.
  void release(Bytes bytes) const override {
    constexpr size_t folio = size_t{2} << 20;
    if (bytes.empty()) return;
    const auto offset = static_cast<size_t>(bytes.data() - this->bytes().data());
    const size_t begin = offset / folio * folio;
    ::madvise(static_cast<std::byte*>(address_) + begin, offset + bytes.size() - begin,
              MADV_DONTNEED);
  }

  Status read(Bytes from, std::byte* to) const override {
    const auto offset = static_cast<size_t>(from.data() - this->bytes().data());
    KITH_ASSIGN(const size_t got, read_from(fd_.get(), path_, offset, {to, from.size()}));
    return got == from.size() ? Status::ok() : cut_off(offset + got);
  }

  Status check_size() const override {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0) return os_error("look at", path_, errno);
    const auto size = static_cast<uint64_t>(info.st_size);
    return size < size_ ? cut_off(size) : Status::ok();
  }

 private:
  Status cut_off(uint64_t size) const {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: was cut off after {} of {} bytes while it was read; run the kith "
                             "command that made it again, and leave its files alone meanwhile",
                             path_, size, size_)};
  }

  std::string path_;
  void* address_;
  size_t size_;
  Descriptor fd_;
};

class PosixFolderLock final : public FolderLock {
 public:
  explicit PosixFolderLock(Descriptor fd) : fd_(std::move(fd)) {}

 private:
  Descriptor fd_;  // closing it unlocks
};

struct OpenFile {
  Descriptor fd;
  uint64_t size;
};

Result<OpenFile> open_for_reading(const std::string& path) {
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return os_error("open", path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return os_error("look at", path, errno);
  if (S_ISDIR(info.st_mode)) return os_error("open", path, EISDIR);
  return OpenFile{std::move(fd), static_cast<uint64_t>(info.st_size)};
}

}  // namespace

bool is_sync_error(int code) {
  return code != EINVAL && code != ENOTSUP && code != ENOSYS && code != EBADF && code != EISDIR;
}

bool is_lock_error(int code) {
  return code != ENOLCK && code != ENOTSUP && code != ENOSYS && code != EINVAL;
}

namespace {

Status sync_directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const Descriptor fd(
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) return os_error("sync", directory, errno);
  if (::fsync(fd.get()) == 0 || !is_sync_error(errno)) return Status::ok();
  return os_error("sync", directory, errno);
}

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (fd.get() < 0) return os_error("create", path, errno);
    return std::unique_ptr<WritableFile>(std::make_unique<PosixWritableFile>(path, std::move(fd)));
  }

  Result<std::unique_ptr<WritableFile>> reopen(const std::string& path) override {
    Descriptor fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (fd.get() < 0) return os_error("open", path, errno);
    return std::unique_ptr<WritableFile>(std::make_unique<PosixWritableFile>(path, std::move(fd)));
  }

  Status truncate(const std::string& path, uint64_t bytes) override {
    if (::truncate(path.c_str(), static_cast<off_t>(bytes)) == 0) return Status::ok();
    return os_error("shorten", path, errno);
  }

  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override {
    KITH_ASSIGN(OpenFile file, open_for_reading(path));
    ::posix_fadvise(file.fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    return std::unique_ptr<ReadableFile>(
        std::make_unique<PosixReadableFile>(path, std::move(file.fd), file.size));
  }

  Result<std::unique_ptr<MappedFile>> map(const std::string& path) override {
    KITH_ASSIGN(OpenFile file, open_for_reading(path));
    void* address = nullptr;
    if (file.size > 0) {
      address = ::mmap(nullptr, file.size, PROT_READ, MAP_SHARED, file.fd.get(), 0);
      if (address == MAP_FAILED) return os_error("map", path, errno);
    }
    return std::unique_ptr<MappedFile>(
        std::make_unique<PosixMappedFile>(path, address, file.size, std::move(file.fd)));
  }

  bool exists(const std::string& path) override { return ::access(path.c_str(), F_OK) == 0; }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    return names_in(folder);
  }

  Status make_directories(const std::string& path) override {
    std::vector<std::string> made;
    for (std::filesystem::path at = path; !at.empty() && !exists(at); at = at.parent_path()) {
      made.push_back(at);
    }
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (code) return os_error("make the folder", path, code.value());
    for (const std::string& folder : made) KITH_TRY(sync_directory_of(folder));
    return Status::ok();
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return os_error("rename to", to, errno);
    return sync_directory_of(to);
  }

  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return os_error("remove", path, errno);
    return Status::ok();
  }

  Status remove_folder(const std::string& path) override {
    if (::rmdir(path.c_str()) != 0) return os_error("remove", path, errno);
    return Status::ok();
  }

  Status share(const std::string& from, const std::string& to) override {
    KITH_TRY(remove(to));
    if (::link(from.c_str(), to.c_str()) != 0) return FileSystem::share(from, to);
    return sync_directory_of(to);
  }

  Result<std::unique_ptr<FolderLock>> lock(const std::string& folder) override {
    Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return os_error("open", folder, errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      return std::unique_ptr<FolderLock>(std::make_unique<PosixFolderLock>(std::move(fd)));
    }
    if (errno != EWOULDBLOCK) {
      if (is_lock_error(errno)) return os_error("lock", folder, errno);
      return std::unique_ptr<FolderLock>();
    }
    return Error{ErrorKind::usage,
                 fmt::format("{}: another kith is at work in it; wait until it ends", folder)};
  }

  Status remove_tree(const std::string& path) override { return storage::remove_tree(path); }
};

}  // namespace

FileSystem& posix_file_system() {
  static PosixFileSystem file_system;
  return file_system;
}

namespace {

// Makes a file that stands under `path` when all of it is on the disk, or not at all.
Status make_file(FileSystem& fs, const std::string& path,
                 const std::function<Status(WritableFile&)>& write) {
  const std::string temporary = temporary_name(path);
  const auto make = [&]() -> Status {
    KITH_ASSIGN(const auto file, fs.create(temporary));
    KITH_TRY(write(*file));
    KITH_TRY(file->sync());
    KITH_TRY(file->close());
    return fs.rename(temporary, path);
  };
  Status status = make();
  // The error that led here is what the user needs to see; a failure to clean up is not.
  if (!status) static_cast<void>(fs.remove(temporary));
  return status;
}

Status copy_bytes(const ReadableFile& from, WritableFile& to) {
  constexpr size_t block = 8 << 20;
  std::vector<std::byte> buffer(std::min<uint64_t>(block, from.size()));
  for (uint64_t at = 0; at < from.size();) {
    KITH_ASSIGN(const size_t got, from.read_at(at, buffer));
    if (got == 0) break;
    KITH_TRY(to.append(Bytes(buffer).first(got)));
    at += got;
  }
  return Status::ok();
}

}  // namespace

Status FileSystem::share(const std::string& from, const std::string& to) {
  KITH_ASSIGN(const auto file, open(from));
  return make_file(*this, to, [&](WritableFile& copy) { return copy_bytes(*file, copy); });
}

Result<std::unique_ptr<FolderLock>> FileSystem::lock(const std::string&) {
  return std::unique_ptr<FolderLock>();
}

Result<std::string> read_file(FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(const auto file, fs.open(path));
  std::string bytes(file->size(), '\0');
  KITH_ASSIGN(
      const size_t size,
      file->read_at(0, std::as_writable_bytes(std::span<char>(bytes.data(), bytes.size()))));
  bytes.resize(size);
  return bytes;
}

Status write_file(FileSystem& fs, const std::string& path, std::string_view bytes) {
  return make_file(fs, path, [&](WritableFile& file) { return file.append(as_bytes(bytes)); });
}

Status append_block(FileSystem& fs, const std::string& path, Bytes bytes, bool begin) {
  KITH_ASSIGN(const auto file, begin ? fs.create(path) : fs.reopen(path));
  KITH_TRY(file->append(bytes));
  return file->close();
}

Result<size_t> read_block(FileSystem& fs, const std::string& path, uint64_t offset,
                          std::span<std::byte> out) {
  KITH_ASSIGN(const auto file, fs.open(path));
  return file->read_at(offset, out);
}

Result<uint64_t> file_size(FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(const auto file, fs.open(path));
  return file->size();
}

}  // namespace kith::storage
