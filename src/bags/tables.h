// The tables of bags: URLs, facts of their pages, words and weights.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "bags/run.h"
#include "base/bytes.h"
#include "base/dates.h"
#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "storage/file_system.h"
#include "storage/section_file.h"
#include "storage/string_table.h"
#include "text/words/language.h"

namespace kith::bags {

// What is kept of a page beside its words, in a byte: urls.kith has one for every URL.

// A URL that was not fetched has none: the byte is 0.
struct PageFacts {
  text::Language language = text::Language::other;
  bool is_list = false;  // most of its words are those of links: an index, a site map
};

inline constexpr uint8_t max_page_facts = 2 * static_cast<uint8_t>(text::Language::other) + 2;

constexpr uint8_t byte_of(const PageFacts& facts) {
  return static_cast<uint8_t>(1 + 2 * static_cast<uint8_t>(facts.language) + facts.is_list);
}

// REQUIRES: 0 < byte <= max_page_facts.
constexpr PageFacts facts_of(uint8_t byte) {
  return {static_cast<text::Language>((byte - 1) / 2), (byte - 1) % 2 == 1};
}

// The files of the bags stage as others read them: URLs, titles, terms, bags. The byte
// formats are docs/formats/bags.md. Readers are immutable and thread-safe; views live as long
// as the reader that gave them. What they give is not checked as it is read: check() compares what
// belongs to an id with the checksums of the file, verify() all of it.
inline constexpr storage::FileKind urls_kind{"urls", 3};
inline constexpr storage::FileKind titles_kind{"titl", 1};
inline constexpr storage::FileKind times_kind{"time", 1};
inline constexpr storage::FileKind terms_kind{"term", 1};
inline constexpr storage::FileKind bags_kind{"bags", 1};

// URL ids in SURT order, and what is known of every URL.
class UrlTable {
 public:
  static Result<UrlTable> open(storage::FileSystem& fs, const std::string& path);

  uint32_t size() const { return static_cast<uint32_t>(surts_.size()); }
  std::string url(uint32_t id) const;
  std::optional<uint32_t> find(std::string_view canonical_url) const;
  // The ids [first, second) of the URLs whose SURT keys begin with `key`.
  std::pair<uint32_t, uint32_t> with_key_prefix(std::string_view key) const;
  bool fetched(uint32_t id) const { return facts_[id] != 0; }
  std::span<const uint8_t> facts() const { return facts_; }  // 0: not fetched
  // Nothing where it was not fetched.
  std::optional<PageFacts> page(uint32_t id) const {
    const uint8_t byte = facts_[id];
    if (byte == 0 || byte > max_page_facts) return std::nullopt;
    return facts_of(byte);
  }
  std::span<const uint32_t> inlinks() const { return inlinks_; }
  // Calls visit(id, url) for all ids in order: cheaper than url(id) for each.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::string url;
    surts_.for_each(0, surts_.size(), [&](uint64_t id, std::string_view surt) {
      decode(surt, url);
      visit(static_cast<uint32_t>(id), std::string_view(url));
    });
  }
  Status check(uint32_t id) const;
  // Before a search, which touches what check() has not seen: see SectionFile.
  Status check_size() const { return file_.check_size(); }
  Status verify() const { return file_.verify(); }
  // Nothing of it will be read for a while: see Mapping::release().
  void release() const { file_.release(); }

 private:
  static void decode(std::string_view surt, std::string& url);

  storage::SectionFile file_;
  storage::SortedStrings surts_;
  std::span<const uint8_t> facts_;
  std::span<const uint32_t> inlinks_;
};

// The first id of every host, ascending. The URLs of a host stand together.
std::vector<uint32_t> first_ids_of_hosts(const UrlTable& urls);

// The title of every URL; empty where none is known.
class TitleTable {
 public:
  static Result<TitleTable> open(storage::FileSystem& fs, const std::string& path);
  std::string_view operator[](uint32_t id) const { return titles_[id]; }
  uint64_t size() const { return titles_.size(); }
  Status check(uint32_t id) const { return titles_.check(file_, id); }
  Status verify() const { return file_.verify(); }
  // Nothing of it will be read for a while: see Mapping::release().
  void release() const { file_.release(); }

 private:
  storage::SectionFile file_;
  storage::StringArray titles_;
};

// When every page was captured: as of base/dates.h; no_time where that is not known, and where
// the URL was not fetched. Runs have it where the date of some page is known.
class TimeTable {
 public:
  static Result<TimeTable> open(storage::FileSystem& fs, const std::string& path);
  int64_t operator[](uint32_t id) const { return times_[id]; }
  std::span<const int64_t> times() const { return times_; }
  uint64_t size() const { return times_.size(); }
  Status check(uint32_t id) const { return file_.check(times_.subspan(id, 1)); }
  Status verify() const { return file_.verify(); }

 private:
  storage::SectionFile file_;
  std::span<const int64_t> times_;
};

// The dictionary: term ids by falling document frequency, ties in byte order of the stem.
class TermTable {
 public:
  static Result<TermTable> open(storage::FileSystem& fs, const std::string& path);
  uint32_t size() const { return static_cast<uint32_t>(stems_.size()); }
  std::string_view stem(uint32_t term) const { return stems_[term]; }
  // The form most often seen: what people read.
  std::string_view surface(uint32_t term) const { return surfaces_[term]; }
  // The bags with the term; in bags of both kinds, those with it in their content.
  std::span<const uint32_t> document_frequency() const { return frequencies_; }
  // Stem and surface. REQUIRES: term < size().
  Status check(uint32_t term) const;
  Status verify() const { return file_.verify(); }

 private:
  storage::SectionFile file_;
  storage::StringArray stems_;
  storage::StringArray surfaces_;
  std::span<const uint32_t> frequencies_;
};

// The bag of every URL.
class BagTable {
 public:
  // Where each bag begins is copied: 8 bytes a bag.
  static Result<BagTable> open(storage::FileSystem& fs, const std::string& path);
  // In a time that does not grow with the bags: where each begins is not read. Before bags()[id] is
  // asked for, call check(id); before all of them are, verify().
  static Result<BagTable> open_for_lookup(storage::FileSystem& fs, const std::string& path);
  // To be used as it is for looking; before a join of bags, call check_entries().
  const sketch::BagCollection& bags() const { return bags_; }
  // Copies the bags into memory, for a file that is small against it: from now on release() of the
  // bags has no effect.
  Status stay();
  // Reads all entries once: terms are below `terms`, the size of the dictionary, and ascend;
  // weights add up to bag_total. An error of kind corrupt otherwise.
  Status check_entries(uint32_t terms, ThreadPool& pool) const;
  Status check(uint32_t id) const;
  Status verify() const;

 private:
  Status check_offsets() const;
  storage::SectionFile file_;
  std::span<const uint64_t> offsets_;
  LargeArray<uint64_t> own_offsets_;          // what offsets_ is a view of, unless that is the file
  LargeArray<sketch::BagEntry> own_entries_;  // of the bags that stay
  sketch::BagCollection bags_;
};

// The files of the bags stage as they are written: what the tables above read
// (docs/formats/bags.md).

// A section of variable-sized items and the offsets that end them.
class ItemsWriter {
 public:
  static Result<ItemsWriter> create(storage::FileSystem& fs, const std::string& path,
                                    storage::FileKind kind, const std::string& section) {
    KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, kind));
    KITH_TRY(file.begin(section));
    return ItemsWriter(std::move(file), section);
  }
  // `count` is what the item adds to the offsets: elements of the section.
  Status add(Bytes item, uint64_t count) {
    offsets_.push_back(offsets_.back() + count);
    return file_.append(item);
  }
  Status finish() {
    KITH_TRY(file_.begin(section_ + "_at"));
    KITH_TRY(file_.append_array(std::span<const uint64_t>(offsets_)));
    return file_.finish();
  }
  uint64_t count() const { return offsets_.back(); }

 private:
  ItemsWriter(storage::SectionWriter file, std::string section)
      : file_(std::move(file)), section_(std::move(section)) {}
  storage::SectionWriter file_;
  std::string section_;
  std::vector<uint64_t> offsets_{0};
};

// The times of captures, in a file that is made with the first that is known. Not thread-safe.
class TimesWriter {
 public:
  // `fs` must outlive the writer.
  TimesWriter(storage::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}
  Status add(int64_t time);
  Status finish();

 private:
  Status begin();
  storage::FileSystem* fs_;
  std::string path_;
  std::optional<storage::SectionWriter> file_;
  uint64_t unknown_ = 0;  // that have come before the first that is known
};

// The url, title, time and bag files, a URL at a time in SURT order. Not thread-safe. Memory: 21
// bytes a URL.
class TablesWriter {
 public:
  // `fs` must outlive the writer.
  static Result<std::unique_ptr<TablesWriter>> create(storage::FileSystem& fs,
                                                      const std::string& directory);
  TablesWriter(const TablesWriter&) = delete;
  TablesWriter& operator=(const TablesWriter&) = delete;

  // Whether the URL comes after all that were added.
  bool accepts(const RunRecord& record) const { return surts_.accepts(record.surt); }
  // REQUIRES: accepts(record).
  Status add(const RunRecord& record, sketch::Bag bag);
  // To be called once, after the last URL.
  Status finish();

  uint64_t urls() const { return surts_.count(); }
  uint64_t entries() const { return bags_.count(); }  // of all bags
  uint64_t empty_bags() const { return empty_bags_; }

 private:
  TablesWriter(storage::SectionWriter urls, ItemsWriter titles, TimesWriter times,
               ItemsWriter bags);

  storage::SectionWriter urls_;
  storage::SortedStringsWriter surts_;
  ItemsWriter titles_;
  TimesWriter times_;
  ItemsWriter bags_;
  std::vector<uint8_t> facts_;
  std::vector<uint32_t> inlinks_;
  uint64_t empty_bags_ = 0;
};

}  // namespace kith::bags
