#include "kith/run.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <type_traits>

#include <fmt/format.h>

#include "answers/all_pairs.h"
#include "answers/subject_words.h"
#include "bags/aliases.h"
#include "bags/tables.h"
#include "base/budget.h"
#include "base/dates.h"
#include "evaluate/brute_force.h"
#include "jobs/cluster/cluster_stage.h"
#include "jobs/cluster/run_directory.h"
#include "jobs/paper/stages.h"
#include "run/guarded.h"
#include "run/index_files.h"
#include "run/memory_budget.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith {

struct Run::State {
  Report report;
  std::string directory;
  text::UrlRules url_rules;  // of the report
  bags::UrlTable urls;
  bags::AliasTable aliases;  // empty where none are folded
  bags::TitleTable titles;
  bags::TimeTable times;  // empty where no date is known
  bags::TermTable terms;
  bags::BagTable bags;
  run::Neighbours neighbours;   // none when the report says that pairs were skipped
  run::Neighbours smoothed;     // of runs with smoothed bags: related pages
  run::Neighbours other_sites;  // none unless the report says so
  run::Clusters clusters;

  mutable std::once_flag are_urls_read;
  mutable Status urls_status;

  Status open(const std::string& path);
  Status check_sizes() const;
  // Once is enough: what is mapped stays as it is.
  Status verify_urls() const {
    std::call_once(are_urls_read, [this] { urls_status = urls.verify(); });
    return urls_status;
  }
  Status add_hosts(Cluster& cluster) const;
  bool has_other_sites() const { return !report.pairs.skipped && report.pairs.has_other_sites(); }
  bool is_smoothed() const {
    return !report.pairs.skipped && related_of(report.options) == RelatedPages::smoothed;
  }
  Result<std::vector<Related>> first_by_smoothed_bags(const run::Neighbours& lists, UrlId id,
                                                      size_t n) const;
  void release() const;
};

Status Run::State::open(const std::string& path) {
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const auto run, jobs::RunDirectory::open(fs, path));
  directory = path;
  report = run.report();
  url_rules = text::UrlRules::of_valid(report.options.url_rules);
  KITH_ASSIGN(urls, bags::UrlTable::open(fs, run.file(run::urls_file)));
  // What was made must be there: one that is missing would only look like less.
  const run::Checksums made = run.checksums("bags");
  const auto is_there = [&](std::string_view file) {
    return made.contains(file) || fs.exists(run.file(file));
  };
  if (is_there(run::aliases_file)) {
    KITH_ASSIGN(aliases, bags::AliasTable::open(fs, run.file(run::aliases_file)));
  }
  KITH_ASSIGN(titles, bags::TitleTable::open(fs, run.file(run::titles_file)));
  if (is_there(run::times_file)) {
    KITH_ASSIGN(times, bags::TimeTable::open(fs, run.file(run::times_file)));
  }
  KITH_ASSIGN(terms, bags::TermTable::open(fs, run.file(run::terms_file)));
  KITH_ASSIGN(bags, bags::BagTable::open_for_lookup(fs, run.file(run::bags_file)));
  if (!report.pairs.skipped) {
    KITH_ASSIGN(neighbours, run::Neighbours::open_for_lookup(fs, run.file(run::neighbours_file)));
  }
  if (is_smoothed()) {
    KITH_ASSIGN(smoothed, run::Neighbours::open_for_lookup(fs, run.file(run::smoothed_file)));
  }
  if (has_other_sites()) {
    KITH_ASSIGN(other_sites, run::Neighbours::open_for_lookup(
                                 fs, run.file(is_smoothed() ? run::smoothed_sites_file
                                                            : run::other_sites_file)));
  }
  KITH_ASSIGN(clusters, run::Clusters::open_for_lookup(fs, run.file(run::clusters_file)));
  return check_sizes();
}

// Files that are sound each for itself may still come from different runs.
Status Run::State::check_sizes() const {
  const uint64_t n = urls.size();
  if (titles.size() == n && bags.bags().size() == n && clusters.urls() == n &&
      (times.size() == 0 || times.size() == n) &&
      (report.pairs.skipped || neighbours.size() == n) &&
      (!is_smoothed() || smoothed.size() == n) && (!has_other_sites() || other_sites.size() == n)) {
    return Status::ok();
  }
  return Error{ErrorKind::corrupt,
               fmt::format("{}: its files come from different runs; remove the folder and run the "
                           "'kith cluster' command again",
                           directory)};
}

Status Run::State::add_hosts(Cluster& cluster) const {
  std::vector<uint32_t> hosts;
  for (const Related& member : cluster.members) hosts.push_back(clusters.host_of(member.id));
  std::ranges::sort(hosts);
  for (auto at = hosts.begin(); at != hosts.end();) {
    const auto next = std::upper_bound(at, hosts.end(), *at);
    const auto here = static_cast<uint64_t>(next - at);
    if (here * 10 >= hosts.size()) {
      const uint32_t url = clusters.first_url(*at);
      KITH_TRY(urls.check(url));
      cluster.hosts.push_back({std::string(text::host_of(urls.url(url))), here});
    }
    at = next;
  }
  std::ranges::stable_sort(cluster.hosts, std::greater(), &HostShare::members);
  return Status::ok();
}

Run::Run(std::unique_ptr<State> state) : state_(std::move(state)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

Result<Run> Run::open(const std::string& directory) {
  return run::guarded([&]() -> Result<Run> {
    auto state = std::make_unique<State>();
    KITH_TRY(state->open(directory));
    return Run(std::move(state));
  });
}

const Report& Run::report() const {
  return state_->report;
}
UrlId Run::urls() const {
  return state_->urls.size();
}
Result<std::string> Run::url(UrlId id) const {
  KITH_TRY(state_->urls.check(id));
  return state_->urls.url(id);
}
Result<std::string_view> Run::title(UrlId id) const {
  KITH_TRY(state_->titles.check(id));
  return state_->titles[id];
}
Result<bool> Run::fetched(UrlId id) const {
  KITH_TRY(state_->urls.check(id));
  return state_->urls.fetched(id);
}
Result<std::string_view> Run::language(UrlId id) const {
  KITH_TRY(state_->urls.check(id));
  const auto page = state_->urls.page(id);
  return page ? text::language_tag(page->language) : std::string_view();
}
Result<std::string> Run::date(UrlId id) const {
  if (state_->times.size() == 0) return std::string();
  KITH_TRY(state_->times.check(id));
  return date_text(state_->times[id]);
}
Result<uint32_t> Run::inlinks(UrlId id) const {
  KITH_TRY(state_->urls.check(id));
  return state_->urls.inlinks()[id];
}
Result<uint32_t> Run::degree(UrlId id) const {
  if (state_->report.pairs.skipped) return 0;
  KITH_TRY(state_->neighbours.check(id));
  return state_->neighbours.degree(id);
}

uint32_t Run::terms() const {
  return state_->terms.size();
}
Result<std::string_view> Run::term(uint32_t number) const {
  if (number >= terms()) {
    return Error{ErrorKind::usage,
                 fmt::format("term {}: the run has only {} terms", number, terms())};
  }
  KITH_TRY(state_->terms.check(number));
  return state_->terms.stem(number);
}

Result<UrlId> Run::find(std::string_view url) const {
  text::Url canonical;
  const bool is_known = text::parse_url_or_name(url, canonical);
  KITH_TRY(state_->urls.check_size());
  // Names come before all URLs.
  if (state_->urls.size() > 0) KITH_TRY(state_->urls.check(0));
  const bool has_names = state_->urls.size() > 0 && text::host_of(state_->urls.url(0)).empty();
  if (!is_known || (canonical.host().empty() && !has_names)) {
    return Error{ErrorKind::usage,
                 fmt::format("'{}' is no http or https URL; write it in full, as in "
                             "https://example.org/page",
                             url)};
  }
  state_->url_rules.apply(canonical);
  if (const auto id = state_->urls.find(canonical.href)) {
    KITH_TRY(state_->urls.check(*id));
    return *id;
  }
  if (state_->aliases.size() > 0) KITH_TRY(state_->aliases.verify());
  if (const auto id = state_->aliases.find(canonical.href); id && *id < state_->urls.size()) {
    KITH_TRY(state_->urls.check(*id));
    return *id;
  }
  // Damage may have led the search astray.
  KITH_TRY(state_->verify_urls());
  return Error{ErrorKind::not_found,
               fmt::format("{}: the run does not know {}; 'kith clusters {}' lists the URLs it has",
                           state_->directory, canonical.href, state_->directory)};
}

// The URLs of a host are one range, whose key ends with the TAB behind the host.
Result<std::vector<UrlId>> Run::with_prefix(std::string_view prefix, size_t n) const {
  const bool has_scheme = prefix.find("://") != std::string_view::npos;
  text::Url url;
  if (!text::parse_url(has_scheme ? std::string(prefix) : "https://" + std::string(prefix), nullptr,
                       url)) {
    return std::vector<UrlId>();
  }
  std::string key;
  text::surt_of_url(url.href, key);
  while (key.ends_with(' ')) key.pop_back();  // the sign of http
  const size_t host = prefix.find("://") == std::string_view::npos ? 0 : prefix.find("://") + 3;
  if (prefix.find('/', host) == std::string_view::npos) key.resize(key.find('\t') + 1);
  KITH_TRY(state_->urls.check_size());
  const auto [begin, end] = state_->urls.with_key_prefix(key);
  std::vector<UrlId> ids;
  const std::string_view scheme = has_scheme ? prefix.substr(0, host) : "";
  for (UrlId id = begin; id < end && ids.size() < n; ++id) {
    KITH_TRY(state_->urls.check(id));
    if (state_->urls.url(id).starts_with(scheme)) ids.push_back(id);
  }
  return ids;
}

uint64_t Run::hosts() const {
  return state_->clusters.hosts();
}

Result<Host> Run::host(uint64_t number) const {
  const run::Clusters& clusters = state_->clusters;
  const auto at = static_cast<uint32_t>(number);
  KITH_TRY(clusters.check_first_url(at));
  Host host;
  host.begin = clusters.first_url(at);
  host.end = number + 1 < hosts() ? clusters.first_url(at + 1) : urls();
  if (host.begin >= urls() || host.end > urls()) {
    KITH_TRY(clusters.verify());
  }
  KITH_ASSIGN(const std::string first, url(host.begin));
  host.name = text::host_of(first);
  return host;
}

uint64_t Run::clusters() const {
  return state_->clusters.size();
}

Result<Cluster> Run::cluster(uint64_t number) const {
  const run::Clusters& clusters = state_->clusters;
  KITH_TRY(clusters.check(number));
  Cluster cluster;
  for (const uint32_t id : clusters.members(number)) {
    cluster.members.push_back({id, sketch::similarity_of(clusters.sum_of_minima(id))});
  }
  KITH_ASSIGN(cluster.label, cluster_label(number));
  KITH_TRY(state_->add_hosts(cluster));
  return cluster;
}

Result<std::vector<std::string>> Run::cluster_label(uint64_t number) const {
  KITH_TRY(state_->clusters.check_label(number));
  std::vector<std::string> label;
  for (const uint32_t term : state_->clusters.label(number)) {
    if (term >= state_->terms.size()) continue;
    KITH_TRY(state_->terms.check(term));
    // Stemmers of several languages may have made several terms of a word.
    const std::string_view word = state_->terms.surface(term);
    if (!jobs::may_be_label(word)) continue;
    if (std::ranges::find(label, word) == label.end()) label.emplace_back(word);
  }
  if (state_->clusters.label(number).empty()) return label;
  KITH_TRY(state_->clusters.check(number));
  const std::span<const UrlId> members = state_->clusters.members(number);
  KITH_ASSIGN(const std::string center, url(members.front()));
  return answers::written_label(*this, std::move(label), members, {}, text::host_of(center));
}

Result<uint64_t> Run::cluster_size(uint64_t number) const {
  KITH_TRY(state_->clusters.check_size(number));
  return state_->clusters.members(number).size();
}

Result<uint64_t> Run::cluster_of(UrlId id) const {
  const run::Clusters& clusters = state_->clusters;
  KITH_TRY(clusters.check_url(id));
  const uint64_t number = clusters.cluster_of_center(clusters.center_of(id));
  if (number < clusters.size()) return number;
  // Only damage leads the search astray.
  KITH_TRY(clusters.verify());
  return Error{ErrorKind::corrupt, fmt::format("{}: a URL without a cluster", state_->directory)};
}

namespace {

Result<std::vector<Related>> first_of(const run::Neighbours& neighbours, UrlId id, size_t n) {
  KITH_TRY(neighbours.check(id));
  std::vector<Related> related;
  for (const similar::Neighbour& entry : neighbours[id]) {
    if (related.size() == n) break;
    related.push_back({entry.id, sketch::similarity_of(entry.sum_of_minima)});
  }
  return related;
}

}  // namespace

// In the order of smoothed bags, with the similarity of the own ones; what has no word in common
// with the URL is left out.
Result<std::vector<Related>> Run::State::first_by_smoothed_bags(const run::Neighbours& lists,
                                                                UrlId id, size_t n) const {
  KITH_TRY(lists.check(id));
  KITH_TRY(bags.check(id));
  std::vector<Related> related;
  for (const similar::Neighbour& entry : lists[id]) {
    if (related.size() == n) break;
    KITH_TRY(bags.check(entry.id));
    const double similarity = kith::sketch::similarity(bags.bags()[id], bags.bags()[entry.id]);
    if (similarity > 0) related.push_back({entry.id, similarity});
  }
  return related;
}

Result<std::vector<Related>> Run::related(UrlId id, size_t n) const {
  if (state_->report.pairs.skipped) return std::vector<Related>();
  if (state_->is_smoothed()) return state_->first_by_smoothed_bags(state_->smoothed, id, n);
  return first_of(state_->neighbours, id, n);
}

Result<std::vector<Related>> Run::related_by_scan(UrlId id, size_t n, unsigned threads) const {
  return run::guarded([&]() -> Result<std::vector<Related>> {
    ThreadPool pool(threads);
    KITH_TRY(state_->bags.verify());
    KITH_TRY(state_->bags.check_entries(state_->terms.size(), pool));
    const uint32_t queries[] = {id};
    const auto truth =
        evaluate::brute_force(state_->bags.bags(), queries,
                              {.top = static_cast<uint32_t>(std::min<size_t>(n, urls()))}, pool);
    std::vector<Related> related;
    for (const similar::Neighbour& entry : truth.queries.front().nearest) {
      related.push_back({entry.id, sketch::similarity_of(entry.sum_of_minima)});
    }
    return related;
  });
}

Result<std::vector<Related>> Run::related_on_other_sites(UrlId id, size_t n) const {
  if (!state_->has_other_sites()) return std::vector<Related>();
  if (state_->is_smoothed()) {
    return state_->first_by_smoothed_bags(state_->other_sites, id, n);
  }
  return first_of(state_->other_sites, id, n);
}

Result<std::vector<TermWeight>> Run::bag(UrlId id) const {
  KITH_TRY(state_->bags.check(id));
  std::vector<TermWeight> weights;
  for (const sketch::BagEntry& entry : state_->bags.bags()[id]) {
    if (entry.term >= state_->terms.size()) continue;
    KITH_TRY(state_->terms.check(entry.term));
    weights.push_back({std::string(state_->terms.stem(entry.term)),
                       static_cast<double>(entry.weight) / sketch::weight_one,
                       std::string(state_->terms.surface(entry.term))});
  }
  std::ranges::sort(weights, [](const TermWeight& a, const TermWeight& b) {
    return std::tie(b.weight, a.term) < std::tie(a.weight, b.term);
  });
  return weights;
}

Result<std::vector<std::string>> Run::shared_words(UrlId a, UrlId b, size_t n) const {
  KITH_TRY(state_->bags.check(a));
  KITH_TRY(state_->bags.check(b));
  struct Shared {
    uint32_t weight;
    std::string_view stem;
    std::string_view surface;
  };
  std::vector<Shared> shared;
  const sketch::Bag other = state_->bags.bags()[b];
  for (const sketch::BagEntry& entry : state_->bags.bags()[a]) {
    const auto same = std::ranges::lower_bound(other, entry.term, {}, &sketch::BagEntry::term);
    if (same == other.end() || same->term != entry.term || entry.term >= state_->terms.size()) {
      continue;
    }
    KITH_TRY(state_->terms.check(entry.term));
    shared.push_back({std::min(entry.weight, same->weight), state_->terms.stem(entry.term),
                      state_->terms.surface(entry.term)});
  }
  std::ranges::sort(shared, [](const Shared& x, const Shared& y) {
    return std::tie(y.weight, x.stem) < std::tie(x.weight, y.stem);
  });
  std::vector<std::string> words;
  for (const Shared& word : shared) {
    if (words.size() == n) break;
    words.emplace_back(word.surface);
  }
  return words;
}

namespace {

// Entries of two numbers each, as these numbers.
template <class Entry>
std::span<const uint32_t> numbers_of(std::span<const Entry> entries) {
  static_assert(sizeof(Entry) == 2 * sizeof(uint32_t) && std::is_standard_layout_v<Entry>);
  return {reinterpret_cast<const uint32_t*>(entries.data()), 2 * entries.size()};
}

}  // namespace

Result<RunColumns> Run::columns() const {
  const State& run = *state_;
  KITH_TRY(run.urls.verify());
  KITH_TRY(run.clusters.verify());
  KITH_TRY(run.bags.verify());
  KITH_TRY(run.terms.verify());
  RunColumns columns;
  columns.fetched = run.urls.facts();
  columns.inlinks = run.urls.inlinks();
  if (run.times.size() > 0) KITH_TRY(run.times.verify());
  columns.times = run.times.times();
  const run::ClusterArrays& clusters = run.clusters.arrays();
  columns.center = clusters.center;
  columns.center_sum = clusters.sum_of_minima;
  columns.cluster_offsets = clusters.members_at;
  columns.cluster_members = clusters.members;
  columns.bag_offsets = run.bags.bags().offsets();
  columns.bag_entries = numbers_of(run.bags.bags().entries());
  columns.term_frequency = run.terms.document_frequency();
  if (!run.report.pairs.skipped) {
    KITH_TRY(run.neighbours.verify());
    columns.degree = run.neighbours.degrees();
    columns.related_offsets = run.neighbours.offsets();
    columns.related = numbers_of(run.neighbours.entries());
  }
  if (run.has_other_sites()) {
    KITH_TRY(run.other_sites.verify());
    columns.other_sites_offsets = run.other_sites.offsets();
    columns.other_sites = numbers_of(run.other_sites.entries());
  }
  return columns;
}

// What is mapped and was looked at, and is not needed while pairs are computed.
void Run::State::release() const {
  urls.release();
  titles.release();
  if (!report.pairs.skipped) neighbours.release();
  if (is_smoothed()) smoothed.release();
  if (has_other_sites()) other_sites.release();
  clusters.release();
}

Status Run::for_each_pair(const PairOptions& options,
                          const std::function<bool(const SimilarPair&)>& take) const {
  return run::guarded([&]() -> Status {
    KITH_TRY(validate(options));
    const Budget memory = run::memory_or_default(options.memory);
    const sketch::BagCollection& bags = state_->bags.bags();
    KITH_TRY(run::check_memory(memory, bags.size(), "URLs"));
    state_->release();
    ThreadPool pool(options.threads);
    KITH_TRY(state_->bags.verify());
    KITH_TRY(state_->bags.check_entries(state_->terms.size(), pool));
    storage::FileSystem& fs = storage::posix_file_system();
    const auto file = [&](std::string_view name) {
      return state_->directory + "/" + std::string(name);
    };
    if (state_->report.engine.engine == EngineChoice::paper) {
      return jobs::for_each_paper_pair(fs, file(run::pairs_file), bags, pool, take);
    }
    return answers::for_each_pair(bags, state_->report, file(run::signatures_file),
                                  {fs, options.scratch, memory, pool}, take);
  });
}

Status Run::verify() const {
  return run::guarded([&]() -> Status {
    KITH_ASSIGN(const auto run,
                jobs::RunDirectory::open(storage::posix_file_system(), state_->directory));
    KITH_TRY(run.verify_manifest());
    for (const std::string& stage : run.stages()) KITH_TRY(run.verify(stage));
    return Status::ok();
  });
}

}  // namespace kith
