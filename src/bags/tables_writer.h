// The files of the bags stage as they are written: what tables.h reads (docs/formats/bags.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kith/status.h"

#include "bags/run.h"
#include "base/bytes.h"
#include "sketch/bag.h"
#include "storage/file_system.h"
#include "storage/section_file.h"
#include "storage/string_table.h"

namespace kith::bags {

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

// The url, title and bag files, a URL at a time in SURT order. Not thread-safe. Memory: 21 bytes a
// URL.
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
  TablesWriter(storage::SectionWriter urls, ItemsWriter titles, ItemsWriter bags);

  storage::SectionWriter urls_;
  storage::SortedStringsWriter surts_;
  ItemsWriter titles_;
  ItemsWriter bags_;
  std::vector<uint8_t> facts_;
  std::vector<uint32_t> inlinks_;
  uint64_t empty_bags_ = 0;
};

}  // namespace kith::bags
