#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "server/api.h"
#include "server/serve.h"

namespace kith::server {
namespace {

constexpr size_t most_hosts = 3;
// Members between which an answer names links: as many as a picture can show.
constexpr size_t most_drawn = 60;

Json hosts_json(const std::vector<HostShare>& hosts) {
  Json list = Json::array();
  for (const HostShare& host : hosts) {
    list.push_back({{"host", host.host}, {"pages", host.members}});
  }
  return list;
}

}  // namespace

Result<ClusterApi> ClusterApi::open(const std::string& directory) {
  KITH_ASSIGN(Run run, Run::open(directory));
  ClusterApi api(std::move(run));
  if (api.run_.report().topics.topics > 0) {
    KITH_ASSIGN(api.tree_, TopicTree::open(directory));
  }
  return api;
}

Result<ClusterApi::Found> ClusterApi::find(const Target& target, std::string_view parameter) const {
  KITH_ASSIGN(const std::string asked, Parameters(target).text(parameter));
  const Result<FoundUrl> any = run_.find_any(asked);
  // Where the run lies is nothing that a client should be told.
  if (!any && any.error().kind == ErrorKind::not_found) {
    return Error{ErrorKind::not_found, fmt::format("the run does not know {}", asked)};
  }
  KITH_TRY(any.status());
  const FoundUrl& found = *any;
  Found answer;
  answer.id = found.id;
  answer.json = {{"asked", asked}, {"found", found.url}, {"exact", found.exact}};
  return answer;
}

Result<uint32_t> ClusterApi::find_topic(std::string_view path) const {
  Result<uint32_t> found = tree_->find(path);
  if (!found && found.error().kind == ErrorKind::not_found) {
    return Error{ErrorKind::not_found, fmt::format("the run has no topic {}", path)};
  }
  return found;
}

Result<Json> ClusterApi::page_json(UrlId id) const {
  KITH_ASSIGN(const std::string url, run_.url(id));
  KITH_ASSIGN(const std::string_view title, run_.title(id));
  return Json{{"url", url}, {"title", title}};
}

Result<std::string> ClusterApi::topic_path(UrlId id) const {
  return tree_ ? tree_->path_of(id) : std::string();
}

// From the topics below the root down to the leaf of the page.
Result<Json> ClusterApi::topic_steps(UrlId id) const {
  Json steps = Json::array();
  if (!tree_) return steps;
  KITH_ASSIGN(const auto leaf, tree_->leaf_of(id));
  if (!leaf) return steps;
  for (uint32_t at = *leaf; at != 0; at = tree_->topic(at).parent) {
    KITH_ASSIGN(const auto label, written_label(run_, *tree_, at));
    steps.insert(steps.begin(), Json{{"path", tree_->path(at)}, {"label", label}});
  }
  return steps;
}

Result<Json> ClusterApi::related(const Target& target) const {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"url", "n", "per_site", "other_sites", "words", "run"}));
  constexpr uint64_t usual = 10;
  KITH_ASSIGN(const uint64_t n, parameters.number("n", usual, 1, most_rows));
  KITH_ASSIGN(const uint64_t per_site, parameters.number("per_site", 0, 0, most_rows));
  KITH_ASSIGN(const bool other_sites, parameters.flag("other_sites"));
  KITH_ASSIGN(const uint64_t words, parameters.number("words", 0, 0, 100));
  KITH_ASSIGN(Found asked, find(target, "url"));
  KITH_ASSIGN(const std::vector<Related> related,
              other_sites ? run_.related_on_other_sites(asked.id, n)
                          : run_.related_by_site(asked.id, n, per_site));
  Json rows = Json::array();
  for (const Related& page : related) {
    KITH_ASSIGN(Json row, page_json(page.id));
    row["similarity"] = page.similarity;
    KITH_ASSIGN(row["topic"], topic_path(page.id));
    if (words > 0) {
      KITH_ASSIGN(row["words"], run_.shared_words(asked.id, page.id, words));
    }
    rows.push_back(std::move(row));
  }
  KITH_ASSIGN(Json page, page_json(asked.id));
  KITH_ASSIGN(page["topic"], topic_path(asked.id));
  return Json{
      {"lookup", std::move(asked.json)}, {"page", std::move(page)}, {"related", std::move(rows)}};
}

Result<Json> ClusterApi::page(const Target& target) const {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"url", "terms", "run"}));
  constexpr uint64_t usual = 30;
  KITH_ASSIGN(const uint64_t terms, parameters.number("terms", usual, 0, most_rows));
  KITH_ASSIGN(Found asked, find(target, "url"));
  KITH_ASSIGN(Json page, page_json(asked.id));
  KITH_ASSIGN(page["fetched"], run_.fetched(asked.id));
  KITH_ASSIGN(const std::string date, run_.date(asked.id));
  if (!date.empty()) page["date"] = date;
  KITH_ASSIGN(page["language"], run_.language(asked.id));
  KITH_ASSIGN(page["inlinks"], run_.inlinks(asked.id));
  KITH_ASSIGN(page["similar_pages"], run_.degree(asked.id));
  KITH_ASSIGN(page["topics"], topic_steps(asked.id));
  KITH_ASSIGN(const uint64_t number, run_.cluster_of(asked.id));
  KITH_ASSIGN(page["cluster"], cluster_head(number));
  KITH_ASSIGN(const std::vector<TermWeight> bag, run_.bag(asked.id));
  page["terms"] = bag.size();
  Json heaviest = Json::array();
  for (const TermWeight& entry : std::span(bag).first(std::min<size_t>(bag.size(), terms))) {
    heaviest.push_back({{"term", entry.term}, {"word", entry.word}, {"weight", entry.weight}});
  }
  page["bag"] = std::move(heaviest);
  return Json{{"lookup", std::move(asked.json)}, {"page", std::move(page)}};
}

Result<Json> ClusterApi::cluster_head(uint64_t number) const {
  KITH_ASSIGN(const uint64_t size, run_.cluster_size(number));
  KITH_ASSIGN(const auto label, run_.cluster_label(number));
  return Json{{"number", number + 1}, {"size", size}, {"label", label}};
}

// The pairs of places of members of which one is in the list of the other.
Result<Json> ClusterApi::links_among(const std::vector<Related>& members) const {
  const size_t drawn = std::min(members.size(), most_drawn);
  std::vector<std::pair<UrlId, size_t>> places;
  for (size_t i = 0; i < drawn; ++i) places.emplace_back(members[i].id, i);
  std::ranges::sort(places);
  Json links = Json::array();
  for (size_t i = 0; i < drawn; ++i) {
    KITH_ASSIGN(const auto related, run_.related(members[i].id, most_rows));
    for (const Related& other : related) {
      const auto at =
          std::ranges::lower_bound(places, other.id, {}, &std::pair<UrlId, size_t>::first);
      if (at == places.end() || at->first != other.id) continue;
      links.push_back(Json::array({i, at->second, other.similarity}));
    }
  }
  return links;
}

Result<Json> ClusterApi::cluster(const Target& target) const {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"url", "number", "page", "size", "run"}));
  Json answer = Json::object();
  uint64_t number = 0;
  if (target.find("number") != nullptr) {
    if (target.find("url") != nullptr) {
      return Error{ErrorKind::usage, "url and number: give one of them"};
    }
    KITH_ASSIGN(number, parameters.number("number", 1, 1, std::max<uint64_t>(1, run_.clusters())));
    --number;
  } else {
    KITH_ASSIGN(Found asked, find(target, "url"));
    KITH_ASSIGN(number, run_.cluster_of(asked.id));
    answer["lookup"] = std::move(asked.json);
  }
  if (number >= run_.clusters()) return Error{ErrorKind::not_found, "the run has no clusters"};
  KITH_ASSIGN(const Cluster cluster, run_.cluster(number));
  KITH_ASSIGN(const Slice slice, slice_of(target, cluster.members.size()));
  Json members = Json::array();
  for (uint64_t i = slice.begin; i < slice.end; ++i) {
    KITH_ASSIGN(Json member, page_json(cluster.members[i].id));
    member["similarity"] = cluster.members[i].similarity;
    members.push_back(std::move(member));
  }
  KITH_ASSIGN(Json head, cluster_head(number));
  KITH_ASSIGN(head["center"], page_json(cluster.members.front().id));
  head["hosts"] = hosts_json(cluster.hosts);
  KITH_ASSIGN(head["links"], links_among(cluster.members));
  answer["cluster"] = std::move(head);
  answer["members"] = std::move(members);
  answer["list"] = slice.json();
  return answer;
}

Result<Json> ClusterApi::clusters(const Target& target) const {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"sort", "page", "size", "run"}));
  KITH_ASSIGN(const std::string sort, parameters.choice("sort", {"largest", "smallest"}));
  // Singles come last.
  const uint64_t clusters = run_.report().clusters.clusters;
  KITH_ASSIGN(const Slice slice, slice_of(target, clusters));
  Json rows = Json::array();
  for (uint64_t i = slice.begin; i < slice.end; ++i) {
    const uint64_t number = sort == "largest" ? i : clusters - 1 - i;
    KITH_ASSIGN(Json row, cluster_head(number));
    KITH_ASSIGN(const Cluster cluster, run_.cluster(number));
    row["hosts"] = hosts_json(cluster.hosts);
    KITH_ASSIGN(row["center"], page_json(cluster.members.front().id));
    rows.push_back(std::move(row));
  }
  return Json{{"clusters", std::move(rows)}, {"list", slice.json()}};
}

Result<Json> ClusterApi::topic_json(uint32_t number, bool with_pages) const {
  const Topic topic = tree_->topic(number);
  KITH_ASSIGN(const auto label, written_label(run_, *tree_, number));
  Json json{{"path", topic.path},
            {"label", label},
            {"pages", topic.pages},
            {"children", topic.children},
            {"cohesion", topic.cohesion}};
  if (topic.pages > 0) {
    KITH_ASSIGN(json["exemplar"], page_json(topic.exemplar));
  }
  if (with_pages) {
    KITH_ASSIGN(const auto pages, tree_->pages(number));
    KITH_ASSIGN(const auto hosts, main_hosts(run_, pages, most_hosts));
    json["hosts"] = hosts_json(hosts);
    KITH_ASSIGN(json["language"], main_language(run_, pages));
  }
  return json;
}

namespace {

Error no_topics() {
  return {ErrorKind::not_found,
          "the run has no topics; 'kith cluster' makes them unless --topics none or --neighbours 0 "
          "is given"};
}

}  // namespace

// A cut of the tree, or the topics of a level, without hosts and language: these take a look at
// every page.
Result<Json> ClusterApi::topics(const Target& target) const {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"depth", "n", "under", "run"}));
  if (!tree_) return no_topics();
  const std::string* const path = target.find("under");
  KITH_ASSIGN(const uint32_t under, find_topic(path == nullptr ? "" : *path));
  KITH_ASSIGN(const uint64_t depth, parameters.number("depth", 1, 1, 1000));
  KITH_ASSIGN(const uint64_t n, parameters.number("n", 0, 0, most_rows));
  std::vector<uint32_t> numbers =
      n > 0 ? tree_->cut(n, under) : tree_->level(static_cast<uint32_t>(depth), under);
  const bool is_whole = numbers.size() <= most_rows;
  numbers.resize(std::min<size_t>(numbers.size(), most_rows));
  Json rows = Json::array();
  for (const uint32_t number : numbers) {
    if (number == under) continue;  // a leaf
    KITH_ASSIGN(Json row, topic_json(number, false));
    rows.push_back(std::move(row));
  }
  return Json{{"topics", std::move(rows)}, {"complete", is_whole}};
}

Result<Json> ClusterApi::topic(std::string_view path, const Target& target) const {
  KITH_TRY(Parameters(target).check_names({"page", "size", "run"}));
  if (!tree_) return no_topics();
  KITH_ASSIGN(const uint32_t number, find_topic(path));
  KITH_ASSIGN(Json head, topic_json(number, true));
  Json parents = Json::array();
  for (uint32_t at = number; at != 0;) {
    at = tree_->topic(at).parent;
    if (at == 0) break;
    KITH_ASSIGN(const auto label, written_label(run_, *tree_, at));
    parents.insert(parents.begin(), Json{{"path", tree_->path(at)}, {"label", label}});
  }
  const Topic topic = tree_->topic(number);
  Json children = Json::array();
  for (uint32_t i = 0; i < topic.children; ++i) {
    KITH_ASSIGN(Json child, topic_json(topic.first_child + i, false));
    children.push_back(std::move(child));
  }
  KITH_ASSIGN(const std::span<const UrlId> pages, tree_->pages(number));
  KITH_ASSIGN(const Slice slice, slice_of(target, pages.size()));
  Json rows = Json::array();
  for (uint64_t i = slice.begin; i < slice.end; ++i) {
    KITH_ASSIGN(Json row, page_json(pages[i]));
    rows.push_back(std::move(row));
  }
  return Json{{"topic", std::move(head)},
              {"parents", std::move(parents)},
              {"children", std::move(children)},
              {"pages", std::move(rows)},
              {"list", slice.json()}};
}

Result<Json> ClusterApi::compare(const Target& target) const {
  KITH_TRY(Parameters(target).check_names({"a", "b", "run"}));
  KITH_ASSIGN(const Found a, find(target, "a"));
  KITH_ASSIGN(const Found b, find(target, "b"));
  KITH_ASSIGN(const BagComparison found, compare_bags(run_, a.id, b.id, {}));
  Json terms = Json::array();
  constexpr size_t most_terms = 200;
  for (const TermPair& term : found.terms) {
    if (terms.size() == most_terms) break;
    terms.push_back(
        {{"term", term.term}, {"word", term.word}, {"a", term.weight_a}, {"b", term.weight_b}});
  }
  Json estimates = Json::array();
  for (const SketchEstimate& of : found.estimates) {
    estimates.push_back({{"sketch", of.sketch},
                         {"measure", name(of.measure)},
                         {"exact", of.exact},
                         {"lower", of.lower},
                         {"value", of.value},
                         {"upper", of.upper}});
  }
  KITH_ASSIGN(Json page_a, page_json(a.id));
  KITH_ASSIGN(Json page_b, page_json(b.id));
  return Json{{"a", std::move(page_a)},
              {"b", std::move(page_b)},
              {"similarity", found.bag_similarity},
              {"cosine", found.cosine},
              {"distance", found.distance},
              {"terms", std::move(terms)},
              {"estimates", std::move(estimates)}};
}

Result<Json> ClusterApi::report() const {
  KITH_ASSIGN(Json distributions, distributions_of(run_));
  Report report = run_.report();
  // Where files lie no client is told; what was damaged at the time names them, too.
  for (StageReport& stage : report.stages) stage.damage.clear();
  report.options.output = file_name_of(report.options.output);
  hide_folders(report.options);
  for (SkippedRecord& record : report.crawl.examples) record.file = file_name_of(record.file);
  if (!report.options.within.empty()) report.options.within = file_name_of(report.options.within);
  return Json{{"report", Json::parse(to_json(report))},
              {"distributions", std::move(distributions)}};
}

}  // namespace kith::server
