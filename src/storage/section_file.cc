#include "storage/section_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace kith::storage {
namespace {

constexpr std::string_view magic = "kith";
constexpr size_t header_size = 16;
constexpr size_t name_size = 16;
constexpr size_t entry_size = name_size + 3 * sizeof(uint64_t);
constexpr size_t trailer_size = 3 * sizeof(uint64_t);  // table offset, table hash, magic twice
constexpr size_t alignment = 64;
constexpr size_t buffer_size = 1 << 20;
constexpr uint64_t sync_step = 16 << 20;

}  // namespace

SectionWriter::SectionWriter(FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}

SectionWriter::SectionWriter(SectionWriter&& other) noexcept = default;

SectionWriter::~SectionWriter() {
  if (file_ == nullptr) return;
  file_.reset();
  // The caller already has the error that kept the file from being finished.
  static_cast<void>(fs_->remove(temporary_name(path_)));
}

Result<SectionWriter> SectionWriter::create(FileSystem& fs, const std::string& path,
                                            FileKind kind) {
  KITH_CHECK(kind.name.size() == 4);
  SectionWriter writer(fs, path);
  KITH_ASSIGN(writer.file_, fs.create(temporary_name(path)));
  std::string header(magic);
  header += kind.name;
  append_fixed<uint32_t>(header, kind.version);
  append_fixed<uint32_t>(header, 0);
  KITH_TRY(writer.write(as_bytes(header)));
  return writer;
}

Status SectionWriter::pass_on(Bytes bytes) {
  KITH_TRY(file_->append(bytes));
  waiting_ += bytes.size();
  if (waiting_ < sync_step) return Status::ok();
  file_->start_sync();
  waiting_ = 0;
  return Status::ok();
}

Status SectionWriter::flush() {
  KITH_TRY(pass_on(as_bytes(buffer_)));
  buffer_.clear();
  return Status::ok();
}

Status SectionWriter::write(Bytes bytes) {
  position_ += bytes.size();
  if (buffer_.size() + bytes.size() > buffer_size) KITH_TRY(flush());
  if (bytes.size() >= buffer_size) return pass_on(bytes);
  const size_t size = buffer_.size() + bytes.size();
  // Most files are small: the buffer grows as bytes come, never beyond its size.
  if (size > buffer_.capacity()) {
    buffer_.reserve(std::min(std::max(size, 2 * buffer_.capacity()), buffer_size));
  }
  buffer_ += as_text(bytes);
  return Status::ok();
}

Status SectionWriter::pad() {
  static constexpr std::array<std::byte, alignment> zeros{};
  const size_t gap = (alignment - position_ % alignment) % alignment;
  return write(Bytes(zeros).first(gap));
}

void SectionWriter::end_section() {
  if (!open_section_) return;
  sections_.back().size = position_ - sections_.back().offset;
  sections_.back().hash = hash_.digest();
  open_section_ = false;
}

Status SectionWriter::begin(std::string_view name) {
  KITH_CHECK(!name.empty() && name.size() <= name_size);
  end_section();
  KITH_TRY(pad());
  sections_.push_back({std::string(name), position_, 0, 0});
  hash_ = StreamHash();
  open_section_ = true;
  return Status::ok();
}

Status SectionWriter::append(Bytes bytes) {
  KITH_CHECK(open_section_);
  hash_.update(bytes);
  return write(bytes);
}

Status SectionWriter::finish() {
  end_section();
  KITH_TRY(pad());
  std::string table;
  for (const Section& section : sections_) {
    std::string name = section.name;
    name.resize(name_size, '\0');
    table += name;
    append_fixed(table, section.offset);
    append_fixed(table, section.size);
    append_fixed(table, section.hash);
  }
  std::string trailer;
  append_fixed(trailer, position_);
  append_fixed(trailer, hash64(table));
  trailer.append(magic).append(magic);
  KITH_TRY(write(as_bytes(table)));
  KITH_TRY(write(as_bytes(trailer)));
  KITH_TRY(flush());
  KITH_TRY(file_->sync());
  KITH_TRY(file_->close());
  file_.reset();
  return fs_->rename(temporary_name(path_), path_);
}

Error SectionFile::corrupt(std::string_view what) const {
  return {ErrorKind::corrupt, fmt::format("{}: {}{}", path_, what, repair_advice)};
}

Error SectionFile::wrong_size(std::string_view name) const {
  return corrupt(fmt::format("section '{}' has an impossible size", name));
}

Result<SectionFile> SectionFile::open(FileSystem& fs, const std::string& path, FileKind kind) {
  SectionFile file;
  file.path_ = path;
  KITH_ASSIGN(file.file_, fs.map(path));
  KITH_TRY(file.parse(kind));
  return file;
}

Status SectionFile::parse(FileKind kind) {
  const Bytes bytes = file_->bytes();
  if (bytes.size() < header_size + trailer_size) return corrupt("too short for a kith file");
  Cursor header(bytes.first(header_size));
  if (header.take(4) != magic) return corrupt("not a kith file");
  if (header.take(4) != kind.name) {
    return corrupt(fmt::format("not a kith file of kind '{}'", kind.name));
  }
  if (const auto version = header.fixed<uint32_t>(); version != kind.version) {
    return corrupt(
        fmt::format("version {} where this program reads version {}", version, kind.version));
  }
  Cursor trailer(bytes.last(trailer_size));
  const auto table_offset = trailer.fixed<uint64_t>();
  const auto table_hash = trailer.fixed<uint64_t>();
  const uint64_t table_end = bytes.size() - trailer_size;
  if (trailer.take(4) != magic || trailer.take(4) != magic || table_offset > table_end ||
      (table_end - table_offset) % entry_size != 0) {
    return corrupt("cut off or damaged");
  }
  const Bytes table = bytes.subspan(table_offset, table_end - table_offset);
  if (hash64(table) != table_hash) return corrupt("damaged section table");
  table_offset_ = table_offset;
  checksum_ = table_hash;
  for (Cursor cursor(table); !cursor.at_end();) {
    Section section;
    section.name = cursor.take(name_size);
    section.name.resize(std::min(section.name.size(), section.name.find('\0')));
    section.offset = cursor.fixed<uint64_t>();
    section.size = cursor.fixed<uint64_t>();
    section.hash = cursor.fixed<uint64_t>();
    if (section.offset > table_offset || section.size > table_offset - section.offset ||
        section.offset % alignment != 0) {
      return corrupt(fmt::format("section '{}' lies outside the file", section.name));
    }
    sections_.push_back(std::move(section));
  }
  return Status::ok();
}

Result<Bytes> SectionFile::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  if (found == sections_.end()) return corrupt(fmt::format("has no section '{}'", name));
  return file_->bytes().subspan(found->offset, found->size);
}

// What lies between the sections holds nothing, but it is a part of the file.
Status SectionFile::verify_gaps() const {
  uint64_t end = header_size - sizeof(uint32_t);
  const auto is_zero_up_to = [&](uint64_t offset) {
    return offset >= end && std::ranges::all_of(file_->bytes().subspan(end, offset - end),
                                                [](std::byte byte) { return byte == std::byte{}; });
  };
  for (const Section& section : sections_) {
    if (!is_zero_up_to(section.offset)) return corrupt("damaged between its sections");
    end = section.offset + section.size;
  }
  return is_zero_up_to(table_offset_) ? Status::ok() : corrupt("damaged between its sections");
}

Status SectionFile::verify() const {
  constexpr size_t block = 16 << 20;
  KITH_TRY(verify_gaps());
  for (const Section& section : sections_) {
    StreamHash hash;
    for (Bytes rest = file_->bytes().subspan(section.offset, section.size); !rest.empty();) {
      const Bytes next = rest.first(std::min(block, rest.size()));
      hash.update(next);
      file_->release(next);
      rest = rest.subspan(next.size());
    }
    if (hash.digest() != section.hash) {
      return corrupt(fmt::format("section '{}' does not match its checksum", section.name));
    }
  }
  return Status::ok();
}

}  // namespace kith::storage
