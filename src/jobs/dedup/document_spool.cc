#include "jobs/dedup/document_spool.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"
#include "jobs/dedup/titles.h"
#include "run/guarded.h"

namespace kith::jobs {

bool sketches_while_reading(const DedupOptions& options) {
  return needs_signatures(options) && options.max_documents == 0;
}

DocumentMaker::DocumentMaker(const DedupOptions& options)
    : options_(options), shingler_(shingle_options(options)) {
  if (!sketches_while_reading(options)) return;
  const run::SketchParams params = sketch_params(options);
  hasher_.emplace(sketch::SetSketchOptions{params.family, params.lanes, params.seed});
}

void DocumentMaker::read(std::string_view text, bool is_large) {
  // Growing would take half as much again, and leave holes.
  if (is_large) elements_.reserve(shingler_.count_tokens(text));
  shingler_.read(text, elements_);
}

void DocumentMaker::add(const DocumentFacts& facts) {
  const uint64_t text_hash = facts.text ? *facts.text : text::hash_of_text(elements_);
  // What is removed must be like what is kept to its last word.
  if (facts.is_cut) elements_.clear();
  block.cut += facts.is_cut ? 1 : 0;
  block.title_words.insert(block.title_words.end(), facts.title.begin(), facts.title.end());
  block.title_sizes.push_back(static_cast<uint8_t>(facts.title.size()));
  Document document;
  document.record = facts.record;
  document.offset = facts.offset;
  document.time = facts.time;
  document.file = facts.file;
  document.bytes = facts.bytes;
  shingler_.make_elements(elements_);
  if (!elements_.empty()) {
    document.fingerprint = hash64(std::as_bytes(std::span<const uint64_t>(elements_)));
    document.text = text_hash;
  }
  block.documents.push_back(document);
  block.names.emplace_back(facts.name);
  block.digests.emplace_back(facts.digest);
  block.sources.emplace_back(facts.source);
  block.keep_keys.insert(block.keep_keys.end(), facts.keep_keys.begin(), facts.keep_keys.end());
  block.sizes.push_back(static_cast<uint32_t>(elements_.size()));
  if (hasher_) {
    block.signatures.resize(block.signatures.size() + hasher_->lanes());
    hasher_->sketch(elements_, std::span(block.signatures).last(hasher_->lanes()));
  }
  if (block.elements.empty()) {
    block.elements.swap(elements_);
  } else {
    block.elements.insert(block.elements.end(), elements_.begin(), elements_.end());
  }
}

void DocumentMaker::forget_buffers() {
  block = {};
  shingler_ = text::Shingler(shingle_options(options_));
  free_memory(elements_);
}

namespace {

Error damaged_spool() {
  return {ErrorKind::corrupt, "a temporary file of the run was changed while it ran"};
}

// A byte first: whether it is the first capture of its URL, which is not known yet.
void append_blocks(const SpooledBlocks& document, std::string& out) {
  out.push_back('\0');
  append_string(out, document.url);
  append_varint(out, document.words);
  append_varint(out, document.blocks.size());
  uint32_t word = 0;
  uint32_t offset = 0;
  for (size_t i = 0; i < document.blocks.size(); ++i) {
    append_varint(out, document.blocks[i].begin - word);
    append_varint(out, document.offsets[i] - offset);
    append_fixed(out, document.blocks[i].hash);
    word = document.blocks[i].begin;
    offset = document.offsets[i];
  }
}

bool read_blocks(Cursor& cursor, SpooledBlocks& document) {
  document.is_first = cursor.fixed<uint8_t>() != 0;
  document.url = cursor.take(cursor.varint());
  document.words = static_cast<uint32_t>(cursor.varint());
  const uint64_t count = cursor.varint();
  document.blocks.clear();
  document.offsets.clear();
  uint32_t word = 0;
  uint32_t offset = 0;
  for (uint64_t i = 0; i < count && !cursor.failed(); ++i) {
    word += static_cast<uint32_t>(cursor.varint());
    offset += static_cast<uint32_t>(cursor.varint());
    document.blocks.push_back({word, 0, cursor.fixed<uint64_t>()});
    document.offsets.push_back(offset);
  }
  return !cursor.failed();
}

void append_document(const DocumentFacts& facts, std::string_view text, std::string& out) {
  append_string(out, facts.name);
  append_varint(out, facts.title.size());
  for (const uint32_t word : facts.title) append_fixed(out, word);
  append_varint(out, facts.record);
  append_varint(out, facts.offset);
  append_fixed(out, facts.time);
  append_string(out, facts.digest);
  append_string(out, facts.source);
  append_varint(out, facts.keep_keys.size());
  for (const double key : facts.keep_keys) append_fixed(out, std::bit_cast<uint64_t>(key));
  append_varint(out, facts.file);
  out.push_back(static_cast<char>(facts.is_cut));
  append_string(out, text);
}

// Of the facts, bytes and text are left to the caller.
bool read_document(Cursor& cursor, std::vector<uint32_t>& title, std::vector<double>& keys,
                   DocumentFacts& facts, std::string_view& text) {
  facts.name = cursor.take(cursor.varint());
  title.clear();
  for (uint64_t words = cursor.varint(); words > 0 && !cursor.failed(); --words) {
    title.push_back(cursor.fixed<uint32_t>());
  }
  facts.title = title;
  facts.record = cursor.varint();
  facts.offset = cursor.varint();
  facts.time = cursor.fixed<int64_t>();
  facts.digest = cursor.take(cursor.varint());
  facts.source = cursor.take(cursor.varint());
  keys.clear();
  for (uint64_t count = cursor.varint(); count > 0 && !cursor.failed(); --count) {
    keys.push_back(std::bit_cast<double>(cursor.fixed<uint64_t>()));
  }
  facts.keep_keys = keys;
  facts.file = static_cast<uint32_t>(cursor.varint());
  facts.is_cut = cursor.fixed<uint8_t>() != 0;
  text = cursor.take(cursor.varint());
  return !cursor.failed();
}

// Whether blocks lie in their text, so that they can be left out of it.
bool fits(const SpooledBlocks& blocks, std::span<const uint32_t> title, std::string_view text) {
  const bool is_in_text = blocks.offsets.empty() || blocks.offsets.back() <= text.size();
  const bool is_in_words = blocks.blocks.empty() || blocks.blocks.back().begin <= blocks.words;
  return is_in_text && is_in_words && std::ranges::is_sorted(blocks.offsets) &&
         title.size() <= TitleWords::max_words;
}

Status read_bytes(const storage::ReadableFile& file, uint64_t offset, uint64_t size,
                  std::string& buffer) {
  buffer.resize(size);
  KITH_ASSIGN(const size_t got,
              file.read_at(offset, std::as_writable_bytes(std::span(buffer.data(), size))));
  return got == size ? Status::ok() : Status(damaged_spool());
}

}  // namespace

void SpoolPart::add(const SpooledBlocks& blocks, const DocumentFacts& facts,
                    std::string_view text) {
  // Growing would take half as much again.
  constexpr size_t large = 1 << 20;
  if (text.size() > large) {
    documents_bytes_.reserve(documents_bytes_.size() + text.size() + facts.name.size() + 512);
  }
  append_blocks(blocks, blocks_);
  append_document(facts, text, documents_bytes_);
  ++documents_;
}

Status SpoolPart::for_each(const TakeDocument& take) const {
  Cursor blocks(blocks_);
  Cursor texts(documents_bytes_);
  SpooledBlocks head;
  DocumentFacts facts;
  std::vector<uint32_t> title;
  std::vector<double> keys;
  std::string_view text;
  while (!blocks.at_end()) {
    const size_t head_left = blocks.remaining();
    const size_t text_left = texts.remaining();
    const bool is_read =
        read_blocks(blocks, head) && read_document(texts, title, keys, facts, text);
    if (!is_read || !fits(head, title, text)) return damaged_spool();
    const std::string_view head_bytes = std::string_view(blocks_).substr(
        blocks_.size() - head_left, head_left - blocks.remaining());
    const std::string_view text_bytes =
        std::string_view(documents_bytes_)
            .substr(documents_bytes_.size() - text_left, text_left - texts.remaining());
    KITH_TRY(take(facts.file, head_bytes, text_bytes));
  }
  return texts.at_end() ? Status::ok() : Status(damaged_spool());
}

void SpoolPart::set(uint32_t documents, std::string_view blocks, std::string_view texts) {
  documents_ = documents;
  blocks_ = blocks;
  documents_bytes_ = texts;
}

void SpoolPart::clear() {
  documents_ = 0;
  blocks_.clear();
  documents_bytes_.clear();
}

void SpoolPart::free() {
  clear();
  free_memory(blocks_);
  free_memory(documents_bytes_);
}

Result<std::unique_ptr<DocumentSpool>> DocumentSpool::create(storage::FileSystem& fs,
                                                             const std::string& path) {
  std::unique_ptr<DocumentSpool> spool(new DocumentSpool(fs, path));
  KITH_ASSIGN(spool->writing_, fs.create(path));
  return spool;
}

Status DocumentSpool::append(SpoolPart& part,
                             const std::function<Result<bool>(std::string_view url)>& is_first) {
  if (part.documents_ == 0) return Status::ok();
  SpooledBlocks document;
  for (Cursor cursor(part.blocks_); !cursor.at_end();) {
    const size_t flag = part.blocks_.size() - cursor.remaining();
    if (!read_blocks(cursor, document)) return damaged_spool();
    if (document.url.empty()) continue;
    KITH_ASSIGN(const bool first, is_first(document.url));
    part.blocks_[flag] = static_cast<char>(first);
  }
  KITH_TRY(writing_->append(as_bytes(part.blocks_)));
  KITH_TRY(writing_->append(as_bytes(part.documents_bytes_)));
  parts_.push_back({bytes_, part.blocks_.size(), part.documents_bytes_.size()});
  bytes_ += parts_.back().bytes();
  return Status::ok();
}

Status DocumentSpool::close() {
  KITH_TRY(writing_->close());
  KITH_ASSIGN(reading_, fs_->open(path_));
  return Status::ok();
}

Status DocumentSpool::for_each_blocks(ThreadPool& pool, unsigned workers,
                                      const VisitBlocks& visit) const {
  FirstError error;
  std::atomic<size_t> next = 0;
  const auto work = [&](unsigned worker) -> Status {
    std::string buffer;
    SpooledBlocks document;
    for (size_t i = next++; i < parts_.size() && !error.failed(); i = next++) {
      KITH_TRY(read_bytes(*reading_, parts_[i].offset, parts_[i].blocks_bytes, buffer));
      for (Cursor cursor(buffer); !cursor.at_end();) {
        if (!read_blocks(cursor, document)) return damaged_spool();
        KITH_TRY(visit(worker, document));
      }
    }
    return Status::ok();
  };
  pool.run([&](unsigned worker) {
    if (worker < workers) error.keep(run::guarded([&] { return work(worker); }));
  });
  return error.status();
}

Status DocumentSpool::for_each(size_t part, std::string& buffer, const Visit& visit) const {
  const Place& place = parts_[part];
  KITH_TRY(read_bytes(*reading_, place.offset, place.bytes(), buffer));
  Cursor all(buffer);
  Cursor blocks(all.take(place.blocks_bytes));
  Cursor documents(all.take(place.documents_bytes));
  SpooledBlocks head;
  DocumentFacts facts;
  std::vector<uint32_t> title;
  std::vector<double> keys;
  std::string_view text;
  while (!blocks.at_end()) {
    if (!read_blocks(blocks, head) || !read_document(documents, title, keys, facts, text)) {
      return damaged_spool();
    }
    KITH_TRY(visit(head, facts, text));
  }
  return Status::ok();
}

}  // namespace kith::jobs
