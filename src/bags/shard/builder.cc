#include "bags/shard/builder.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "bags/vocabulary/dictionary.h"
#include "base/machine.h"
#include "base/memory.h"
#include "storage/section_file.h"
#include "storage/zstd.h"

namespace kith::bags {
namespace {

// A block ends when its pages, as the crawl held them, are as large: the same for any numbers that
// the words have been given so far.
constexpr uint64_t block_payload_bytes = 4 << 20;

// Gives the terms of a page their final numbers.
void renumber(std::vector<uint32_t>& terms, std::span<const uint32_t> final_form) {
  for (uint32_t& term : terms) {
    if (term != no_term) term = final_form[term];
  }
}

Result<std::string> read_bytes(const storage::ReadableFile& file, uint64_t offset, uint64_t size) {
  std::string bytes(size, '\0');
  KITH_ASSIGN(const size_t got,
              file.read_at(offset, std::as_writable_bytes(std::span(bytes.data(), size))));
  if (got != size) return damaged_partition();
  return bytes;
}

}  // namespace

Result<BlockSpool> BlockSpool::create(storage::FileSystem& fs, const std::string& path) {
  BlockSpool spool;
  spool.path_ = path;
  spool.mutex_ = std::make_unique<std::mutex>();
  KITH_ASSIGN(spool.file_, fs.create(path));
  return spool;
}

Status BlockSpool::add(Block block, std::string_view pages) {
  const std::lock_guard lock(*mutex_);
  KITH_TRY(file_->append(as_bytes(pages)));
  block.offset = bytes_;
  block.size = pages.size();
  bytes_ += pages.size();
  blocks_.push_back(std::move(block));
  return Status::ok();
}

Status BlockSpool::close() {
  std::ranges::sort(blocks_, {},
                    [](const Block& block) { return std::pair(block.batch, block.part); });
  return file_->close();
}

ShardBuilder::Worker::Worker(const FragmentOptions& options, Vocabulary& forms,
                             VocabularySpool& words, uint64_t memory, AliasMemory& aliases,
                             BlockSpool& spool)
    : keep_aliases_(options.keep_aliases),
      words_(&words),
      terms_(forms, words, memory, TermReader::Unit::form),
      digester_(options, terms_),
      spool_(&spool),
      alias_memory_(&aliases) {}

Status ShardBuilder::Worker::add(const PagePlace& place, const Payload& payload,
                                 const text::Url& url, const text::HtmlText& page,
                                 std::string_view title, int64_t time) {
  const bool same_batch = place.batch == block_.batch;
  if (!same_batch || place.input != block_.input || payload_bytes_ >= block_payload_bytes) {
    const uint32_t next_part = same_batch ? block_.part + 1 : 0;
    KITH_TRY(end_block());
    block_.batch = place.batch;
    block_.part = next_part;
    block_.input = place.input;
  }
  const PageDigest& digest = digester_.read(url, page, title, time);
  append_shard_page(digest, payload, pages_);
  block_.keys.push_back(hash128(url.href));
  block_.times.push_back(time);
  payload_bytes_ += payload.bytes;
  counts_.add(digest);
  return words_->failed() ? words_->status() : Status::ok();
}

Status ShardBuilder::Worker::end_block() {
  payload_bytes_ = 0;
  if (block_.keys.empty()) return Status::ok();
  Status status = spool_->add(std::exchange(block_, {}), pages_);
  // A block that ends with a large page is longer than most.
  if (pages_.capacity() > block_payload_bytes) free_memory(pages_);
  pages_.clear();
  return status;
}

Status ShardBuilder::Worker::finish() {
  KITH_TRY(end_block());
  free_memory(pages_);
  forget_buffers();
  return Status::ok();
}

Status ShardBuilder::Worker::add_redirect(const text::Url& url, std::string_view location) {
  text::Url own = url;
  digester_.url_rules().apply(own);
  const auto target = digester_.other_url(own, url, location);
  if (!target) return Status::ok();
  ++counts_.aliases[static_cast<size_t>(AliasKind::redirect)];
  if (!keep_aliases_) return Status::ok();
  redirects_.push_back({hash128(own.href), AliasKind::redirect, std::string(*target)});
  alias_memory_->add(redirects_.back());
  return alias_memory_->status();
}

Result<ShardBuilder> ShardBuilder::create(storage::FileSystem& fs, const std::string& scratch,
                                          const FragmentOptions& options, unsigned workers,
                                          const Budget& memory) {
  ShardBuilder builder(fs);
  builder.scratch_ = scratch;
  builder.memory_ = memory;
  builder.alias_memory_ = std::make_unique<AliasMemory>(memory);
  builder.words_ = std::make_unique<VocabularySpool>(fs, scratch + "/words-");
  builder.forms_ = std::make_unique<Vocabulary>(*builder.words_, memory.bytes(Share::stems));
  builder.forms_->leave_out(text::OwnStopWords(options.stop_words));
  KITH_ASSIGN(BlockSpool spool, BlockSpool::create(fs, scratch + "/blocks"));
  builder.spool_ = std::make_unique<BlockSpool>(std::move(spool));
  for (unsigned worker = 0; worker < workers; ++worker) {
    builder.workers_.push_back(std::make_unique<Worker>(options, *builder.forms_, *builder.words_,
                                                        memory.bytes(Share::words) / workers,
                                                        *builder.alias_memory_, *builder.spool_));
  }
  return builder;
}

// Forms by falling count, ties in byte order: an order that does not depend on threads, and that
// gives the frequent ones the short numbers.
std::vector<uint32_t> ShardBuilder::forms_by_count() {
  const std::vector<std::string_view> keys = forms_->stems();
  std::vector<uint64_t> counts(keys.size(), 0);
  for (const auto& worker : workers_) {
    for (const SurfaceCount& form : worker->terms_.surfaces()) counts[form.term] += form.count;
  }
  std::vector<uint32_t> order(keys.size());
  for (uint32_t form = 0; form < order.size(); ++form) order[form] = form;
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tuple(counts[b], keys[a]) < std::tuple(counts[a], keys[b]);
  });
  return order;
}

// The final number of every form.
Result<std::vector<uint32_t>> ShardBuilder::write_forms(storage::SectionWriter& file,
                                                        ThreadPool& pool) {
  KITH_TRY(words_->status());
  if (!words_->empty()) return write_spooled_forms(file, pool);
  const std::vector<uint32_t> order = forms_by_count();
  std::vector<uint32_t> final_form(order.size());
  for (uint32_t place = 0; place < order.size(); ++place) final_form[order[place]] = place;
  const std::vector<std::string_view> keys = forms_->stems();
  KITH_TRY(file.write_strings("stems", order.size(),
                              [&](size_t i) { return stem_of_form(keys[order[i]]); }));
  KITH_TRY(file.write_strings("words", order.size(),
                              [&](size_t i) { return word_of_form(keys[order[i]]); }));
  return final_form;
}

// bytes: what the numbers of so many forms take.
Status ShardBuilder::check_forms(uint64_t bytes, uint64_t forms) const {
  return memory_.share(Share::form_numbers).check(bytes, fmt::format("{} words", forms));
}

// The same of forms that went beyond the memory.
Result<std::vector<uint32_t>> ShardBuilder::write_spooled_forms(storage::SectionWriter& file,
                                                                ThreadPool& pool) {
  const uint32_t ids = forms_->size();
  constexpr uint64_t bytes_of_number = sizeof(uint64_t);  // its count
  KITH_TRY(check_forms(ids * (sizeof(uint32_t) + bytes_of_number), ids));
  forms_->spill_all();
  for (const auto& worker : workers_) worker->terms_.spill();
  KITH_TRY(words_->status());
  const std::string prefix = scratch_ + "/words-";
  const Budget memory = memory_.share(Share::form_sorting);
  KITH_ASSIGN(StemNumbers numbers, resolve_stems(*fs_, prefix, *words_, ids, memory, pool));
  std::vector<uint64_t> counts(numbers.limit, 0);
  KITH_TRY(for_each_surface(*fs_, *words_, [&](const Surface& form) -> Status {
    if (form.term >= ids) return damaged_partition();
    counts[numbers.of[form.term]] += form.count;
    return Status::ok();
  }));
  KITH_TRY(fs_->remove(words_->surfaces_path()));
  // A form takes its rank where its count was.
  uint64_t rank = 0;
  const std::string ranked = prefix + "ranked";
  KITH_TRY(rank_stems(
      *fs_, prefix, [&](uint32_t number) { return number < counts.size() ? counts[number] : 0; },
      {}, memory, ranked, pool,
      [&](const RankedTerm& form) {
        counts[form.number] = rank++;
        return Status::ok();
      }));
  for (uint32_t& number : numbers.of) number = static_cast<uint32_t>(counts[number]);
  free_memory(counts);
  KITH_TRY(write_term_strings(*fs_, ranked, file, "stems",
                              [](const RankedTerm& form) { return stem_of_form(form.stem); }));
  KITH_TRY(write_term_strings(*fs_, ranked, file, "words",
                              [](const RankedTerm& form) { return word_of_form(form.stem); }));
  KITH_TRY(fs_->remove(ranked));
  return std::move(numbers.of);
}

Status ShardBuilder::write_blocks(storage::SectionWriter& file,
                                  std::span<const uint32_t> final_form) {
  std::vector<uint64_t> offsets{0};
  std::vector<uint64_t> pages{0};
  std::vector<uint32_t> inputs;
  KITH_ASSIGN(const auto spooled, fs_->open(spool_->path()));
  ShardPage page;
  std::string renumbered;
  std::string frame;
  KITH_TRY(file.begin("blocks"));
  for (const BlockSpool::Block& block : spool_->blocks()) {
    KITH_ASSIGN(const std::string bytes, read_bytes(*spooled, block.offset, block.size));
    renumbered.clear();
    for (Cursor cursor(bytes); !cursor.at_end();) {
      if (!read_shard_page(cursor, page)) return damaged_partition();
      renumber(page.digest.title_terms, final_form);
      renumber(page.digest.terms, final_form);
      append_shard_page(page.digest, page.payload, renumbered);
    }
    storage::pack(renumbered, frame);
    KITH_TRY(file.append(frame));
    offsets.push_back(offsets.back() + frame.size());
    pages.push_back(pages.back() + block.keys.size());
    inputs.push_back(block.input);
  }
  KITH_TRY(file.write_array("blocks_at", offsets));
  KITH_TRY(file.write_array("block_pages", pages));
  KITH_TRY(file.write_array("block_inputs", inputs));
  KITH_TRY(file.begin("keys"));
  for (const BlockSpool::Block& block : spool_->blocks()) {
    KITH_TRY(file.append_array(std::span<const Key128>(block.keys)));
  }
  KITH_TRY(file.begin("times"));
  for (const BlockSpool::Block& block : spool_->blocks()) {
    KITH_TRY(file.append_array(std::span<const int64_t>(block.times)));
  }
  return Status::ok();
}

Status ShardBuilder::write_redirects(storage::SectionWriter& file) {
  std::vector<Alias> redirects;
  for (const auto& worker : workers_) {
    std::ranges::move(worker->redirects_, std::back_inserter(redirects));
  }
  std::ranges::sort(redirects, {}, [](const Alias& alias) {
    return std::pair(alias.from, std::string_view(alias.to));
  });
  std::string bytes;
  for (const Alias& alias : redirects) {
    append_fixed(bytes, alias.from.high);
    append_fixed(bytes, alias.from.low);
    append_varint(bytes, alias.to.size());
    bytes += alias.to;
  }
  KITH_TRY(file.begin("redirects"));
  return file.append(bytes);
}

Result<FragmentCounts> ShardBuilder::finish(const std::string& path,
                                            std::span<const std::string> inputs,
                                            std::span<const uint32_t> example_inputs,
                                            std::vector<Key128> revisits, ThreadPool& pool) {
  FragmentCounts counts;
  for (const auto& worker : workers_) {
    KITH_TRY(worker->finish());
    counts += worker->counts_;
  }
  KITH_TRY(spool_->close());
  give_back_free_memory();
  KITH_ASSIGN(auto file, storage::SectionWriter::create(*fs_, path, shard_kind));
  KITH_TRY(file.write_strings("inputs", inputs.size(),
                              [&](size_t i) -> std::string_view { return inputs[i]; }));
  KITH_ASSIGN(const std::vector<uint32_t> final_form, write_forms(file, pool));
  KITH_TRY(write_blocks(file, final_form));
  KITH_TRY(write_redirects(file));
  KITH_TRY(file.write_array("example_inputs", example_inputs));
  std::ranges::sort(revisits);
  KITH_TRY(file.write_array("revisits", revisits));
  KITH_TRY(file.finish());
  KITH_TRY(fs_->remove(spool_->path()));
  return counts;
}

}  // namespace kith::bags
