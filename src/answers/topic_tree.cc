// kith::main_hosts and main_language: where the pages of a topic stand, and what they are written
// in.
#include <algorithm>
#include <charconv>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "kith/topics.h"

#include "answers/subject_words.h"
#include "bags/tables.h"
#include "jobs/cluster/run_directory.h"
#include "run/guarded.h"
#include "text/url/url.h"
#include "topics/topic_file.h"

namespace kith {
namespace {

Result<std::string> host_of(const Run& run, UrlId id) {
  KITH_ASSIGN(const std::string url, run.url(id));
  return std::string(text::host_of(url));
}

// Behind `begin` the first of the ascending ids on another host: pages of a host have ids that
// stand together, so that few URLs need be read.
Result<size_t> end_of_host(const Run& run, std::span<const UrlId> ids, size_t begin,
                           const std::string& host) {
  size_t inside = begin;  // known to be on the host
  size_t step = 1;
  size_t outside = ids.size();
  while (inside + 1 < outside) {
    const size_t probe = std::min(inside + step, outside - 1);
    KITH_ASSIGN(const std::string other, host_of(run, ids[probe]));
    if (other == host) {
      inside = probe;
      step *= 2;
    } else {
      outside = probe;
      step = 1;
    }
  }
  return outside;
}

}  // namespace

Result<std::vector<HostShare>> main_hosts(const Run& run, std::span<const UrlId> pages,
                                          size_t most) {
  std::vector<UrlId> ids(pages.begin(), pages.end());
  std::ranges::sort(ids);
  std::vector<HostShare> hosts;
  for (size_t begin = 0; begin < ids.size();) {
    KITH_ASSIGN(std::string host, host_of(run, ids[begin]));
    KITH_ASSIGN(const size_t end, end_of_host(run, ids, begin, host));
    hosts.push_back({std::move(host), end - begin});
    begin = end;
  }
  std::ranges::sort(hosts, [](const HostShare& a, const HostShare& b) {
    return std::tie(b.members, a.host) < std::tie(a.members, b.host);
  });
  hosts.resize(std::min(hosts.size(), most));
  return hosts;
}

Result<std::string> main_language(const Run& run, std::span<const UrlId> pages) {
  std::map<std::string_view, uint64_t> counts;
  for (const UrlId id : pages) {
    KITH_ASSIGN(const std::string_view language, run.language(id));
    if (!language.empty()) ++counts[language];
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? std::string() : std::string(most->first);
}

// kith::TopicTree: the topics of a finished run.
struct TopicTree::State {
  std::string directory;
  topics::TopicFile file;
  std::vector<std::string> words;     // of all labels
  std::vector<uint64_t> words_at{0};  // by topic
  std::vector<uint32_t> depths;       // by topic

  Status open(const std::string& path);
  Status read_words(const bags::TermTable& terms);
  void in_path_order(std::vector<uint32_t>& numbers) const;
};

namespace {

// The first smaller graph that fits the memory of the run.
std::string smaller_graph(const Report& report, const std::string& path) {
  for (const auto& [graph, needed] :
       {std::pair(TopicGraph::mutual, report.topics.mutual_memory),
        std::pair(TopicGraph::clusters, report.topics.clusters_memory)}) {
    if (graph == report.options.topics || needed == 0 || needed > report.memory) continue;
    return fmt::format(
        ", and 'kith cluster {} -o OTHER --topics {}' makes a run with topics "
        "of a smaller graph",
        path, name(graph));
  }
  return "";
}

Error no_topics(const Report& report, const std::string& path) {
  if (report.topics.missing_memory > 0) {
    return {ErrorKind::usage,
            fmt::format("{}: has no topics, since they need {} bytes of memory; the same 'kith "
                        "cluster' command with --memory {}M makes them{}",
                        path, report.topics.missing_memory,
                        (report.topics.missing_memory >> 20) + 1, smaller_graph(report, path))};
  }
  return {ErrorKind::usage,
          fmt::format("{0}: has no topics, as it was made {1}; 'kith cluster {0} -o OTHER' makes a "
                      "run of its bags that has",
                      path,
                      report.options.neighbours == 0                 ? "with neighbours = 0"
                      : report.options.engine == EngineChoice::paper ? "by the paper's pipeline"
                                                                     : "with topics = none")};
}

}  // namespace

Status TopicTree::State::open(const std::string& path) {
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const auto run, jobs::RunDirectory::open(fs, path));
  if (!run.has("topics")) return no_topics(run.report(), path);
  directory = path;
  KITH_ASSIGN(file, topics::TopicFile::open_for_lookup(fs, run.file(run::topics_file)));
  KITH_TRY(file.check());
  KITH_ASSIGN(const auto terms, bags::TermTable::open(fs, run.file(run::terms_file)));
  KITH_ASSIGN(const auto urls, bags::UrlTable::open(fs, run.file(run::urls_file)));
  if (file.urls() != urls.size()) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: its files come from different runs; remove the folder and run "
                             "the 'kith cluster' command again",
                             path)};
  }
  for (uint32_t topic = 0; topic < file.size(); ++topic) {
    depths.push_back(topic == 0 ? 0 : depths[file[topic].parent] + 1);
  }
  return read_words(terms);
}

Status TopicTree::State::read_words(const bags::TermTable& terms) {
  for (uint32_t topic = 0; topic < file.size(); ++topic) {
    for (const uint32_t term : file.labels(topic)) {
      if (term >= terms.size()) continue;
      KITH_TRY(terms.check(term));
      // Stems of several languages may be shown as the same word.
      const std::span label = std::span(words).subspan(words_at.back());
      const std::string_view word = terms.surface(term);
      if (std::ranges::find(label, word) == label.end()) words.emplace_back(word);
    }
    words_at.push_back(words.size());
  }
  return Status::ok();
}

// Pages stand in the order of paths.
void TopicTree::State::in_path_order(std::vector<uint32_t>& numbers) const {
  std::ranges::sort(numbers, {},
                    [this](uint32_t number) { return std::pair(file[number].begin, number); });
}

TopicTree::TopicTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
TopicTree::~TopicTree() = default;
TopicTree::TopicTree(TopicTree&&) noexcept = default;
TopicTree& TopicTree::operator=(TopicTree&&) noexcept = default;

Result<TopicTree> TopicTree::open(const std::string& directory) {
  return run::guarded([&]() -> Result<TopicTree> {
    auto state = std::make_unique<State>();
    KITH_TRY(state->open(directory));
    return TopicTree(std::move(state));
  });
}

uint32_t TopicTree::topics() const {
  return state_->file.size();
}

std::string TopicTree::path(uint32_t number) const {
  std::vector<uint32_t> places;
  const topics::TopicFile& file = state_->file;
  for (; number != 0; number = file[number].parent) {
    places.push_back(number - file[file[number].parent].first_child + 1);
  }
  std::ranges::reverse(places);
  return fmt::format("{}", fmt::join(places, "."));
}

Topic TopicTree::topic(uint32_t number) const {
  const topics::TopicRecord& record = state_->file[number];
  Topic topic;
  topic.path = path(number);
  topic.parent = number == 0 ? 0 : record.parent;
  topic.first_child = record.first_child;
  topic.children = record.children;
  topic.pages = record.end - record.begin;
  topic.cohesion = record.cohesion;
  topic.exemplar = record.exemplar;
  for (uint64_t i = state_->words_at[number]; i < state_->words_at[number + 1]; ++i) {
    topic.label.push_back(state_->words[i]);
  }
  return topic;
}

Result<std::span<const UrlId>> TopicTree::pages(uint32_t number) const {
  KITH_TRY(state_->file.check_pages(number));
  return state_->file.pages(number);
}

Result<uint32_t> TopicTree::find(std::string_view path) const {
  uint32_t topic = 0;
  const Error missing{ErrorKind::not_found,
                      fmt::format("{0}: has no topic '{1}'; paths are such as 1.3.2, and 'kith "
                                  "topics {0}' lists those of the first levels",
                                  state_->directory, path)};
  for (std::string_view rest = path; !rest.empty();) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    uint32_t place = 0;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + dot, place);
    const topics::TopicRecord& record = state_->file[topic];
    if (code != std::errc() || end != rest.data() + dot || place == 0 || place > record.children ||
        dot + 1 == rest.size()) {
      return missing;
    }
    topic = record.first_child + place - 1;
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return topic;
}

Result<std::optional<uint32_t>> TopicTree::leaf_of(UrlId id) const {
  KITH_TRY(state_->file.check_leaf(id));
  const uint32_t leaf = state_->file.leaf(id);
  return leaf == topics::no_topic ? std::nullopt : std::optional(leaf);
}

Result<std::string> TopicTree::path_of(UrlId id) const {
  KITH_ASSIGN(const auto leaf, leaf_of(id));
  return leaf ? path(*leaf) : "";
}

std::vector<uint32_t> TopicTree::level(uint32_t depth, uint32_t under) const {
  std::vector<uint32_t> found;
  std::vector<std::pair<uint32_t, uint32_t>> open{{under, depth}};
  while (!open.empty()) {
    const auto [topic, left] = open.back();
    open.pop_back();
    const topics::TopicRecord& record = state_->file[topic];
    if (left == 0 || record.children == 0) {
      found.push_back(topic);
      continue;
    }
    for (uint32_t i = 0; i < record.children; ++i) {
      open.emplace_back(record.first_child + i, left - 1);
    }
  }
  state_->in_path_order(found);
  return found;
}

std::vector<uint32_t> TopicTree::cut(size_t count, uint32_t under) const {
  const topics::TopicFile& file = state_->file;
  // What its pages lack to be all alike.
  const auto spread = [&](uint32_t topic) {
    return (1 - static_cast<double>(file[topic].cohesion)) *
           static_cast<double>(file[topic].end - file[topic].begin);
  };
  using Entry = std::pair<double, uint32_t>;
  std::priority_queue<Entry> open;
  std::vector<uint32_t> found;
  const auto enter = [&](uint32_t topic) {
    if (file[topic].children == 0) {
      found.push_back(topic);
    } else {
      open.emplace(spread(topic), topic);
    }
  };
  enter(under);
  while (!open.empty() && found.size() + open.size() < count) {
    const topics::TopicRecord& record = file[open.top().second];
    open.pop();
    for (uint32_t i = 0; i < record.children; ++i) enter(record.first_child + i);
  }
  for (; !open.empty(); open.pop()) found.push_back(open.top().second);
  state_->in_path_order(found);
  return found;
}

uint32_t TopicTree::depth() const {
  return *std::ranges::max_element(state_->depths);
}

Result<std::vector<std::string>> written_label(const Run& run, const TopicTree& tree,
                                               uint32_t number) {
  KITH_ASSIGN(const std::span<const UrlId> pages, tree.pages(number));
  const Topic topic = tree.topic(number);
  if (pages.empty()) return topic.label;
  KITH_ASSIGN(const std::string exemplar, run.url(topic.exemplar));
  KITH_ASSIGN(const std::span<const UrlId> parent, tree.pages(topic.parent));
  return answers::written_label(run, topic.label, pages, parent, text::host_of(exemplar));
}

}  // namespace kith
