#include "bags/aliases.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace kith::bags {
namespace {

constexpr size_t max_steps = 20;

// Where the chain from `from` ends, in `steps`, sorted by Alias::from and one for each URL; null
// when it does not end.
const Alias* last_step(std::span<const Alias> steps, const Alias& from) {
  const Alias* last = &from;
  for (size_t step = 0; step < max_steps; ++step) {
    const Key128 key = hash128(last->to);
    const auto next = std::ranges::lower_bound(steps, key, {}, &Alias::from);
    if (next == steps.end() || next->from != key) return last;
    last = &*next;
  }
  return nullptr;
}

}  // namespace

// A place in a vector that grows, and a string of its own.
void AliasMemory::add(const Alias& alias) {
  constexpr uint64_t bytes_of_string = 48;
  const uint64_t bytes = 3 * sizeof(Alias) / 2 + bytes_of_string + alias.to.size();
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
}

Status AliasMemory::status() const {
  if (bytes() <= memory_.bytes()) return Status::ok();
  return memory_.too_few(bytes(), fmt::format("{} aliases and more", count_.load()),
                         " for these, and with aliases = false none is needed");
}

uint64_t choose_aliases(std::vector<Alias>& aliases,
                        const std::function<bool(const Key128&)>& is_fetched) {
  const uint64_t fetched = std::erase_if(aliases, [&](const Alias& alias) {
    return alias.kind == AliasKind::redirect && is_fetched(alias.from);
  });
  std::ranges::sort(aliases, {}, [](const Alias& alias) {
    return std::tuple(alias.from, alias.kind, std::string_view(alias.to));
  });
  const auto same_from = [](const Alias& a, const Alias& b) { return a.from == b.from; };
  aliases.erase(std::unique(aliases.begin(), aliases.end(), same_from), aliases.end());
  return fetched;
}

AliasMap AliasMap::make(std::span<const Alias> aliases) {
  AliasMap map;
  for (const Alias& alias : aliases) {
    const Alias* const last = last_step(aliases, alias);
    if (last != nullptr) map.targets_[alias.from] = {hash128(last->to), last->to};
  }
  return map;
}

AliasReport AliasMap::counts() const {
  boost::unordered_flat_map<Key128, uint64_t, Key128Hash> folded_into;
  AliasReport counts;
  counts.folded = targets_.size();
  for (const auto& [from, target] : targets_) {
    const uint64_t folded = ++folded_into[target.key];
    const bool is_first = folded == counts.largest && target.url < counts.largest_target;
    if (folded <= counts.largest && !is_first) continue;
    counts.largest = folded;
    counts.largest_target = target.url;
  }
  counts.targets = folded_into.size();
  return counts;
}

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
