#include "bags/fragment.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/memory.h"

namespace kith::bags {
namespace {

// The length of the whole fragments at the front of `bytes`.
size_t whole_fragments(std::string_view bytes) {
  Cursor cursor(bytes);
  Fragment fragment;
  size_t whole = 0;
  while (!cursor.at_end() && read_fragment(cursor, fragment)) {
    whole = bytes.size() - cursor.remaining();
  }
  return whole;
}

}  // namespace

FragmentChunks::FragmentChunks(storage::FileSystem& fs, std::vector<std::string> paths,
                               size_t chunk_bytes)
    : fs_(&fs), paths_(std::move(paths)), chunk_bytes_(chunk_bytes) {}

// Appends a chunk to the buffer, or what is left of the file.
Status FragmentChunks::fill() {
  KITH_ASSIGN(const auto file, fs_->open(paths_[path_]));
  const uint64_t left = file->size() - std::min(position_, file->size());
  const size_t kept = buffer_.size();
  const size_t wanted = static_cast<size_t>(std::min<uint64_t>(chunk_bytes_, left));
  buffer_.resize(kept + wanted);
  const std::span<char> space(buffer_.data() + kept, wanted);
  KITH_ASSIGN(const size_t got, file->read_at(position_, std::as_writable_bytes(space)));
  if (got < wanted) return damaged_partition();
  position_ += wanted;
  if (wanted == left) {
    ++path_;
    position_ = 0;
  }
  return Status::ok();
}

Result<std::string_view> FragmentChunks::next() {
  buffer_.erase(0, std::exchange(given_, 0));
  while (path_ < paths_.size() && given_ == 0) {
    const size_t file = path_;
    KITH_TRY(fill());
    given_ = whole_fragments(buffer_);
    // A file ends with a whole fragment.
    if (path_ != file && given_ != buffer_.size()) return damaged_partition();
  }
  return std::string_view(buffer_).substr(0, given_);
}

namespace {

constexpr size_t recent_url_slots = 1 << 16;

bool is_of_alias(FragmentKind kind) {
  return kind == FragmentKind::alias_page || kind == FragmentKind::alias_words ||
         kind == FragmentKind::alias_title;
}

// What a fragment becomes when its URL is folded into another one.
FragmentKind alias_kind(FragmentKind kind) {
  if (kind == FragmentKind::page) return FragmentKind::alias_page;
  return kind == FragmentKind::title ? FragmentKind::alias_title : FragmentKind::alias_words;
}

}  // namespace

bool has_terms(FragmentKind kind) {
  switch (kind) {
    case FragmentKind::link:
    case FragmentKind::words:
    case FragmentKind::alias_words:
    case FragmentKind::title:
    case FragmentKind::alias_title:
      return true;
    default:
      return false;
  }
}

void EncodedTerms::assign(std::span<const uint32_t> terms) {
  constexpr size_t longest = 5;
  constexpr size_t block = 1 << 12;  // words for which there is room at once: most take 2 bytes
  at_.resize(terms.size() + 1);
  size_t size = 0;
  for (size_t begin = 0; begin < terms.size(); begin += block) {
    const size_t end = std::min(begin + block, terms.size());
    bytes_.resize(size + (end - begin) * longest);
    char* out = bytes_.data() + size;
    for (size_t word = begin; word < end; ++word) {
      at_[word] = static_cast<uint32_t>(out - bytes_.data());
      uint32_t term = terms[word];
      if (term == no_term) continue;
      for (; term >= 0x80; term >>= 7) *out++ = static_cast<char>(term | 0x80);
      *out++ = static_cast<char>(term);
    }
    size = static_cast<size_t>(out - bytes_.data());
  }
  bytes_.resize(size);
  at_.back() = static_cast<uint32_t>(size);
}

void EncodedTerms::free() {
  free_memory(bytes_);
  free_memory(at_);
  at_.push_back(0);
}

FragmentSpool::FragmentSpool(storage::FileSystem& fs, const std::string& prefix,
                             uint32_t partitions, unsigned first_bit)
    : fs_(&fs), first_bit_(first_bit) {
  KITH_CHECK(std::has_single_bit(partitions) && partitions <= 4096);
  for (uint32_t partition = 0; partition < partitions; ++partition) {
    files_.push_back(std::make_unique<File>());
    files_.back()->path = fmt::format("{}{:04}", prefix, partition);
  }
}

Status FragmentSpool::append(uint32_t partition, std::string_view fragments) {
  if (fragments.empty()) return Status::ok();
  File& file = *files_[partition];
  const std::lock_guard lock(file.mutex);
  KITH_TRY(storage::append_block(*fs_, file.path, as_bytes(fragments), file.bytes == 0));
  file.bytes += fragments.size();
  file.largest_append = std::max<uint64_t>(file.largest_append, fragments.size());
  return Status::ok();
}

FragmentWriter::FragmentWriter(FragmentSpool& spool, size_t buffer_bytes)
    : spool_(&spool),
      buffer_bytes_(buffer_bytes),
      buffers_(spool.partitions()),
      recent_urls_(recent_url_slots, 0) {}

std::string& FragmentWriter::buffer_of(const Key128& key) {
  std::string& buffer = buffers_[spool_->partition_of(key)];
  // At once: growing would leave smaller rooms behind, of as many bytes together.
  if (buffer.empty()) buffer.reserve(buffer_bytes_ + buffer_bytes_ / 8);
  return buffer;
}

std::string& FragmentWriter::start(FragmentKind kind, const Key128& key) {
  std::string& buffer = buffer_of(key);
  buffer.push_back(static_cast<char>(kind));
  append_fixed(buffer, key.high);
  append_fixed(buffer, key.low);
  return buffer;
}

void FragmentWriter::add_url(const Key128& key, std::string_view url) {
  uint64_t& recent = recent_urls_[(key.high >> 32) % recent_url_slots];
  if (recent == key.low && key.low != 0) return;
  recent = key.low;
  std::string& buffer = start(FragmentKind::url, key);
  append_varint(buffer, url.size());
  buffer += url;
}

Status FragmentWriter::write_if_full(const Key128& key) {
  const uint32_t partition = spool_->partition_of(key);
  if (buffers_[partition].size() < buffer_bytes_) return Status::ok();
  KITH_TRY(spool_->append(partition, buffers_[partition]));
  // The words of a large page leave the memory: others will come in other partitions.
  if (buffers_[partition].capacity() > 2 * buffer_bytes_) free_memory(buffers_[partition]);
  buffers_[partition].clear();
  return Status::ok();
}

Status FragmentWriter::add_page(const Key128& key, std::string_view url, std::string_view title,
                                uint8_t facts, uint64_t content, int64_t time) {
  add_url(key, url);
  std::string& buffer = start(FragmentKind::page, key);
  append_fixed(buffer, facts);
  append_fixed(buffer, content);
  append_fixed(buffer, time);
  append_varint(buffer, title.size());
  buffer += title;
  return write_if_full(key);
}

Status FragmentWriter::add_terms(FragmentKind kind, const Key128& key, std::string_view url,
                                 std::string_view terms, std::string_view more) {
  add_url(key, url);
  std::string& buffer = start(kind, key);
  append_varint(buffer, terms.size() + more.size());
  buffer += terms;
  buffer += more;
  return write_if_full(key);
}

Status FragmentWriter::add_link(const Key128& key, std::string_view url, LinkSource source,
                                std::string_view terms, std::string_view more) {
  add_url(key, url);
  std::string& buffer = start(FragmentKind::link, key);
  append_fixed(buffer, source.host);
  append_fixed(buffer, source.page);
  append_varint(buffer, terms.size() + more.size());
  buffer += terms;
  buffer += more;
  return write_if_full(key);
}

Status FragmentWriter::add_inlink(const Key128& key, std::string_view url) {
  add_url(key, url);
  start(FragmentKind::inlink, key);
  return write_if_full(key);
}

Status FragmentWriter::add_alias(const Fragment& fragment, const Key128& key,
                                 std::string_view url) {
  add_url(key, url);
  std::string& buffer = start(alias_kind(fragment.kind), key);
  append_fixed(buffer, fragment.url.high);
  append_fixed(buffer, fragment.url.low);
  if (fragment.kind == FragmentKind::page) {
    append_fixed(buffer, fragment.facts);
    append_fixed(buffer, fragment.content);
    append_fixed(buffer, fragment.time);
  }
  const std::string_view payload = has_terms(fragment.kind) ? fragment.terms : fragment.text;
  append_varint(buffer, payload.size());
  buffer += payload;
  return write_if_full(key);
}

Status FragmentWriter::copy(const Key128& key, std::string_view fragment) {
  buffer_of(key) += fragment;
  return write_if_full(key);
}

Status FragmentWriter::flush() {
  for (uint32_t partition = 0; partition < buffers_.size(); ++partition) {
    KITH_TRY(spool_->append(partition, buffers_[partition]));
    buffers_[partition].clear();
  }
  return Status::ok();
}

Status copy_fragments(std::string_view fragments, FragmentWriter& writer) {
  Cursor cursor(fragments);
  Fragment fragment;
  while (!cursor.at_end()) {
    const size_t begin = fragments.size() - cursor.remaining();
    if (!read_fragment(cursor, fragment)) return damaged_partition();
    const size_t end = fragments.size() - cursor.remaining();
    KITH_TRY(writer.copy(fragment.url, fragments.substr(begin, end - begin)));
  }
  return Status::ok();
}

Error damaged_partition() {
  return {ErrorKind::corrupt,
          "a temporary partition changed while it was in use; run the same command again"};
}

bool read_fragment(Cursor& cursor, Fragment& fragment) {
  fragment.kind = static_cast<FragmentKind>(cursor.fixed<uint8_t>());
  fragment.url.high = cursor.fixed<uint64_t>();
  fragment.url.low = cursor.fixed<uint64_t>();
  fragment.alias = {};
  fragment.content = 0;
  fragment.facts = 0;
  fragment.time = no_time;
  fragment.source = {};
  fragment.text = {};
  fragment.terms = {};
  if (is_of_alias(fragment.kind)) {
    fragment.alias.high = cursor.fixed<uint64_t>();
    fragment.alias.low = cursor.fixed<uint64_t>();
  }
  if (has_terms(fragment.kind)) {
    if (fragment.kind == FragmentKind::link) {
      fragment.source.host = cursor.fixed<uint32_t>();
      fragment.source.page = cursor.fixed<uint32_t>();
    }
    fragment.terms = cursor.take(cursor.varint());
    return !cursor.failed();
  }
  switch (fragment.kind) {
    case FragmentKind::page:
    case FragmentKind::alias_page:
      fragment.facts = cursor.fixed<uint8_t>();
      fragment.content = cursor.fixed<uint64_t>();
      fragment.time = cursor.fixed<int64_t>();
      fragment.text = cursor.take(cursor.varint());
      break;
    case FragmentKind::url:
      fragment.text = cursor.take(cursor.varint());
      break;
    case FragmentKind::inlink:
      break;
    default:
      return false;
  }
  return !cursor.failed();
}

}  // namespace kith::bags
