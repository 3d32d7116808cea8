#include "crawl/container/archive_walk.h"

#include <cerrno>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "crawl/container/container.h"

namespace kith::crawl {
namespace {

constexpr size_t kTarHead = 512;
// A zip file is read here and there.
constexpr size_t kBlock = 64u << 10;

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

// While it lives, this thread reads text as UTF-8. Without the locale all stays as it is.
class ThreadLocale {
 public:
  explicit ThreadLocale(locale_t locale) : before_(uselocale(locale)) {}
  ~ThreadLocale() { uselocale(before_); }
  ThreadLocale(const ThreadLocale&) = delete;
  ThreadLocale& operator=(const ThreadLocale&) = delete;

 private:
  const locale_t before_;
};

}  // namespace

bool starts_zip(std::string_view bytes) {
  return bytes.starts_with(std::string_view("PK\3\4", 4)) ||
         bytes.starts_with(std::string_view("PK\5\6", 4));
}

bool starts_tar(std::string_view bytes) {
  // A block of zeros is a tar of nothing, and may be anything else.
  if (bytes.size() < kTarHead || bytes.front() == '\0') return false;
  const std::unique_ptr<archive, FreeArchive> reader(archive_read_new());
  if (!reader) throw std::bad_alloc();
  archive_read_support_format_tar(reader.get());
  return archive_read_open_memory(reader.get(), bytes.data(), kTarHead) == ARCHIVE_OK;
}

ArchiveWalk::ArchiveWalk(std::string path, UnpackedStream stream)
    : path_(std::move(path)),
      stream_(std::move(stream)),
      utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
      archive_(archive_read_new()) {}

ArchiveWalk::~ArchiveWalk() {
  archive_read_free(archive_);
  if (utf8_ != nullptr) freelocale(utf8_);
}

Result<std::unique_ptr<ArchiveWalk>> ArchiveWalk::open(const std::string& path) {
  KITH_ASSIGN(std::unique_ptr<FileSource> source, FileSource::open(path));
  KITH_ASSIGN(UnpackedStream stream, UnpackedStream::open(std::move(source), std::nullopt, kBlock));
  KITH_ASSIGN(const std::string_view start, stream.need(kTarHead));
  const bool is_zip = !stream.codec() && starts_zip(start);
  if (!is_zip && !starts_tar(start)) return std::unique_ptr<ArchiveWalk>();
  std::unique_ptr<ArchiveWalk> walk(new ArchiveWalk(path, std::move(stream)));
  if (walk->archive_ == nullptr) throw std::bad_alloc();
  // Of the format that it begins like: another file may end like a zip file. What packs a tar is
  // undone by the stream.
  if (is_zip) {
    archive_read_support_format_zip_seekable(walk->archive_);
  } else {
    archive_read_support_format_tar(walk->archive_);
  }
  archive_read_set_callback_data(walk->archive_, walk.get());
  archive_read_set_read_callback(walk->archive_, &ArchiveWalk::read_on);
  if (walk->size()) archive_read_set_seek_callback(walk->archive_, &ArchiveWalk::seek_to);
  const int outcome = archive_read_open1(walk->archive_);
  KITH_TRY(walk->check_callbacks());
  if (outcome == ARCHIVE_OK) return walk;
  return walk->damaged("the list of files, with which a zip file ends, is not there or empty");
}

la_ssize_t ArchiveWalk::read_on(archive* archive, void* walk, const void** bytes) {
  auto& self = *static_cast<ArchiveWalk*>(walk);
  UnpackedStream& stream = self.stream_;
  stream.consume(std::exchange(self.lent_, 0));
  try {
    if (stream.window().empty()) {
      const Result<bool> more = stream.fill();
      if (!more) self.failure_ = more.error();
    }
  } catch (...) {
    self.thrown_ = std::current_exception();  // not through functions of C
  }
  if (self.failure_ || self.thrown_) {
    archive_set_error(archive, EIO, "the file cannot be read");
    return ARCHIVE_FATAL;
  }
  *bytes = stream.window().data();
  self.lent_ = stream.window().size();
  return static_cast<la_ssize_t>(self.lent_);
}

la_int64_t ArchiveWalk::seek_to(archive* archive, void* walk, la_int64_t offset, int whence) {
  auto& self = *static_cast<ArchiveWalk*>(walk);
  const auto end = static_cast<la_int64_t>(self.size().value_or(0));
  const auto here = static_cast<la_int64_t>(self.stream_.position() + self.lent_);
  const la_int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? here : end;
  if (offset < -from || offset > end - from) {
    archive_set_error(archive, EINVAL, "it ends before its files do");
    return ARCHIVE_FATAL;
  }
  self.lent_ = 0;
  const Status moved = self.stream_.seek(static_cast<uint64_t>(from + offset));
  if (moved.is_ok()) return from + offset;
  self.failure_ = moved.error();
  archive_set_error(archive, EIO, "the file cannot be read");
  return ARCHIVE_FATAL;
}

Status ArchiveWalk::check_callbacks() {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (failure_) return *failure_;
  if (archive_errno(archive_) == ENOMEM) throw std::bad_alloc();
  return Status::ok();
}

Error ArchiveWalk::damaged(std::string_view why) const {
  return {ErrorKind::corrupt, fmt::format("{} is damaged, or was cut: {}", path_, why)};
}

Error ArchiveWalk::broken() const {
  const char* const told = archive_error_string(archive_);
  std::string_view why = told == nullptr ? "it ends" : told;
  if (!stream_.problem().empty()) why = stream_.problem();
  return damaged(name_.empty() ? why : fmt::format("{}, after {}", why, name_));
}

Result<bool> ArchiveWalk::next() {
  const ThreadLocale scope(utf8_);
  is_damaged_ = false;
  const int outcome = archive_read_next_header(archive_, &entry_);
  KITH_TRY(check_callbacks());
  // What ends in the middle of its packed bytes may end between two members.
  if (outcome == ARCHIVE_EOF && stream_.problem().empty()) return false;
  if (outcome != ARCHIVE_OK && outcome != ARCHIVE_WARN) return broken();
  ++heads_;
  const char* const name = archive_entry_pathname(entry_);
  name_ = name == nullptr ? "" : name;
  return true;
}

std::string_view ArchiveWalk::method() const {
  std::string_view format = archive_format_name(archive_);  // "ZIP 2.0 (deflation)"
  if (!format.starts_with("ZIP") || !format.ends_with(')')) return {};
  format.remove_suffix(1);
  return format.substr(format.rfind('(') + 1);
}

uint64_t ArchiveWalk::position() const {
  return static_cast<uint64_t>(archive_filter_bytes(archive_, 0));
}

Result<std::optional<std::string_view>> ArchiveWalk::read() {
  const void* bytes = nullptr;
  size_t size = 0;
  la_int64_t offset = 0;
  const int outcome = archive_read_data_block(archive_, &bytes, &size, &offset);
  KITH_TRY(check_callbacks());
  if (outcome == ARCHIVE_EOF) return std::optional<std::string_view>();
  if (outcome != ARCHIVE_OK) {
    is_damaged_ = true;
    return std::optional<std::string_view>();
  }
  return std::optional(std::string_view(static_cast<const char*>(bytes), size));
}

}  // namespace kith::crawl
