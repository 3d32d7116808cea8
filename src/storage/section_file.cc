#include "storage/section_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/memory.h"

namespace kith::storage {
namespace {

constexpr std::string_view magic = "kith";
constexpr uint32_t container_version = 2;
constexpr size_t header_size = 16;
constexpr size_t name_size = 16;
constexpr size_t entry_size = name_size + 3 * sizeof(uint64_t);
constexpr size_t trailer_size = 3 * sizeof(uint64_t);  // table offset, table hash, magic twice
constexpr size_t alignment = 64;
constexpr size_t buffer_size = 1 << 20;
constexpr uint64_t sync_step = 16 << 20;
constexpr uint64_t word_bits = 64;

uint64_t blocks_in(uint64_t bytes) {
  return bytes / check_block + (bytes % check_block == 0 ? 0 : 1);
}

}  // namespace

SectionWriter::SectionWriter(FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}

SectionWriter::SectionWriter(SectionWriter&& other) noexcept = default;

SectionWriter::~SectionWriter() {
  if (file_ == nullptr) return;
  file_.reset();
  // The caller already has the error that kept the file from being finished.
  clean_up([&] { return fs_->remove(temporary_name(path_)); });
}

Result<SectionWriter> SectionWriter::create(FileSystem& fs, const std::string& path,
                                            FileKind kind) {
  KITH_CHECK(kind.name.size() == 4);
  SectionWriter writer(fs, path);
  KITH_ASSIGN(writer.file_, fs.create(temporary_name(path)));
  std::string header(magic);
  header += kind.name;
  append_fixed<uint32_t>(header, kind.version);
  append_fixed<uint32_t>(header, container_version);
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

void SectionWriter::end_block() {
  blocks_.push_back(block_.digest());
  block_ = StreamHash();
  block_size_ = 0;
}

void SectionWriter::end_section() {
  if (!open_section_) return;
  if (block_size_ > 0) end_block();
  Section& section = sections_.back();
  section.size = position_ - section.offset;
  section.hash = hash64(std::as_bytes(std::span(blocks_).subspan(section.first_block)));
  open_section_ = false;
}

Status SectionWriter::begin(std::string_view name) {
  KITH_CHECK(!name.empty() && name.size() <= name_size);
  end_section();
  KITH_TRY(pad());
  sections_.push_back({std::string(name), position_, 0, 0, blocks_.size()});
  open_section_ = true;
  return Status::ok();
}

Status SectionWriter::append(Bytes bytes) {
  KITH_CHECK(open_section_);
  for (Bytes rest = bytes; !rest.empty();) {
    const Bytes next = rest.first(std::min<uint64_t>(rest.size(), check_block - block_size_));
    block_.update(next);
    block_size_ += next.size();
    if (block_size_ == check_block) end_block();
    rest = rest.subspan(next.size());
  }
  return write(bytes);
}

Status SectionWriter::finish() {
  end_section();
  KITH_TRY(pad());
  KITH_TRY(write(std::as_bytes(std::span(blocks_))));
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
  KITH_TRY(fs_->rename(temporary_name(path_), path_));
  file_.reset();
  return Status::ok();
}

Error SectionFile::corrupt(std::string_view what) const {
  return {ErrorKind::corrupt, fmt::format("{}: {}{}", path_, what, repair_advice)};
}

Error SectionFile::do_not_fit() const {
  return corrupt("its sections do not fit together");
}

Error SectionFile::is_damaged(const Section& section) const {
  return corrupt(fmt::format("section '{}' does not match its checksum", section.name));
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
  KITH_TRY(parse_header(kind));
  Cursor trailer(bytes.last(trailer_size));
  table_offset_ = trailer.fixed<uint64_t>();
  checksum_ = trailer.fixed<uint64_t>();
  const uint64_t table_end = bytes.size() - trailer_size;
  if (trailer.take(4) != magic || trailer.take(4) != magic || table_offset_ > table_end ||
      (table_end - table_offset_) % entry_size != 0) {
    return corrupt("cut off or damaged");
  }
  const Bytes table = bytes.subspan(table_offset_, table_end - table_offset_);
  if (hash64(table) != checksum_) return corrupt("damaged section table");
  KITH_TRY(parse_table(table));
  return check_block_checksums();
}

Status SectionFile::parse_header(FileKind kind) const {
  Cursor header(file_->bytes().first(header_size));
  if (header.take(4) != magic) return corrupt("not a kith file");
  if (header.take(4) != kind.name) {
    return corrupt(fmt::format("not a kith file of kind '{}'", kind.name));
  }
  if (const auto version = header.fixed<uint32_t>(); version != kind.version) {
    return corrupt(
        fmt::format("version {} where this program reads version {}", version, kind.version));
  }
  if (const auto version = header.fixed<uint32_t>(); version != container_version) {
    return corrupt(fmt::format("container version {} where this program reads version {}", version,
                               container_version));
  }
  return Status::ok();
}

Status SectionFile::parse_table(Bytes table) {
  uint64_t blocks = 0;
  for (Cursor cursor(table); !cursor.at_end();) {
    Section section;
    section.name = cursor.take(name_size);
    section.name.resize(std::min(section.name.size(), section.name.find('\0')));
    section.offset = cursor.fixed<uint64_t>();
    section.size = cursor.fixed<uint64_t>();
    section.hash = cursor.fixed<uint64_t>();
    if (section.offset > table_offset_ || section.size > table_offset_ - section.offset ||
        section.offset % alignment != 0) {
      return corrupt(fmt::format("section '{}' lies outside the file", section.name));
    }
    section.first_block = blocks;
    blocks += blocks_in(section.size);
    sections_.push_back(std::move(section));
  }
  // Their number is bounded by the sections, each of which lies inside the file.
  if (table_offset_ % sizeof(uint64_t) != 0 || blocks > table_offset_ / sizeof(uint64_t)) {
    return corrupt("has no room for the checksums of its blocks");
  }
  const Bytes area =
      file_->bytes().subspan(table_offset_ - blocks * sizeof(uint64_t), blocks * sizeof(uint64_t));
  blocks_ = {reinterpret_cast<const uint64_t*>(area.data()), blocks};
  return Status::ok();
}

// What the checksums of blocks are compared with is in the table, and so in its own checksum.
Status SectionFile::check_block_checksums() {
  for (const Section& section : sections_) {
    const auto own = blocks_.subspan(section.first_block, blocks_in(section.size));
    if (hash64(std::as_bytes(own)) != section.hash) return is_damaged(section);
  }
  compared_ = std::make_unique<std::atomic<uint64_t>[]>(blocks_.size() / word_bits + 1);
  return Status::ok();
}

Result<Bytes> SectionFile::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  if (found == sections_.end()) return corrupt(fmt::format("has no section '{}'", name));
  return file_->bytes().subspan(found->offset, found->size);
}

Bytes SectionFile::block_of(const Section& section, uint64_t block) const {
  const uint64_t begin = block * check_block;
  return file_->bytes().subspan(section.offset + begin,
                                std::min(check_block, section.size - begin));
}

// Read and not touched: it is the first of the file that is read after its table.
Status SectionFile::check(const Section& section, uint64_t block) const {
  std::array<std::byte, check_block> buffer;
  const Bytes bytes = block_of(section, block);
  KITH_TRY(file_->read(bytes, buffer.data()));
  return hash64(Bytes(buffer).first(bytes.size())) == blocks_[section.first_block + block]
             ? Status::ok()
             : is_damaged(section);
}

Status SectionFile::check(Bytes part) const {
  if (part.empty()) return Status::ok();
  KITH_TRY(check_size());
  const auto offset = static_cast<uint64_t>(part.data() - file_->bytes().data());
  const auto section = std::ranges::find_if(sections_, [&](const Section& each) {
    return offset >= each.offset && offset - each.offset + part.size() <= each.size;
  });
  KITH_CHECK(section != sections_.end());
  const uint64_t begin = offset - section->offset;
  for (uint64_t block = begin / check_block; block <= (begin + part.size() - 1) / check_block;
       ++block) {
    const uint64_t number = section->first_block + block;
    std::atomic<uint64_t>& word = compared_[number / word_bits];
    const uint64_t bit = uint64_t{1} << number % word_bits;
    if ((word.load(std::memory_order_relaxed) & bit) != 0) continue;
    KITH_TRY(check(*section, block));
    word.fetch_or(bit, std::memory_order_relaxed);
  }
  return Status::ok();
}

// What lies between the sections holds nothing, but it is a part of the file.
Status SectionFile::verify_gaps() const {
  uint64_t end = header_size;
  const auto is_zero_up_to = [&](uint64_t offset) {
    return offset >= end && std::ranges::all_of(file_->bytes().subspan(end, offset - end),
                                                [](std::byte byte) { return byte == std::byte{}; });
  };
  for (const Section& section : sections_) {
    if (!is_zero_up_to(section.offset)) return corrupt("damaged between its sections");
    end = section.offset + section.size;
  }
  return is_zero_up_to(blocks_offset()) ? Status::ok() : corrupt("damaged between its sections");
}

Status SectionFile::verify() const {
  KITH_TRY(check_size());
  KITH_TRY(verify_gaps());
  for (const Section& section : sections_) {
    for (uint64_t block = 0; block < blocks_in(section.size); ++block) {
      KITH_TRY(check(section, block));
    }
  }
  return check_size();
}

}  // namespace kith::storage
