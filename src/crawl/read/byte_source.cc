#include "crawl/read/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kith::crawl {

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  const bool is_stdin = path == "-";
  const int descriptor = is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const ErrorKind kind = errno == ENOENT ? ErrorKind::not_found : ErrorKind::io;
    return Error{kind, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  std::unique_ptr<FileSource> source(
      new FileSource(is_stdin ? "standard input" : path, descriptor));
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) {
    return Error{ErrorKind::io, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  if (S_ISDIR(facts.st_mode)) {
    return Error{ErrorKind::io, fmt::format("cannot read {}: it is a folder", source->path_)};
  }
  // Standard input may be a redirected file, but then its reader may not start at byte 0.
  source->regular_ = S_ISREG(facts.st_mode) && !is_stdin;
  source->size_ = source->regular_ ? static_cast<uint64_t>(facts.st_size) : 0;
  // Advice only: a refusal (a pipe) changes nothing.
  if (source->regular_) posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return source;
}

FileSource::~FileSource() {
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

Result<size_t> FileSource::read(std::span<char> buffer) {
  for (;;) {
    const ssize_t n = ::read(descriptor_, buffer.data(), buffer.size());
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR) {
      return Error{ErrorKind::io, fmt::format("cannot read {}: {}", path_, std::strerror(errno))};
    }
  }
}

Status FileSource::seek(uint64_t offset) {
  if (lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) >= 0) return Status::ok();
  return Error{ErrorKind::io, fmt::format("cannot read {}: {}", path_, std::strerror(errno))};
}

Result<std::unique_ptr<RangeSource>> RangeSource::open(std::unique_ptr<ByteSource> source,
                                                       uint64_t from) {
  const uint64_t size = source->known_size().value_or(0);
  return open(std::move(source), from, size - std::min(size, from));
}

Result<std::unique_ptr<RangeSource>> RangeSource::open(std::unique_ptr<ByteSource> source,
                                                       uint64_t from, uint64_t size) {
  const std::optional<uint64_t> all = source->known_size();
  if (!all || *all < from || *all - from < size) {
    return Error{ErrorKind::io, fmt::format("the file has no byte {}", from + size)};
  }
  KITH_TRY(source->seek(from));
  return std::unique_ptr<RangeSource>(new RangeSource(std::move(source), from, size));
}

Result<size_t> RangeSource::read(std::span<char> buffer) {
  const auto room = static_cast<size_t>(std::min<uint64_t>(buffer.size(), size_ - position_));
  if (room == 0) return size_t{0};
  KITH_ASSIGN(const size_t n, source_->read(buffer.first(room)));
  position_ += n;
  return n;
}

Status RangeSource::seek(uint64_t offset) {
  position_ = offset;
  return source_->seek(from_ + offset);
}

}  // namespace kith::crawl
