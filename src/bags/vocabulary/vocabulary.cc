#include "bags/vocabulary/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "bags/run.h"
#include "base/budget_shares.h"
#include "base/bytes.h"
#include "base/check.h"
#include "text/words/terms.h"

namespace kith::bags {

void VocabularySpool::add_stems(unsigned shard, std::span<const NumberedStem> stems) {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    used_ = true;
    path = fmt::format("{}stems-{:02}-{:05}", prefix_, shard, runs_[shard].size());
    runs_[shard].push_back(path);
  }
  const auto write = [&]() -> Status {
    KITH_ASSIGN(RunWriter run, RunWriter::create(*fs_, path));
    std::string record;
    for (const NumberedStem& one : stems) {
      record.clear();
      append_varint(record, one.stem.size());
      record += one.stem;
      append_varint(record, one.id);
      KITH_TRY(run.add(std::string_view(record)));
    }
    return run.finish();
  };
  if (!failed()) error_.keep(write());
}

void VocabularySpool::add_surfaces(std::string_view surfaces) {
  if (surfaces.empty() || failed()) return;
  const std::lock_guard lock(mutex_);
  used_ = true;
  const bool begin = surface_bytes_ == 0;
  if (error_.keep(storage::append_block(*fs_, surfaces_path(), as_bytes(surfaces), begin))) {
    surface_bytes_ += surfaces.size();
  }
}

void append_surface(const Surface& surface, std::string& bytes) {
  append_varint(bytes, surface.term);
  append_varint(bytes, surface.word.size());
  bytes += surface.word;
  append_varint(bytes, surface.count);
}

bool SurfaceReader::next(Surface& surface) {
  Cursor cursor(bytes_.substr(read_));
  if (cursor.at_end()) return false;
  surface.term = static_cast<uint32_t>(cursor.varint());
  surface.word = cursor.take(cursor.varint());
  surface.count = cursor.varint();
  if (cursor.failed()) return false;
  read_ = bytes_.size() - cursor.remaining();
  return true;
}

std::string_view StringArena::add(std::string_view text) {
  if (text.empty()) return {};  // such as a damaged file holds, perhaps before there is a chunk
  if (text.size() > chunk_size) {
    // A chunk of its own, put below the one in use.
    chunks_.insert(chunks_.begin(), std::make_unique_for_overwrite<char[]>(text.size()));
    std::memcpy(chunks_.front().get(), text.data(), text.size());
    return {chunks_.front().get(), text.size()};
  }
  if (chunk_size - used_ < text.size()) {
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_size));
    used_ = 0;
  }
  char* const place = chunks_.back().get() + used_;
  std::memcpy(place, text.data(), text.size());
  used_ += text.size();
  return {place, text.size()};
}

uint32_t Vocabulary::id_of(std::string_view stem) {
  const auto number = static_cast<unsigned>(hash64(stem) % VocabularySpool::shards);
  Shard& shard = shards_[number];
  const std::lock_guard lock(shard.mutex);
  if (const auto found = shard.ids.find(stem); found != shard.ids.end()) {
    found->second.again = true;
    return found->second.id;
  }
  if (spool_ != nullptr && shard.bytes >= shard_bytes_ && !shard.ids.empty()) spill(number, true);
  const uint32_t id = next_.fetch_add(1, std::memory_order_relaxed);
  KITH_CHECK(id < no_term);
  shard.ids.emplace(shard.arena.add(stem), Entry{id});
  shard.bytes += entry_bytes + stem.size();
  return id;
}

// Writes the stems that were not written yet. keeps: those that were asked for again stay, as far
// as they fit.
void Vocabulary::spill(unsigned number, bool keeps) {
  Shard& shard = shards_[number];
  std::vector<NumberedStem> stems;
  for (const auto& [stem, entry] : shard.ids) {
    if (!entry.written) stems.push_back({stem, entry.id});
  }
  std::ranges::sort(stems, {}, &NumberedStem::stem);
  spool_->add_stems(number, stems);
  const auto before = std::exchange(shard.ids, {});
  const StringArena strings = std::exchange(shard.arena, {});
  shard.bytes = 0;
  if (!keeps) return;
  for (const auto& [stem, entry] : before) {
    if (!entry.again || shard.bytes >= part_of(shard_bytes_, Share::kept_stems)) continue;
    shard.ids.emplace(shard.arena.add(stem), Entry{entry.id, true, false});
    shard.bytes += entry_bytes + stem.size();
  }
}

void Vocabulary::spill_all() {
  for (unsigned shard = 0; shard < shards_.size(); ++shard) spill(shard, false);
}

std::vector<std::string_view> Vocabulary::stems() const {
  std::vector<std::string_view> stems(size());
  for (const Shard& shard : shards_) {
    for (const auto& [stem, entry] : shard.ids) stems[entry.id] = stem;
  }
  return stems;
}

TermReader::Memo& TermReader::memo_of(text::Language language) {
  std::unique_ptr<Memo>& memo = memos_[static_cast<size_t>(language)];
  if (memo == nullptr) {
    memo = std::make_unique<Memo>();
    words_ += WordMemo::empty_bytes / word_bytes;
  }
  return *memo;
}

uint32_t TermReader::learn(text::Language language, std::string_view word) {
  if (text::is_stop_word_of_page(language, word)) return no_term;
  const std::string_view stem = stemmer_.stem(language, word);
  if (vocabulary_->leaves_out(language, stem)) return no_term;
  return vocabulary_->id_of(unit_ == Unit::stem ? stem : std::string_view(form_key(stem, word)));
}

uint32_t TermReader::look_up_long(text::Language language, Memo& memo, std::string_view word) {
  if (const auto found = memo.long_words.find(word); found != memo.long_words.end()) {
    ++found->second.count;
    return found->second.term;
  }
  const uint32_t term = learn(language, word);
  memo.long_words.emplace(arena_.add(word), LongWord{term, 1});
  words_ += 1 + word.size() / word_bytes;
  return term;
}

void TermReader::look_up(text::Language language, WordMemo& memo, Batch& batch,
                         std::vector<uint32_t>& terms) {
  for (size_t i = 0; i < batch.size; ++i) {
    WordMemo::Entry& entry = memo[batch.keys[i]];
    if (entry.count++ == 0) {
      entry.term = learn(language, batch.keys[i].word());
      ++words_;
    }
    terms[batch.places[i]] = entry.term;
  }
  batch.size = 0;
}

// A memo of a large crawl is larger than the cache. So a word is not looked up when it is met,
// but some words later, when its cache line has come.
void TermReader::read(text::Language language, text::WordSplitter& words,
                      std::vector<uint32_t>& terms, std::vector<uint32_t>& offsets,
                      BlockHasher* blocks) {
  static_assert(WordMemo::longest <= text::WordSplitter::readable_bytes);
  Memo* memo = &memo_of(language);
  Batch batch;
  const auto keep_within_memory = [&] {
    if (words_ < max_words_) return;
    spill();
    memo = &memo_of(language);
  };
  terms.clear();
  offsets.clear();
  std::string_view word;
  uint32_t offset = 0;
  while (words.next(word, offset)) {
    offsets.push_back(offset);
    if (word.size() > WordMemo::longest) {
      if (blocks != nullptr) blocks->add_long(offset, word);
      terms.push_back(look_up_long(language, *memo, word));
      keep_within_memory();
      continue;
    }
    WordMemo::Key& key = batch.keys[batch.size];
    WordMemo::load_key(word, key);
    if (blocks != nullptr) blocks->add(offset, key.low, key.high);
    batch.places[batch.size] = terms.size();
    terms.push_back(no_term);
    memo->words.prefetch(key);
    if (++batch.size < Batch::capacity) continue;
    look_up(language, memo->words, batch, terms);
    keep_within_memory();
  }
  look_up(language, memo->words, batch, terms);
  if (blocks != nullptr) blocks->finish();
}

void write_surfaces(VocabularySpool& spool, std::span<const SurfaceCount> surfaces) {
  constexpr size_t block = 1 << 18;
  std::string bytes;
  for (const SurfaceCount& form : surfaces) {
    append_surface({form.term, form.word, form.count}, bytes);
    if (bytes.size() < block) continue;
    spool.add_surfaces(bytes);
    bytes.clear();
  }
  spool.add_surfaces(bytes);
}

void TermReader::spill() {
  write_surfaces(*spool_, surfaces());
  for (auto& memo : memos_) memo.reset();
  arena_ = StringArena();
  words_ = 0;
}

std::vector<SurfaceCount> TermReader::surfaces() const {
  std::vector<SurfaceCount> surfaces;
  for (const auto& memo : memos_) {
    if (memo == nullptr) continue;
    memo->words.for_each([&](const WordMemo::Entry& entry) {
      if (entry.term != no_term) surfaces.push_back({entry.term, entry.word(), entry.count});
    });
    for (const auto& [word, known] : memo->long_words) {
      if (known.term != no_term) surfaces.push_back({known.term, word, known.count});
    }
  }
  return surfaces;
}

}  // namespace kith::bags
