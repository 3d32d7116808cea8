#include "jobs/passages/listed.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "base/bytes.h"

namespace kith::jobs {
namespace {

constexpr size_t longest_text = 4000;     // bytes of a passage in the list
constexpr size_t most_known = 1'000'000;  // units of the texts of passages
constexpr size_t most_hosts = 3;          // that are named

}  // namespace

// Of one passage.
struct PassageList::Counts {
  struct Host {
    uint64_t documents;
    uint32_t example;  // one of its documents
  };

  uint64_t documents = 0;
  uint64_t occurrences = 0;
  uint64_t hosts = 0;
  std::vector<Host> most;  // most documents first
  std::array<uint64_t, static_cast<size_t>(text::Language::other) + 1> languages{};

  void end_host(const Host& host) {
    ++hosts;
    const auto place = std::ranges::find_if(
        most, [&](const Host& other) { return other.documents < host.documents; });
    most.insert(place, host);
    if (most.size() > most_hosts) most.pop_back();
  }
};

PassageList::PassageList(const PassageInput& input, const PassageResources& resources)
    : input_(input),
      places_(resources.fs, resources.pool,
              sort_options(resources, "hosts", Share::passage_hosts, resources.pool.size())) {}

Result<PassageList::Entry> PassageList::read(const ListedPassage& passage, PassageUnits& units,
                                             std::string& buffer) {
  KITH_ASSIGN(const PassageText text,
              input_.texts->read(input_.texts->of_rank(passage.rank), buffer));
  uint64_t unit = 0;
  std::optional<PassageKey> first;
  std::vector<uint64_t> around;
  const auto note = [&](const PassageKey& key) {
    if (unit == passage.begin) first = key;
    if (unit - passage.text_begin < passage.text_units) around.push_back(key.key);
    ++unit;
  };
  const uint64_t end = uint64_t{passage.text_begin} + passage.text_units + units.width() - 1;
  const std::vector<ByteRange> places = units.find(text.text, {{passage.text_begin, end}}, note);
  if (!first || places.empty()) {
    return Error{ErrorKind::corrupt, "a temporary file of the run was changed while it ran"};
  }
  if (known_.contains(first->key)) return Entry();
  if (known_.size() + around.size() <= most_known) known_.insert(around.begin(), around.end());
  const std::string_view whole =
      trim(text.text.substr(places[0].begin, places[0].end - places[0].begin));
  return Entry{{first->key, first->check},
               std::string(cut_utf8(whole, longest_text)),
               std::string(text.name)};
}

Result<std::unique_ptr<PassageList>> PassageList::create(std::span<const ListedPassage> passages,
                                                         const PassageInput& input,
                                                         const PassageOptions& options,
                                                         const PassageResources& resources) {
  std::unique_ptr<PassageList> list(new PassageList(input, resources));
  PassageUnits units(options);
  std::string buffer;
  for (const ListedPassage& passage : passages) {
    if (list->entries_.size() == options.examples) break;
    KITH_ASSIGN(Entry entry, list->read(passage, units, buffer));
    const auto number = static_cast<uint32_t>(list->entries_.size());
    if (entry.example.empty() || !list->numbers_.emplace(entry.first, number).second) continue;
    list->entries_.push_back(std::move(entry));
  }
  return list;
}

PassageList::Counter::Counter(PassageList& list, const PassageText& text,
                              std::span<const PassageRun> runs, text::Language language,
                              unsigned worker)
    : list_(list),
      runs_(runs),
      host_(list.input_.texts->host(text.document)),
      id_(place_key(text.document, static_cast<uint32_t>(language))),
      worker_(worker) {}

void PassageList::Counter::count(const PassageKey& key) {
  const auto found = list_.numbers_.find({key.key, key.check});
  if (found == list_.numbers_.end() || !status_) return;
  status_ = list_.places_.append({uint64_t{found->second} << 32 | host_, id_}, worker_);
}

std::vector<RowColumn> PassageList::columns() {
  using enum RowColumn::Type;
  return {{"passage", RowColumn::Type::count},
          {"documents", RowColumn::Type::count},
          {"occurrences", RowColumn::Type::count},
          {"hosts", RowColumn::Type::count},
          {"most_on", words},
          {"languages", words},
          {"example", text},
          {"text", text}};
}

Status PassageList::write_row(ListWriter& list, uint64_t number, const Entry& entry,
                              const Counts& counts) {
  std::vector<std::string> hosts;
  std::string buffer;
  for (const Counts::Host& host : counts.most) {
    KITH_ASSIGN(const PassageText text, input_.texts->read(host.example, buffer));
    hosts.push_back(fmt::format("{}:{}", host_of_name(text.name), host.documents));
  }
  std::vector<std::pair<uint64_t, std::string>> tags;
  for (size_t i = 0; i < counts.languages.size(); ++i) {
    if (counts.languages[i] == 0) continue;
    const auto language = static_cast<text::Language>(i);
    tags.emplace_back(counts.languages[i], text::language_tag(language));
  }
  std::ranges::sort(tags, [](const auto& a, const auto& b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  std::vector<std::string> languages;
  languages.reserve(tags.size());
  for (const auto& [documents, tag] : tags)
    languages.push_back(fmt::format("{}:{}", tag, documents));
  return list.row({number, counts.documents, counts.occurrences, counts.hosts,
                   std::span<const std::string>(hosts), std::span<const std::string>(languages),
                   std::string_view(entry.example), std::string_view(entry.text)});
}

Status PassageList::write(ListWriter& list) {
  KITH_ASSIGN(storage::WideSortedRecords sorted, places_.finish());
  std::vector<Counts> all(entries_.size());
  WideKeyId last{UINT64_MAX, UINT64_MAX};
  Counts::Host host{0, 0};
  const auto end_host = [&] {
    if (last.key != UINT64_MAX && static_cast<uint32_t>(last.key) != 0) {
      all[last.key >> 32].end_host(host);
    }
    host.documents = 0;
  };
  for (;;) {
    KITH_ASSIGN(const std::span<const WideKeyId> block, sorted.next());
    if (block.empty()) break;
    for (const WideKeyId& record : block) {
      if (record.key != last.key) end_host();
      Counts& counts = all[record.key >> 32];
      ++counts.occurrences;
      if (record != last) {
        host.example = static_cast<uint32_t>(record.id >> 32);
        ++host.documents;
        ++counts.documents;
        ++counts.languages[static_cast<uint32_t>(record.id)];
      }
      last = record;
    }
  }
  end_host();
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return std::tuple(all[b].documents, all[b].occurrences, std::string_view(entries_[a].text)) <
           std::tuple(all[a].documents, all[a].occurrences, std::string_view(entries_[b].text));
  });
  uint64_t number = 0;
  for (const size_t i : order) KITH_TRY(write_row(list, ++number, entries_[i], all[i]));
  return Status::ok();
}

}  // namespace kith::jobs
