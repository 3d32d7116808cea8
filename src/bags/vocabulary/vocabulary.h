// Words to provisional term ids while a crawl is read, and what a vocabulary writes when it has no
// more room in memory. The ids that files hold are given later, in an order that does not depend on
// threads (dictionary.h).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"

#include "bags/boilerplate/blocks.h"
#include "bags/fragment.h"
#include "bags/vocabulary/word_memo.h"
#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"
#include "text/words/language.h"
#include "text/words/terms.h"
#include "text/words/words.h"

namespace kith::bags {

// What has no more room in memory. Internal to src/bags.

// A stem and the number that it was given.
struct NumberedStem {
  std::string_view stem;
  uint32_t id;
};

// Thread-safe. After an error nothing more is written; status() has it.
class VocabularySpool {
 public:
  // The parts of a vocabulary; a stem is always of the same one.
  static constexpr unsigned shards = 64;

  // Files are named after `prefix`, and removed by the caller. `fs` must outlive this object.
  VocabularySpool(storage::FileSystem& fs, std::string prefix)
      : fs_(&fs), prefix_(std::move(prefix)) {}

  // Writes a run of the stems of a shard. REQUIRES: they ascend, each stands once.
  void add_stems(unsigned shard, std::span<const NumberedStem> stems);
  // Writes words as they were met: append_surface() of each.
  void add_surfaces(std::string_view surfaces);

  bool empty() const { return !used_; }
  Status status() const { return error_.status(); }
  bool failed() const { return error_.failed(); }

  // To be called when nobody adds any more: run files of a shard, and the file of surfaces, which
  // is missing where there are none.
  const std::vector<std::string>& runs(unsigned shard) const { return runs_[shard]; }
  std::string surfaces_path() const { return prefix_ + "surfaces"; }
  uint64_t surface_bytes() const { return surface_bytes_; }

 private:
  storage::FileSystem* fs_;
  std::string prefix_;
  FirstError error_;
  std::mutex mutex_;
  std::array<std::vector<std::string>, shards> runs_;
  uint64_t surface_bytes_ = 0;
  bool used_ = false;
};

// A word that has the stem of a number, and how often it was met.
struct Surface {
  uint32_t term = 0;
  std::string_view word;
  uint64_t count = 0;
};
void append_surface(const Surface& surface, std::string& bytes);
// Reads one from the front of `cursor`; false when the bytes are none.
class SurfaceReader {
 public:
  explicit SurfaceReader(std::string_view bytes) : bytes_(bytes) {}
  // The next one; false at the end, and where what is left is no whole one.
  bool next(Surface& surface);
  size_t read() const { return read_; }  // bytes

 private:
  std::string_view bytes_;
  size_t read_ = 0;
};

// Bytes that stay where they are: strings are appended, never moved, and freed together.
class StringArena {
 public:
  std::string_view add(std::string_view text);

 private:
  static constexpr size_t chunk_size = 16 << 10;
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t used_ = chunk_size;
};

struct StringHash {
  using is_avalanching = void;
  size_t operator()(std::string_view text) const { return hash64(text); }
};

// Stems to ids 0, 1, 2, ... in the order of arrival; thread-safe.
//
// Within a bound of memory: a shard of the stems that has no more room is written to a spool, and
// only those of its stems that were asked for again stay. A stem that comes back then gets another
// id; resolve_stems() (dictionary.h) brings the ids of a stem together.
class Vocabulary {
 public:
  Vocabulary() = default;
  // memory: bytes that all stems may take. `spool` must outlive this object.
  Vocabulary(VocabularySpool& spool, uint64_t memory)
      : spool_(&spool), shard_bytes_(memory / VocabularySpool::shards) {}

  // Words that are left out as stop words are. REQUIRES: nothing was read yet.
  void leave_out(text::OwnStopWords words) { left_out_ = std::move(words); }
  bool leaves_out(text::Language language, std::string_view stem) const {
    return left_out_.has_stem(language, stem);
  }

  uint32_t id_of(std::string_view stem);
  // Ids are below it.
  uint32_t size() const { return next_.load(std::memory_order_relaxed); }

  // The stem of every id. REQUIRES: nobody is adding, and nothing was written to a spool. The
  // views live as long as this object.
  std::vector<std::string_view> stems() const;
  // Writes what is in memory to the spool. REQUIRES: there is one, and nobody is adding.
  void spill_all();

 private:
  struct Entry {
    uint32_t id;
    bool written = false;  // to the spool
    bool again = false;    // asked for since then
  };
  struct Shard {
    mutable std::mutex mutex;
    boost::unordered_flat_map<std::string_view, Entry, StringHash> ids;
    StringArena arena;
    uint64_t bytes = 0;
  };
  // Of an entry in a map that has just grown.
  static constexpr uint64_t entry_bytes = 80;

  void spill(unsigned number, bool keeps);

  VocabularySpool* spool_ = nullptr;
  uint64_t shard_bytes_ = 0;
  text::OwnStopWords left_out_;
  std::array<Shard, VocabularySpool::shards> shards_;
  std::atomic<uint32_t> next_ = 0;
};

// A word as people wrote it and how often a stem was met in this form.
struct SurfaceCount {
  uint32_t term;
  std::string_view word;
  uint64_t count;
};

// Writes these to a spool, block by block.
void write_surfaces(VocabularySpool& spool, std::span<const SurfaceCount> surfaces);

// A stem and a word that has it, as one string. Neither holds the byte between them: no word does.
inline std::string form_key(std::string_view stem, std::string_view word) {
  std::string key(stem);
  key.push_back('\0');
  return key.append(word);
}
inline std::string_view stem_of_form(std::string_view key) {
  return key.substr(0, key.find('\0'));
}
inline std::string_view word_of_form(std::string_view key) {
  return key.substr(key.find('\0') + 1);
}

// One worker's way from words to term ids: every distinct word is stemmed once and looked up
// in the shared vocabulary once. Not thread-safe.
class TermReader {
 public:
  // What the vocabulary holds: stems, as bags count them, or every form of them (form_key).
  enum class Unit : uint8_t { stem, form };

  // `vocabulary` must outlive this object.
  explicit TermReader(Vocabulary& vocabulary, Unit unit = Unit::stem)
      : vocabulary_(&vocabulary), unit_(unit) {}
  // The same within so many bytes: words that have no more room are written to `spool`, which must
  // outlive this object, and forgotten.
  TermReader(Vocabulary& vocabulary, VocabularySpool& spool, uint64_t memory,
             Unit unit = Unit::stem)
      : vocabulary_(&vocabulary),
        unit_(unit),
        spool_(&spool),
        max_words_(memory / word_bytes + 1) {}

  // Replaces `terms` by the provisional term id of every word that is left in `words`, or
  // no_term for a stop word, and `offsets` by where each begins; counts the words as surface
  // forms of their stems. `blocks`, if there are any, get every word.
  void read(text::Language language, text::WordSplitter& words, std::vector<uint32_t>& terms,
            std::vector<uint32_t>& offsets, BlockHasher* blocks = nullptr);

  // All words met that are no stop words, but for those that were written to a spool; views live as
  // long as this object, and until the next read().
  std::vector<SurfaceCount> surfaces() const;
  // Writes these to the spool and forgets all words. REQUIRES: there is a spool.
  void spill();

 private:
  struct LongWord {
    uint32_t term;
    uint64_t count;
  };
  struct Memo {
    WordMemo words;
    boost::unordered_flat_map<std::string_view, LongWord, StringHash> long_words;
  };
  // Some words on their way through the memo; `places` says where in `terms` each belongs.
  struct Batch {
    static constexpr size_t capacity = 16;
    std::array<WordMemo::Key, capacity> keys;
    std::array<size_t, capacity> places;
    size_t size = 0;
  };
  void look_up(text::Language language, WordMemo& memo, Batch& batch, std::vector<uint32_t>& terms);
  uint32_t look_up_long(text::Language language, Memo& memo, std::string_view word);
  uint32_t learn(text::Language language, std::string_view word);
  Memo& memo_of(text::Language language);

  // Of a word in a memo that has just grown.
  static constexpr uint64_t word_bytes = 192;

  Vocabulary* vocabulary_;
  Unit unit_ = Unit::stem;
  VocabularySpool* spool_ = nullptr;
  uint64_t max_words_ = UINT64_MAX;
  uint64_t words_ = 0;  // in all memos, a long word counted several times
  text::Stemmer stemmer_;
  StringArena arena_;
  // Made when a language is first met.
  std::array<std::unique_ptr<Memo>, static_cast<size_t>(text::Language::other) + 1> memos_;
};

}  // namespace kith::bags
