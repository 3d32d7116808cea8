#include "jobs/passages/texts.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/bytes.h"
#include "base/memory.h"
#include "text/url/url.h"

namespace kith::jobs {
namespace {

Error damaged_texts() {
  return {ErrorKind::corrupt, "a temporary file of the run was changed while it ran"};
}

}  // namespace

std::string host_of_name(std::string_view name) {
  text::Url url;
  if (!text::parse_url(name, nullptr, url)) return {};
  return std::string(url.host());
}

void PassageTexts::Block::add(const crawl::Page& page, std::string_view text) {
  const size_t before = bytes_.size();
  append_string(bytes_, page.url);
  append_varint(bytes_, page.file);
  append_varint(bytes_, page.record);
  append_string(bytes_, text);
  append_string(bytes_, page.row_head);
  append_string(bytes_, page.row_tail);
  sizes_.push_back(bytes_.size() - before);
  text_sizes_.push_back(static_cast<uint32_t>(text.size()));
  const std::string host = host_of_name(page.url);
  const auto hash = static_cast<uint32_t>(hash64(host));
  hosts_.push_back(host.empty() ? 0 : std::max<uint32_t>(hash, 1));
  keys_.push_back({hash64(text), hash64(page.url)});
}

void PassageTexts::Block::reserve(uint64_t bytes) {
  bytes_.reserve(bytes_.size() + bytes);
}

void PassageTexts::Block::clear() {
  bytes_.clear();
  sizes_.clear();
  text_sizes_.clear();
  hosts_.clear();
  keys_.clear();
}

void PassageTexts::Block::free() {
  clear();
  free_memory(bytes_);
}

Result<std::unique_ptr<PassageTexts>> PassageTexts::create(storage::FileSystem& fs,
                                                           const std::string& path) {
  std::unique_ptr<PassageTexts> texts(new PassageTexts(fs, path));
  KITH_ASSIGN(texts->writing_, fs.create(path));
  return texts;
}

Status PassageTexts::append(const Block& block) {
  if (uint64_t{documents()} + block.documents() > UINT32_MAX) {
    return Error{ErrorKind::usage, "more than 4,294,967,295 documents: divide the input"};
  }
  KITH_TRY(writing_->append(as_bytes(block.bytes_)));
  for (const uint64_t size : block.sizes_) begins_.push_back(begins_.back() + size);
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(text_sizes_, block.text_sizes_);
  append(hosts_, block.hosts_);
  append(keys_, block.keys_);
  for (const uint32_t size : block.text_sizes_) text_bytes_ += size;
  return Status::ok();
}

Status PassageTexts::close() {
  KITH_TRY(writing_->close());
  writing_.reset();
  KITH_ASSIGN(reading_, fs_->open(path_));
  of_rank_.resize(documents());
  std::iota(of_rank_.begin(), of_rank_.end(), 0);
  std::ranges::sort(of_rank_, [&](uint32_t a, uint32_t b) {
    return std::pair(keys_[a], a) < std::pair(keys_[b], b);
  });
  free_memory(keys_);
  ranks_.resize(documents());
  for (uint32_t rank = 0; rank < of_rank_.size(); ++rank) ranks_[of_rank_[rank]] = rank;
  return Status::ok();
}

Result<PassageText> PassageTexts::read(uint32_t document, std::string& buffer) const {
  buffer.resize(begins_[document + 1] - begins_[document]);
  const auto bytes = std::as_writable_bytes(std::span(buffer.data(), buffer.size()));
  KITH_ASSIGN(const size_t got, reading_->read_at(begins_[document], bytes));
  Cursor cursor(std::string_view(buffer).substr(0, got));
  PassageText text;
  text.document = document;
  text.name = cursor.take(cursor.varint());
  text.file = static_cast<uint32_t>(cursor.varint());
  text.record = cursor.varint();
  text.text = cursor.take(cursor.varint());
  text.row_head = cursor.take(cursor.varint());
  text.row_tail = cursor.take(cursor.varint());
  if (cursor.failed() || got != buffer.size()) return damaged_texts();
  return text;
}

}  // namespace kith::jobs
