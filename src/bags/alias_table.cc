#include "bags/alias_table.h"

#include <algorithm>
#include <vector>

namespace kith::bags {
namespace {

constexpr std::string_view keys_section = "keys";
constexpr std::string_view targets_section = "targets";

}  // namespace

Result<AliasTable> AliasTable::open(storage::FileSystem& fs, const std::string& path) {
  AliasTable table;
  KITH_ASSIGN(table.file_, storage::SectionFile::open(fs, path, aliases_kind));
  KITH_ASSIGN(table.keys_, table.file_.array<Key128>(keys_section));
  KITH_ASSIGN(table.targets_, table.file_.array<uint32_t>(targets_section));
  if (table.keys_.size() == table.targets_.size()) return table;
  return table.file_.corrupt("has not a target for every alias");
}

Result<AliasTable> AliasTable::open_if_there(storage::FileSystem& fs, const std::string& path) {
  if (!fs.exists(path)) return AliasTable();
  KITH_ASSIGN(auto table, open(fs, path));
  KITH_TRY(table.verify());
  return table;
}

std::optional<uint32_t> AliasTable::find(std::string_view canonical_url) const {
  const Key128 key = hash128(canonical_url);
  const auto found = std::ranges::lower_bound(keys_, key);
  if (found == keys_.end() || *found != key) return std::nullopt;
  return targets_[static_cast<size_t>(found - keys_.begin())];
}

Status write_alias_table(storage::FileSystem& fs, const std::string& path, const AliasMap& aliases,
                         const UrlTable& urls) {
  struct Row {
    Key128 key;
    uint32_t target;
  };
  std::vector<Row> rows;
  aliases.for_each([&](const Key128& from, const AliasMap::Target& target) {
    if (const auto id = urls.find(target.url)) rows.push_back({from, *id});
  });
  std::ranges::sort(rows, {}, &Row::key);
  std::vector<Key128> keys(rows.size());
  std::vector<uint32_t> targets(rows.size());
  std::ranges::transform(rows, keys.begin(), &Row::key);
  std::ranges::transform(rows, targets.begin(), &Row::target);
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, aliases_kind));
  KITH_TRY(file.write_array(std::string(keys_section), keys));
  KITH_TRY(file.write_array(std::string(targets_section), targets));
  return file.finish();
}

}  // namespace kith::bags
