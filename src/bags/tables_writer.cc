#include "bags/tables_writer.h"

#include <span>
#include <utility>

#include "bags/tables.h"

namespace kith::bags {

TablesWriter::TablesWriter(storage::SectionWriter urls, ItemsWriter titles, ItemsWriter bags)
    : urls_(std::move(urls)), surts_(urls_), titles_(std::move(titles)), bags_(std::move(bags)) {}

Result<std::unique_ptr<TablesWriter>> TablesWriter::create(storage::FileSystem& fs,
                                                           const std::string& directory) {
  KITH_ASSIGN(auto urls, storage::SectionWriter::create(fs, directory + "/urls.kith", urls_kind));
  KITH_TRY(urls.begin("surt"));
  KITH_ASSIGN(auto titles,
              ItemsWriter::create(fs, directory + "/titles.kith", titles_kind, "titles"));
  KITH_ASSIGN(auto bags, ItemsWriter::create(fs, directory + "/bags.kith", bags_kind, "entries"));
  return std::unique_ptr<TablesWriter>(
      new TablesWriter(std::move(urls), std::move(titles), std::move(bags)));
}

Status TablesWriter::add(const RunRecord& record, sketch::Bag bag) {
  KITH_TRY(surts_.add(record.surt));
  KITH_TRY(titles_.add(as_bytes(record.title), record.title.size()));
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
  return bags_.finish();
}

}  // namespace kith::bags
