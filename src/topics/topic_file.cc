#include "topics/topic_file.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "storage/string_table.h"

namespace kith::topics {
namespace {

// The pages of all nodes in the order of the tree, ascending in every leaf.
struct PlacedPages {
  std::vector<uint32_t> pages;
  std::vector<uint32_t> node_at;  // by place of a node, and one more: where its pages begin
};

PlacedPages place_pages(const Tree& tree, const Nodes& nodes) {
  std::vector<uint32_t> place_of(nodes.size());  // by node, in the tree
  for (uint32_t place = 0; place < tree.nodes.size(); ++place) place_of[tree.nodes[place]] = place;
  PlacedPages placed;
  placed.node_at.assign(tree.nodes.size() + 1, 0);
  for (const uint32_t node : nodes.node_of) {
    if (node != similar::no_id) ++placed.node_at[place_of[node] + 1];
  }
  std::partial_sum(placed.node_at.begin(), placed.node_at.end(), placed.node_at.begin());
  placed.pages.resize(placed.node_at.back());
  std::vector<uint32_t> next(placed.node_at.begin(), placed.node_at.end() - 1);
  for (uint32_t page = 0; page < nodes.node_of.size(); ++page) {
    const uint32_t node = nodes.node_of[page];
    if (node != similar::no_id) placed.pages[next[place_of[node]]++] = page;
  }
  for (const Topic& topic : tree.topics) {
    if (topic.children > 0) continue;
    std::sort(placed.pages.begin() + placed.node_at[topic.begin],
              placed.pages.begin() + placed.node_at[topic.end]);
  }
  return placed;
}

std::vector<TopicRecord> records_of(const Tree& tree, const Nodes& nodes,
                                    const PlacedPages& placed) {
  std::vector<TopicRecord> records;
  records.reserve(tree.topics.size());
  for (const Topic& topic : tree.topics) {
    const uint32_t exemplar = nodes.size() == 0 ? 0 : nodes.page[topic.exemplar];
    records.push_back({topic.parent, topic.first_child, topic.children, placed.node_at[topic.begin],
                       placed.node_at[topic.end], exemplar, static_cast<float>(topic.cohesion), 0});
  }
  return records;
}

std::vector<uint32_t> leaves_of(std::span<const TopicRecord> records, const PlacedPages& placed,
                                size_t urls) {
  std::vector<uint32_t> leaf(urls, no_topic);
  for (uint32_t topic = 0; topic < records.size(); ++topic) {
    if (records[topic].children > 0) continue;
    for (uint32_t i = records[topic].begin; i < records[topic].end; ++i) {
      leaf[placed.pages[i]] = topic;
    }
  }
  return leaf;
}

// Lists of all topics, one after the other, and where each begins.
template <class T>
Status write_lists(storage::SectionWriter& file, const Tree& tree, const std::string& name,
                   std::vector<T> Topic::*list) {
  std::vector<uint64_t> offsets{0};
  KITH_TRY(file.begin(name));
  for (const Topic& topic : tree.topics) {
    KITH_TRY(file.append_array(std::span<const T>(topic.*list)));
    offsets.push_back(offsets.back() + (topic.*list).size());
  }
  return file.write_array(name + "_at", offsets);
}

bool all_below(std::span<const uint32_t> values, uint64_t bound) {
  return std::ranges::all_of(values, [bound](uint32_t value) { return value < bound; });
}

}  // namespace

Status write_topics(storage::FileSystem& fs, const std::string& path, const Tree& tree,
                    const Nodes& nodes) {
  const PlacedPages placed = place_pages(tree, nodes);
  const std::vector<TopicRecord> records = records_of(tree, nodes, placed);
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, topics_kind));
  KITH_TRY(file.write_array("topics", records));
  KITH_TRY(file.write_array("pages", placed.pages));
  KITH_TRY(file.write_array("leaf", leaves_of(records, placed, nodes.node_of.size())));
  KITH_TRY(write_lists(file, tree, "labels", &Topic::labels));
  KITH_TRY(write_lists(file, tree, "directions", &Topic::direction));
  return file.finish();
}

Result<TopicFile> TopicFile::open(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto topics, open_for_lookup(fs, path));
  if (!topics.sound_pages()) return topics.file_.do_not_fit();
  return topics;
}

Result<TopicFile> TopicFile::open_for_lookup(storage::FileSystem& fs, const std::string& path) {
  TopicFile topics;
  KITH_ASSIGN(topics.file_, storage::SectionFile::open(fs, path, topics_kind));
  const storage::SectionFile& file = topics.file_;
  KITH_ASSIGN(topics.records_, file.array<TopicRecord>("topics"));
  KITH_ASSIGN(topics.pages_, file.array<uint32_t>("pages"));
  KITH_ASSIGN(topics.leaf_, file.array<uint32_t>("leaf"));
  KITH_ASSIGN(topics.labels_, file.array<uint32_t>("labels"));
  KITH_ASSIGN(topics.labels_at_, file.array<uint64_t>("labels_at"));
  KITH_ASSIGN(topics.directions_, file.array<DirectionPart>("directions"));
  KITH_ASSIGN(topics.directions_at_, file.array<uint64_t>("directions_at"));
  if (!topics.sound_tree()) return topics.file_.do_not_fit();
  return topics;
}

// Parents come before their children, and children share out the pages of their parent.
bool TopicFile::sound_record(uint32_t topic) const {
  const TopicRecord& record = records_[topic];
  if (record.begin > record.end || record.end > pages_.size()) return false;
  if ((topic == 0) != (record.parent == no_topic)) return false;
  if (topic > 0 && record.parent >= topic) return false;
  if (record.begin < record.end && record.exemplar >= leaf_.size()) return false;
  if (record.children == 0) return true;
  const uint64_t last = uint64_t{record.first_child} + record.children;
  if (record.first_child <= topic || last > records_.size()) return false;
  uint32_t at = record.begin;
  for (uint64_t child = record.first_child; child < last; ++child) {
    if (records_[child].parent != topic || records_[child].begin != at) return false;
    at = records_[child].end;
  }
  return at == record.end;
}

bool TopicFile::sound_tree() const {
  if (records_.empty() || records_.size() >= no_topic || pages_.size() > leaf_.size() ||
      !storage::valid_offsets(labels_at_, labels_.size()) ||
      !storage::valid_offsets(directions_at_, directions_.size()) ||
      labels_at_.size() != records_.size() + 1 || directions_at_.size() != records_.size() + 1 ||
      records_.front().begin != 0 || records_.front().end != pages_.size()) {
    return false;
  }
  for (uint32_t topic = 0; topic < records_.size(); ++topic) {
    if (!sound_record(topic)) return false;
  }
  return true;
}

bool TopicFile::sound_leaf(uint32_t leaf) const {
  return leaf == no_topic || (leaf < records_.size() && records_[leaf].children == 0);
}

bool TopicFile::sound_pages() const {
  return all_below(pages_, leaf_.size()) &&
         std::ranges::all_of(leaf_, [this](uint32_t leaf) { return sound_leaf(leaf); });
}

Status TopicFile::verify() const {
  KITH_TRY(file_.verify());
  return sound_pages() ? Status::ok() : Status(file_.do_not_fit());
}

Status TopicFile::check() const {
  KITH_TRY(file_.check(records_));
  KITH_TRY(file_.check(labels_at_));
  return file_.check(labels_);
}

Status TopicFile::check_pages(uint32_t topic) const {
  KITH_TRY(file_.check(pages(topic)));
  return all_below(pages(topic), urls()) ? Status::ok() : Status(file_.do_not_fit());
}

Status TopicFile::check_leaf(uint64_t url) const {
  KITH_TRY(file_.check(leaf_.subspan(url, 1)));
  return sound_leaf(leaf(url)) ? Status::ok() : Status(file_.do_not_fit());
}

Status TopicFile::check_directions() const {
  KITH_TRY(file_.check(directions_at_));
  return file_.check(directions_);
}

Router::Router(const TopicFile& topics) {
  children_.reserve(topics.size());
  for (uint32_t topic = 0; topic < topics.size(); ++topic) {
    children_.push_back({topics[topic].first_child, topics[topic].children});
    add_children(topics, topic);
  }
}

void Router::add_children(const TopicFile& topics, uint32_t topic) {
  struct Part {
    uint32_t term;
    Posting posting;
  };
  std::vector<Part> parts;
  const TopicRecord& parent = topics[topic];
  for (uint32_t child = 0; child < parent.children; ++child) {
    for (const DirectionPart& part : topics.direction(parent.first_child + child)) {
      parts.push_back({part.term, {child, part.value}});
    }
  }
  std::ranges::stable_sort(parts, {}, &Part::term);
  for (size_t begin = 0; begin < parts.size();) {
    const uint32_t term = parts[begin].term;
    size_t end = begin;
    const uint64_t first = postings_.size();
    for (; end < parts.size() && parts[end].term == term; ++end) {
      postings_.push_back(parts[end].posting);
    }
    lists_.emplace(key(topic, term), List{first, static_cast<uint32_t>(end - begin)});
    begin = end;
  }
}

Route Router::route(Vector vector) const {
  Route route;
  std::vector<double> fits;
  while (children_[route.topic].count > 0) {
    const Children children = children_[route.topic];
    fits.assign(children.count, 0);
    for (const Coordinate& c : vector) {
      const auto found = lists_.find(key(route.topic, c.term));
      if (found == lists_.end()) continue;
      for (uint32_t i = 0; i < found->second.size; ++i) {
        const Posting& posting = postings_[found->second.begin + i];
        fits[posting.child] += static_cast<double>(c.value) * static_cast<double>(posting.value);
      }
    }
    const auto best = std::ranges::max_element(fits);
    route.topic = children.first + static_cast<uint32_t>(best - fits.begin());
    route.fit = *best / vector_one;
  }
  return route;
}

}  // namespace kith::topics
