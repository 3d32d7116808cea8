// kith::TopicRoutes: bags that are not of a run, down its tree.
#include "kith/topic_routes.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "kith/topics.h"

#include "jobs/cluster/run_directory.h"
#include "run/guarded.h"
#include "sketch/bag.h"
#include "topics/topic_file.h"

namespace kith {
namespace {

Error no_tree() {
  return {ErrorKind::usage, "directions of topics: are none of a tree"};
}

bool is_tree(const TopicDirections& given) {
  const size_t topics = given.numbers.size();
  if (topics == 0 || given.first_child.size() != topics || given.children.size() != topics) {
    return false;
  }
  for (size_t i = 0; i < topics; ++i) {
    const uint64_t first = given.first_child[i];
    if (given.children[i] > 0 && (first <= i || first + given.children[i] > topics)) return false;
  }
  return true;
}

bool has_directions(const TopicDirections& given) {
  return given.offsets.size() == given.numbers.size() + 1 && given.offsets.front() == 0 &&
         given.offsets.back() == given.terms.size() && given.terms.size() == given.values.size() &&
         std::ranges::is_sorted(given.offsets) &&
         std::ranges::all_of(given.values, [](float value) { return std::isfinite(value); });
}

void add_topic(const topics::TopicFile& file, uint32_t topic, TopicDirections& found) {
  found.numbers.push_back(topic);
  found.first_child.push_back(0);
  found.children.push_back(0);
  for (const topics::DirectionPart& part : file.direction(topic)) {
    found.terms.push_back(part.term);
    found.values.push_back(part.value);
  }
  found.offsets.push_back(found.terms.size());
}

TopicDirections directions_of(const topics::TopicFile& file, uint64_t most_pages) {
  TopicDirections found;
  found.offsets.push_back(0);
  add_topic(file, 0, found);
  for (uint32_t i = 0; i < found.numbers.size(); ++i) {
    const topics::TopicRecord& record = file[found.numbers[i]];
    if (record.children == 0 || record.end - record.begin <= most_pages) continue;
    found.first_child[i] = static_cast<uint32_t>(found.numbers.size());
    found.children[i] = record.children;
    for (uint32_t child = 0; child < record.children; ++child) {
      add_topic(file, record.first_child + child, found);
    }
  }
  return found;
}

}  // namespace

Result<TopicDirections> topic_directions(const std::string& directory, uint64_t most_pages) {
  return run::guarded([&]() -> Result<TopicDirections> {
    // Says what is wrong with a run that has no topics.
    KITH_TRY(TopicTree::open(directory));
    storage::FileSystem& fs = storage::posix_file_system();
    KITH_ASSIGN(const auto run, jobs::RunDirectory::open(fs, directory));
    KITH_ASSIGN(const auto file, topics::TopicFile::open(fs, run.file(run::topics_file)));
    KITH_TRY(file.check_directions());
    return directions_of(file, most_pages);
  });
}

struct TopicRoutes::State {
  State(std::vector<uint32_t> topic_numbers, std::span<const topics::RouteTopic> tree)
      : numbers(std::move(topic_numbers)), router(tree) {}

  std::vector<uint32_t> numbers;
  topics::Router router;
};

TopicRoutes::TopicRoutes(std::unique_ptr<State> state) : state_(std::move(state)) {}
TopicRoutes::~TopicRoutes() = default;
TopicRoutes::TopicRoutes(TopicRoutes&&) noexcept = default;
TopicRoutes& TopicRoutes::operator=(TopicRoutes&&) noexcept = default;

Result<TopicRoutes> TopicRoutes::make(const TopicDirections& directions) {
  if (!is_tree(directions) || !has_directions(directions)) return no_tree();
  return run::guarded([&]() -> Result<TopicRoutes> {
    std::vector<topics::DirectionPart> parts;
    parts.reserve(directions.terms.size());
    for (size_t i = 0; i < directions.terms.size(); ++i) {
      parts.push_back({directions.terms[i], directions.values[i]});
    }
    std::vector<topics::RouteTopic> tree;
    tree.reserve(directions.numbers.size());
    for (size_t i = 0; i < directions.numbers.size(); ++i) {
      const std::span direction(parts.data() + directions.offsets[i],
                                parts.data() + directions.offsets[i + 1]);
      tree.push_back({directions.first_child[i], directions.children[i], direction});
    }
    return TopicRoutes(std::make_unique<State>(directions.numbers, tree));
  });
}

Result<std::vector<uint32_t>> TopicRoutes::find(const PackedBags& bags) const {
  return run::guarded([&]() -> Result<std::vector<uint32_t>> {
    std::vector<uint32_t> found;
    found.reserve(bags.size());
    std::vector<sketch::BagEntry> bag;
    std::vector<topics::Coordinate> vector;
    for (size_t i = 0; i < bags.size(); ++i) {
      const uint64_t begin = bags.offsets[i];
      const uint64_t end = bags.offsets[i + 1];
      const bool has_entries = begin <= end && end <= bags.entries.size();
      bag.resize(has_entries ? end - begin : 0);
      if (!has_entries || !sketch::unpack_bag(bags.entries.subspan(begin, end - begin), bag)) {
        return Error{
            ErrorKind::usage,
            fmt::format("bag {}: its terms must ascend, and its weights add up to 100", i)};
      }
      vector.resize(bag.size());
      const topics::Route route = state_->router.route(topics::unit_vector(bag, vector));
      found.push_back(state_->numbers[route.topic]);
    }
    return found;
  });
}

}  // namespace kith
