#include "bags/tables.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "text/url/url.h"

namespace kith::bags {
namespace {

Result<storage::StringArray> string_array(const storage::SectionFile& file,
                                          const std::string& name) {
  KITH_ASSIGN(const Bytes bytes, file.section(name));
  KITH_ASSIGN(const auto offsets, file.array<uint64_t>(name + "_at"));
  auto array = storage::StringArray::make(bytes, offsets);
  if (!array) return file.do_not_fit();
  return array;
}

// What sketch/bag.h promises of a bag.
bool sound(sketch::Bag bag, uint32_t terms) {
  uint64_t sum = 0;
  uint64_t min_term = 0;
  for (const sketch::BagEntry& entry : bag) {
    if (entry.term < min_term || entry.term >= terms || entry.weight == 0) return false;
    min_term = uint64_t{entry.term} + 1;
    sum += entry.weight;
  }
  return bag.empty() || sum == sketch::bag_total;
}

}  // namespace

Result<UrlTable> UrlTable::open(storage::FileSystem& fs, const std::string& path) {
  UrlTable table;
  KITH_ASSIGN(table.file_, storage::SectionFile::open(fs, path, urls_kind));
  KITH_ASSIGN(table.facts_, table.file_.array<uint8_t>("facts"));
  KITH_ASSIGN(table.inlinks_, table.file_.array<uint32_t>("inlinks"));
  KITH_ASSIGN(const Bytes blocks, table.file_.section("surt"));
  KITH_ASSIGN(const auto offsets, table.file_.array<uint64_t>("surt_at"));
  auto surts = storage::SortedStrings::make(blocks, offsets, table.facts_.size());
  if (!surts || table.inlinks_.size() != table.facts_.size()) return table.file_.do_not_fit();
  table.surts_ = *surts;
  return table;
}

void UrlTable::decode(std::string_view surt, std::string& url) {
  text::url_of_surt(surt, url);
}

std::string UrlTable::url(uint32_t id) const {
  std::string url;
  decode(surts_.at(id), url);
  return url;
}

std::optional<uint32_t> UrlTable::find(std::string_view canonical_url) const {
  std::string surt;
  text::surt_of_url(canonical_url, surt);
  const auto index = surts_.find(surt);
  if (!index) return std::nullopt;
  return static_cast<uint32_t>(*index);
}

// 0xFF stands in no key, nor behind any of its bytes.
std::pair<uint32_t, uint32_t> UrlTable::with_key_prefix(std::string_view key) const {
  return {static_cast<uint32_t>(surts_.lower_bound(key)),
          static_cast<uint32_t>(surts_.lower_bound(std::string(key) + '\xff'))};
}
Status UrlTable::check(uint32_t id) const {
  KITH_TRY(surts_.check(file_, id));
  KITH_TRY(file_.check(facts_.subspan(id, 1)));
  return file_.check(inlinks_.subspan(id, 1));
}

std::vector<uint32_t> first_ids_of_hosts(const UrlTable& urls) {
  constexpr uint32_t stretch = 1 << 16;  // URLs that are mapped at a time
  std::vector<uint32_t> first_ids;
  std::string host;
  urls.for_each([&](uint32_t id, std::string_view url) {
    const std::string_view of_url = text::host_of(url);
    if (id == 0 || of_url != host) {
      first_ids.push_back(id);
      host = of_url;
    }
    if (id % stretch == stretch - 1) urls.release();
  });
  return first_ids;
}

Result<TitleTable> TitleTable::open(storage::FileSystem& fs, const std::string& path) {
  TitleTable table;
  KITH_ASSIGN(table.file_, storage::SectionFile::open(fs, path, titles_kind));
  KITH_ASSIGN(table.titles_, string_array(table.file_, "titles"));
  return table;
}

Result<TimeTable> TimeTable::open(storage::FileSystem& fs, const std::string& path) {
  TimeTable table;
  KITH_ASSIGN(table.file_, storage::SectionFile::open(fs, path, times_kind));
  KITH_ASSIGN(table.times_, table.file_.array<int64_t>("times"));
  return table;
}

Result<TermTable> TermTable::open(storage::FileSystem& fs, const std::string& path) {
  TermTable table;
  KITH_ASSIGN(table.file_, storage::SectionFile::open(fs, path, terms_kind));
  KITH_ASSIGN(table.stems_, string_array(table.file_, "stems"));
  KITH_ASSIGN(table.surfaces_, string_array(table.file_, "surfaces"));
  KITH_ASSIGN(table.frequencies_, table.file_.array<uint32_t>("df"));
  if (table.surfaces_.size() != table.stems_.size() ||
      table.frequencies_.size() != table.stems_.size()) {
    return table.file_.do_not_fit();
  }
  return table;
}

Status TermTable::check(uint32_t term) const {
  KITH_TRY(stems_.check(file_, term));
  return surfaces_.check(file_, term);
}

Result<BagTable> BagTable::open(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto table, open_for_lookup(fs, path));
  KITH_ASSIGN(table.own_offsets_, table.file_.read(table.offsets_));
  table.offsets_ = table.own_offsets_.span();
  table.bags_ =
      sketch::BagCollection(table.offsets_, table.bags_.entries(), &table.file_.mapping());
  KITH_TRY(table.check_offsets());
  return table;
}

Status BagTable::stay() {
  KITH_ASSIGN(own_entries_, file_.read(bags_.entries()));
  bags_ = sketch::BagCollection(offsets_, own_entries_.span());
  return Status::ok();
}

Result<BagTable> BagTable::open_for_lookup(storage::FileSystem& fs, const std::string& path) {
  BagTable table;
  KITH_ASSIGN(table.file_, storage::SectionFile::open(fs, path, bags_kind));
  KITH_ASSIGN(const auto offsets, table.file_.array<uint64_t>("entries_at"));
  KITH_ASSIGN(const auto entries, table.file_.array<sketch::BagEntry>("entries"));
  if (!storage::have_ends(offsets, entries.size())) return table.file_.do_not_fit();
  table.offsets_ = offsets;
  table.bags_ = sketch::BagCollection(offsets, entries, &table.file_.mapping());
  return table;
}

Status BagTable::check_offsets() const {
  return storage::valid_offsets(offsets_, bags_.entries().size()) ? Status::ok()
                                                                  : Status(file_.do_not_fit());
}

Status BagTable::verify() const {
  KITH_TRY(file_.verify());
  return check_offsets();
}

Status BagTable::check(uint32_t id) const {
  KITH_TRY(file_.check(offsets_.subspan(id, 2)));
  if (offsets_[id] > offsets_[id + 1] || offsets_[id + 1] > bags_.entries().size()) {
    return file_.do_not_fit();
  }
  return file_.check(std::span<const sketch::BagEntry>(bags_[id]));
}

Status BagTable::check_entries(uint32_t terms, ThreadPool& pool) const {
  std::atomic<bool> all_sound = true;
  std::vector<sketch::BagBuffer> buffers(pool.size());
  pool.for_chunks(bags_.size(), bags_.bags_in(1 << 20),
                  [&](size_t first, size_t last, unsigned worker) {
                    const sketch::BagBlock block = bags_.block(first, last, buffers[worker]);
                    for (size_t id = first; id < last; ++id) {
                      if (!sound(block[id], terms)) all_sound = false;
                    }
                  });
  return all_sound ? Status::ok() : Status(file_.do_not_fit());
}

Status TimesWriter::begin() {
  constexpr size_t block = 1 << 12;
  const std::vector<int64_t> none(block, no_time);
  KITH_ASSIGN(auto file, storage::SectionWriter::create(*fs_, path_, times_kind));
  file_.emplace(std::move(file));
  KITH_TRY(file_->begin("times"));
  while (unknown_ > 0) {
    const auto some = static_cast<size_t>(std::min<uint64_t>(unknown_, block));
    KITH_TRY(file_->append_array(std::span(none).first(some)));
    unknown_ -= some;
  }
  return Status::ok();
}

Status TimesWriter::add(int64_t time) {
  if (!file_ && time == no_time) {
    ++unknown_;
    return Status::ok();
  }
  if (!file_) KITH_TRY(begin());
  return file_->append_array(std::span<const int64_t>(&time, 1));
}

Status TimesWriter::finish() {
  return file_ ? file_->finish() : Status::ok();
}

TablesWriter::TablesWriter(storage::SectionWriter urls, ItemsWriter titles, TimesWriter times,
                           ItemsWriter bags)
    : urls_(std::move(urls)),
      surts_(urls_),
      titles_(std::move(titles)),
      times_(std::move(times)),
      bags_(std::move(bags)) {}

Result<std::unique_ptr<TablesWriter>> TablesWriter::create(storage::FileSystem& fs,
                                                           const std::string& directory) {
  KITH_ASSIGN(auto urls, storage::SectionWriter::create(fs, directory + "/urls.kith", urls_kind));
  KITH_TRY(urls.begin("surt"));
  KITH_ASSIGN(auto titles,
              ItemsWriter::create(fs, directory + "/titles.kith", titles_kind, "titles"));
  KITH_ASSIGN(auto bags, ItemsWriter::create(fs, directory + "/bags.kith", bags_kind, "entries"));
  return std::unique_ptr<TablesWriter>(new TablesWriter(std::move(urls), std::move(titles),
                                                        TimesWriter(fs, directory + "/times.kith"),
                                                        std::move(bags)));
}

Status TablesWriter::add(const RunRecord& record, sketch::Bag bag) {
  KITH_TRY(surts_.add(record.surt));
  KITH_TRY(titles_.add(as_bytes(record.title), record.title.size()));
  KITH_TRY(times_.add(record.time));
  KITH_TRY(bags_.add(std::as_bytes(bag), bag.size()));
  facts_.push_back(record.facts);
  inlinks_.push_back(record.inlinks);
  empty_bags_ += bag.empty();
  return Status::ok();
}

Status TablesWriter::finish() {
  KITH_TRY(surts_.finish());
  KITH_TRY(urls_.write_array("surt_at", surts_.block_offsets()));
  KITH_TRY(urls_.write_array("facts", facts_));
  KITH_TRY(urls_.write_array("inlinks", inlinks_));
  KITH_TRY(urls_.finish());
  KITH_TRY(titles_.finish());
  KITH_TRY(times_.finish());
  return bags_.finish();
}

}  // namespace kith::bags
