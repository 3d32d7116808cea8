#include "bags/shard/file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "storage/zstd.h"

namespace kith::bags {
namespace {

enum PageFlags : uint8_t { cut_flag = 1, early_flag = 2, stand_alone_flag = 4 };
constexpr uint8_t all_flags = cut_flag | early_flag | stand_alone_flag;

// A term is its number and one; a stop word is 0.
void append_terms(std::string& out, std::span<const uint32_t> terms) {
  append_varint(out, terms.size());
  for (const uint32_t term : terms) append_varint(out, term == no_term ? 0 : uint64_t{term} + 1);
}

bool read_terms(Cursor& cursor, std::vector<uint32_t>& terms) {
  terms.resize(std::min<uint64_t>(cursor.varint(), cursor.remaining()));
  for (uint32_t& term : terms) {
    const uint64_t code = cursor.varint();
    if (code > no_term) return false;
    term = code == 0 ? no_term : static_cast<uint32_t>(code - 1);
  }
  return true;
}

void append_blocks(std::string& out, std::span<const Block> blocks) {
  append_varint(out, blocks.size());
  uint32_t last_begin = 0;
  for (const Block& block : blocks) {
    append_varint(out, block.begin - last_begin);
    append_varint(out, block.link_words);
    append_fixed(out, block.hash);
    last_begin = block.begin;
  }
}

// Blocks of so many words in all: they begin with the first word, and none is empty.
bool read_blocks(Cursor& cursor, uint64_t words, PageDigest& digest) {
  digest.blocks.clear();
  const uint64_t count = cursor.varint();
  uint64_t begin = 0;
  for (uint64_t i = 0; i < count && !cursor.failed(); ++i) {
    const uint64_t step = cursor.varint();
    const uint64_t link_words = cursor.varint();
    if ((step == 0) != (i == 0) || step >= words - begin || link_words > words) return false;
    begin += step;
    digest.blocks.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(link_words),
                             cursor.fixed<uint64_t>()});
  }
  return true;
}

bool read_links(Cursor& cursor, PageDigest& digest) {
  digest.links.clear();
  digest.link_urls.reset(cursor.take(cursor.varint()));
  const size_t base = digest.link_urls.base().size();
  const uint64_t count = cursor.varint();
  uint64_t begin = 0;
  for (uint64_t i = 0; i < count && !cursor.failed(); ++i) {
    const uint64_t shared = cursor.varint();
    if (shared > base) return false;
    digest.link_urls.add({static_cast<uint32_t>(shared), cursor.take(cursor.varint())});
    const uint64_t step = cursor.varint();
    const uint64_t size = cursor.varint();
    const uint64_t words = digest.terms.size();
    if (step > words - begin || size > words - begin - step) return false;
    begin += step;
    digest.links.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)});
  }
  return true;
}

}  // namespace

void append_shard_page(const PageDigest& digest, const Payload& payload, std::string& out) {
  const int flags = (payload.is_cut ? cut_flag : 0) | (payload.ends_early ? early_flag : 0) |
                    (digest.links_stand_alone ? stand_alone_flag : 0);
  out.push_back(static_cast<char>(flags));
  out.push_back(static_cast<char>(digest.language));
  append_fixed(out, digest.time);
  append_varint(out, payload.bytes);
  for (const std::string_view text : {digest.url, digest.title, std::string_view(digest.canonical),
                                      std::string_view(digest.refresh)}) {
    append_string(out, text);
  }
  append_terms(out, digest.title_terms);
  append_terms(out, digest.terms);
  append_blocks(out, digest.blocks);
  append_varint(out, digest.long_words);
  append_varint(out, digest.links_met);
  append_varint(out, digest.bad_links);
  append_varint(out, digest.self_links);
  append_string(out, digest.link_urls.base());
  append_varint(out, digest.links.size());
  uint32_t last_begin = 0;
  for (size_t i = 0; i < digest.links.size(); ++i) {
    const DigestLink& link = digest.links[i];
    const LinkUrls::Parts url = digest.link_urls.parts(i);
    append_varint(out, url.shared);
    append_string(out, url.rest);
    append_varint(out, link.begin - last_begin);
    append_varint(out, link.end - link.begin);
    last_begin = link.begin;
  }
}

void append_page_head(const PageDigest& digest, std::string& out) {
  append_string(out, digest.url);
  append_blocks(out, digest.blocks);
}

bool read_page_head(Cursor& cursor, PageDigest& digest) {
  digest.url = cursor.take(cursor.varint());
  return read_blocks(cursor, no_term, digest) && !cursor.failed();
}

bool read_shard_page(Cursor& cursor, ShardPage& page) {
  PageDigest& digest = page.digest;
  const auto flags = cursor.fixed<uint8_t>();
  page.payload.is_cut = (flags & cut_flag) != 0;
  page.payload.ends_early = (flags & early_flag) != 0;
  digest.links_stand_alone = (flags & stand_alone_flag) != 0;
  digest.language = static_cast<text::Language>(cursor.fixed<uint8_t>());
  digest.time = cursor.fixed<int64_t>();
  page.payload.bytes = cursor.varint();
  digest.url = cursor.take(cursor.varint());
  digest.title = cursor.take(cursor.varint());
  digest.canonical = cursor.take(cursor.varint());
  digest.refresh = cursor.take(cursor.varint());
  if (flags > all_flags || digest.language > text::Language::other ||
      !read_terms(cursor, digest.title_terms) || !read_terms(cursor, digest.terms) ||
      !read_blocks(cursor, digest.terms.size(), digest)) {
    return false;
  }
  digest.long_words = cursor.varint();
  digest.links_met = cursor.varint();
  digest.bad_links = cursor.varint();
  digest.self_links = cursor.varint();
  return read_links(cursor, digest) && !cursor.failed();
}

Result<ShardFile> ShardFile::open(storage::FileSystem& fs, const std::string& path) {
  ShardFile shard;
  KITH_ASSIGN(shard.file_, storage::SectionFile::open(fs, path, shard_kind));
  const storage::SectionFile& file = shard.file_;
  const auto open_strings = [&](const std::string& name, storage::StringArray& array) -> Status {
    KITH_ASSIGN(const Bytes bytes, file.section(name));
    KITH_ASSIGN(const auto offsets, file.array<uint64_t>(name + "_at"));
    const auto made = storage::StringArray::make(bytes, offsets);
    if (!made) return shard.damaged();
    array = *made;
    return Status::ok();
  };
  KITH_TRY(open_strings("inputs", shard.inputs_));
  KITH_TRY(open_strings("stems", shard.stems_));
  KITH_TRY(open_strings("words", shard.words_));
  KITH_TRY(open_strings("blocks", shard.blocks_));
  for (const char* const name : {"stems", "stems_at", "words", "words_at"}) {
    KITH_ASSIGN(const Bytes section, file.section(name));
    shard.form_sections_.push_back(section);
  }
  KITH_ASSIGN(shard.keys_, file.array<Key128>("keys"));
  KITH_ASSIGN(shard.times_, file.array<int64_t>("times"));
  KITH_ASSIGN(shard.block_pages_, file.array<uint64_t>("block_pages"));
  KITH_ASSIGN(shard.block_inputs_, file.array<uint32_t>("block_inputs"));
  KITH_ASSIGN(shard.example_inputs_, file.array<uint32_t>("example_inputs"));
  KITH_ASSIGN(shard.revisits_, file.array<Key128>("revisits"));
  const uint64_t inputs = shard.inputs_.size();
  const bool fits = shard.words_.size() == shard.stems_.size() && shard.stems_.size() < no_term &&
                    shard.times_.size() == shard.keys_.size() &&
                    shard.blocks_.size() == shard.block_inputs_.size() &&
                    shard.block_pages_.size() == shard.block_inputs_.size() + 1 &&
                    storage::valid_offsets(shard.block_pages_, shard.keys_.size()) &&
                    std::ranges::is_sorted(shard.block_inputs_) &&
                    (shard.block_inputs_.empty() || shard.block_inputs_.back() < inputs);
  if (!fits) return shard.damaged();
  shard.release_forms();  // the check of their offsets has read them
  return shard;
}

uint64_t ShardFile::form_bytes() const {
  uint64_t bytes = 0;
  for (const Bytes section : form_sections_) bytes += section.size();
  return bytes;
}

void ShardFile::release_forms() const {
  for (const Bytes section : form_sections_) file_.mapping().release(section);
}

Error ShardFile::damaged() const {
  return {ErrorKind::corrupt, fmt::format("{}: is damaged; make this shard again", file_.path())};
}

Status ShardFile::read_block(size_t block, ShardPage& page, std::string& buffer,
                             const Take& take) const {
  if (!storage::unpack(blocks_[block], buffer)) return damaged();
  file_.mapping().release(as_bytes(blocks_[block]));
  const auto is_known = [&](uint32_t term) { return term == no_term || term < forms(); };
  Cursor cursor(buffer);
  for (uint64_t number = first_page(block); number < first_page(block + 1); ++number) {
    if (!read_shard_page(cursor, page) || hash128(page.digest.url) != keys_[number] ||
        page.digest.time != times_[number] ||
        !std::ranges::all_of(page.digest.title_terms, is_known) ||
        !std::ranges::all_of(page.digest.terms, is_known)) {
      return damaged();
    }
    KITH_TRY(take(number, page));
  }
  return cursor.at_end() ? Status::ok() : Status(damaged());
}

Result<std::vector<Alias>> ShardFile::redirects() const {
  KITH_ASSIGN(const Bytes bytes, file_.section("redirects"));
  std::vector<Alias> redirects;
  for (Cursor cursor(bytes); !cursor.at_end();) {
    Alias alias{{}, AliasKind::redirect, {}};
    alias.from.high = cursor.fixed<uint64_t>();
    alias.from.low = cursor.fixed<uint64_t>();
    alias.to = cursor.take(cursor.varint());
    if (cursor.failed()) return damaged();
    redirects.push_back(std::move(alias));
  }
  return redirects;
}

}  // namespace kith::bags
