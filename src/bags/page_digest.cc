#include "bags/page_digest.h"

#include <algorithm>
#include <atomic>

#include "bags/fragment.h"
#include "bags/shard/file.h"
#include "base/bytes.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"

namespace kith::bags {
namespace {

// Titles are for people to read; a longer one is cut at a character.
constexpr size_t longest_title = 300;

// Of the markup of a link without its target: <a href=>.
constexpr uint64_t link_markup = 9;

// Of a page of more words they are not kept while its digest is used.
constexpr size_t max_kept_offsets = 1 << 18;

}  // namespace

void PageDigest::free() {
  free_memory(title_terms);
  free_memory(terms);
  free_memory(blocks);
  free_memory(links);
  link_urls.free();
}

const PageDigest& PageDigester::read(const text::Url& url, const text::HtmlText& page,
                                     std::string_view title, int64_t time) {
  if (title.empty()) title = page.title;
  const text::Language language =
      options_.language ? *options_.language : text::detect_language(page.language, page.text);
  digest_.url = url.href;
  digest_.title = cut_utf8(title, longest_title);
  digest_.time = time;
  digest_.long_words = 0;
  digest_.links_stand_alone = page.links_stand_alone;
  digest_.language = language;
  read_words(language, title, digest_.title_terms, nullptr);
  read_text(language, page);
  const bool has_base = !page.base_href.empty() && text::parse_url(page.base_href, &url, base_);
  const text::Url& base = has_base ? base_ : url;
  digest_.canonical.clear();
  digest_.refresh.clear();
  if (!page.canonical.empty()) {
    digest_.canonical = other_url(url, base, page.canonical).value_or("");
  }
  if (!page.refresh.empty()) digest_.refresh = other_url(url, base, page.refresh).value_or("");
  read_links(url, base, page);
  if (word_offsets_.size() > max_kept_offsets) free_memory(word_offsets_);
  return digest_;
}

std::optional<std::string_view> PageDigester::other_url(const text::Url& url, const text::Url& base,
                                                        std::string_view link) {
  if (!text::parse_url(link, &base, target_)) return std::nullopt;
  options_.url_rules.apply(target_);
  if (target_.href == url.href) return std::nullopt;
  return target_.href;
}

void PageDigester::read_words(text::Language language, std::string_view text,
                              std::vector<uint32_t>& terms, BlockHasher* blocks) {
  splitter_.reset(text);
  terms_->read(language, splitter_, terms, word_offsets_, blocks);
  digest_.long_words += splitter_.long_words();
}

// Anchor texts that stand alone are no blocks of a page.
void PageDigester::read_text(text::Language language, const text::HtmlText& page) {
  BlockHasher hasher(page.block_bounds, digest_.blocks);
  const bool has_blocks = options_.blocks && !page.links_stand_alone;
  read_words(language, page.text, digest_.terms, has_blocks ? &hasher : nullptr);
  if (has_blocks) count_link_words(page);
}

void PageDigester::count_link_words(const text::HtmlText& page) {
  const std::vector<uint32_t>& offsets = word_offsets_;
  std::vector<Block>& blocks = digest_.blocks;
  size_t word = 0;
  size_t block = 0;
  for (const text::HtmlLink& link : page.links) {
    while (word < offsets.size() && offsets[word] < link.text_begin) ++word;
    for (; word < offsets.size() && offsets[word] < link.text_end; ++word) {
      while (block + 1 < blocks.size() && blocks[block + 1].begin <= word) ++block;
      ++blocks[block].link_words;
    }
  }
}

void PageDigester::read_links(const text::Url& url, const text::Url& base,
                              const text::HtmlText& page) {
  PageDigest& digest = digest_;
  digest.links.clear();
  digest.link_urls.reset(base.href);
  digest.links_met = digest.bad_links = digest.self_links = 0;
  if (options_.kind == BagKind::content && !options_.count_inlinks) return;
  digest.links_met = digest.bad_links = page.further_links;
  auto word = word_offsets_.begin();
  uint64_t room = free_link_bytes;
  for (const text::HtmlLink& link : page.links) {
    ++digest.links_met;
    const std::string_view href = page.href(link);
    room += max_link_growth * (href.size() + link_markup);
    if (!text::parse_url(href, &base, target_)) {
      ++digest.bad_links;
      continue;
    }
    options_.url_rules.apply(target_);
    if (target_.href == url.href) {
      ++digest.self_links;
      continue;
    }
    if (options_.links == LinkScope::external && target_.host() == url.host()) continue;
    if (target_.href.size() > room) {
      ++digest.bad_links;
      continue;
    }
    room -= target_.href.size();
    digest.link_urls.add(target_.href);
    word = std::lower_bound(word, word_offsets_.end(), link.text_begin);
    const auto end = std::lower_bound(word, word_offsets_.end(), link.text_end);
    digest.links.push_back({static_cast<uint32_t>(word - word_offsets_.begin()),
                            static_cast<uint32_t>(end - word_offsets_.begin())});
  }
}

namespace {

constexpr size_t chunk_bytes = 256 << 10;
// Larger chunks have a page of many megabytes: they come one at a time.
constexpr uint64_t large_chunk = 2 << 20;

}  // namespace

Status DigestSpool::Writer::add(const PageDigest& page) {
  append_page_head(page, part_);
  append_part();
  append_shard_page(page, {}, part_);
  append_part();
  if (part_.capacity() > chunk_bytes) free_memory(part_);
  return pages_.size() < chunk_bytes ? Status::ok() : flush();
}

void DigestSpool::Writer::append_part() {
  append_varint(pages_, part_.size());
  pages_ += part_;
  part_.clear();
}

Status DigestSpool::Writer::flush() {
  if (pages_.empty()) return Status::ok();
  Status status = spool_->append(pages_);
  if (pages_.capacity() > 2 * chunk_bytes) free_memory(pages_);
  pages_.clear();
  return status;
}

Result<std::unique_ptr<DigestSpool>> DigestSpool::create(storage::FileSystem& fs,
                                                         const std::string& path) {
  std::unique_ptr<DigestSpool> spool(new DigestSpool(fs, path));
  KITH_ASSIGN(spool->file_, fs.create(path));
  return spool;
}

Status DigestSpool::append(std::string_view pages) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(file_->append(as_bytes(pages)));
  chunks_.push_back({bytes_, pages.size()});
  bytes_ += pages.size();
  return Status::ok();
}

Status DigestSpool::for_each(ThreadPool& pool, unsigned workers, Part part, const Visit& visit,
                             const Forget& forget) const {
  KITH_ASSIGN(const auto file, fs_->open(path_));
  std::mutex large;
  FirstError error;
  std::atomic<size_t> next = 0;
  pool.run([&](unsigned worker) {
    if (worker >= workers) return;
    ShardPage page;
    std::string bytes;
    const auto read = [&](const Chunk& chunk) -> Status {
      bytes.resize(chunk.size);
      KITH_ASSIGN(const size_t got,
                  file->read_at(chunk.offset, std::as_writable_bytes(std::span(bytes))));
      if (got != chunk.size) return damaged_partition();
      for (Cursor cursor(bytes); !cursor.at_end();) {
        Cursor head(cursor.take(cursor.varint()));
        Cursor whole(cursor.take(cursor.varint()));
        const bool is_read =
            part == Part::head ? read_page_head(head, page.digest) : read_shard_page(whole, page);
        if (!is_read) return damaged_partition();
        KITH_TRY(visit(worker, page.digest));
      }
      return Status::ok();
    };
    const auto read_large = [&](const Chunk& chunk) -> Status {
      const std::lock_guard lock(large);
      Status status = read(chunk);
      page.digest.free();
      free_memory(bytes);
      forget(worker);
      give_back_free_memory();
      return status;
    };
    for (size_t i = next++; i < chunks_.size() && !error.failed(); i = next++) {
      error.keep(chunks_[i].size > large_chunk ? read_large(chunks_[i]) : read(chunks_[i]));
    }
  });
  return error.status();
}

}  // namespace kith::bags
