// The files of a run, of any bytes (section_files.h), opened and then used in every way that a
// command uses them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bags/shard/builder.h"
#include "bags/tables.h"
#include "fuzz/section_files.h"
#include "jobs/cluster/pair_stage.h"
#include "run/index_files.h"
#include "similar/exact/exact_join.h"
#include "similar/exact/exact_pairs.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"
#include "topics/topic_file.h"

namespace {

using kith::Status;
using kith::fuzz::File;
using kith::fuzz::opened;
using kith::fuzz::path;
using kith::fuzz::require;

constexpr uint64_t max_items = 1000;  // that are used: a table may hold many empty ones
constexpr uint32_t terms = 1000;
constexpr uint32_t lanes = 16;

kith::ThreadPool& one_thread() {
  static kith::ThreadPool pool(1);
  return pool;
}

// Reads every byte, for AddressSanitizer to see.
void touch(std::string_view bytes) {
  volatile uint64_t hash = kith::hash64(bytes);
  static_cast<void>(hash);
}

uint64_t used(uint64_t size) {
  return std::min(size, max_items);
}

Status use_urls(kith::storage::FileSystem& fs) {
  const auto table = kith::bags::UrlTable::open(fs, path);
  if (!opened(table)) return Status::ok();
  require(table->inlinks().size() == table->size());
  for (uint32_t id = 0; id < used(table->size()); ++id) {
    const std::string url = table->url(id);
    touch(table->fetched(id) ? url : "");
    const auto found = table->find(url);
    require(!found || *found < table->size());
  }
  for (const std::string_view url : {"", "http://a/", "https://zz.example/", "\xff\xff\xff"}) {
    const auto found = table->find(url);
    require(!found || *found < table->size());
  }
  uint64_t next = 0;
  table->for_each([&](uint32_t id, std::string_view url) {
    require(id >= next && id < table->size());
    next = id + 1;
    touch(url);
  });
  return table->verify();
}

Status use_titles(kith::storage::FileSystem& fs) {
  const auto table = kith::bags::TitleTable::open(fs, path);
  if (!opened(table)) return Status::ok();
  for (uint32_t id = 0; id < used(table->size()); ++id) touch((*table)[id]);
  return table->verify();
}

Status use_terms(kith::storage::FileSystem& fs) {
  const auto table = kith::bags::TermTable::open(fs, path);
  if (!opened(table)) return Status::ok();
  require(table->document_frequency().size() == table->size());
  for (uint32_t term = 0; term < used(table->size()); ++term) {
    touch(table->stem(term));
    touch(table->surface(term));
  }
  return table->verify();
}

// What is looked up is inside, wherever the bags before and behind it lie.
void look_up_bags(const kith::bags::BagTable& table) {
  for (uint32_t id = 0; id < used(table.bags().size()); ++id) {
    if (table.check(id).is_ok()) touch(kith::as_text(std::as_bytes(table.bags()[id])));
  }
}

Status use_bags(kith::storage::FileSystem& fs) {
  const auto unread = kith::bags::BagTable::open_for_lookup(fs, path);
  if (opened(unread)) look_up_bags(*unread);
  const auto table = kith::bags::BagTable::open(fs, path);
  if (!opened(table)) return Status::ok();
  const kith::sketch::BagCollection& bags = table->bags();
  for (size_t id = 0; id < used(bags.size()); ++id) {
    touch(kith::as_text(std::as_bytes(bags[id])));
  }
  const bool sound = bags.size() <= max_items && table->check_entries(terms, one_thread()).is_ok();
  if (!sound) return table->verify();
  const auto groups = kith::similar::find_duplicates(bags, one_thread());
  constexpr uint32_t min_sum = kith::sketch::bag_total / 100;
  const auto sink = [&](uint32_t a, std::span<const kith::similar::Neighbour> bs) {
    for (const kith::similar::Neighbour& b : bs) {
      require(a < b.id && b.id < bags.size());
      require(b.sum_of_minima == kith::sketch::sum_of_minima(bags[a], bags[b.id]));
      require(b.sum_of_minima <= kith::sketch::bag_total);
    }
    return Status::ok();
  };
  require(
      kith::similar::exact_pairs(bags, groups, {.min_sum = min_sum}, one_thread(), sink).is_ok());
  require(kith::similar::exact_join(bags, groups, {.min_sum = min_sum, .top = 3}, one_thread())
              .is_ok());
  return table->verify();
}

void look_up_neighbours(const kith::run::Neighbours& near) {
  for (uint64_t id = 0; id < used(near.size()); ++id) {
    if (!near.check(id).is_ok()) continue;
    for (const kith::similar::Neighbour& entry : near[id]) require(entry.id < near.size());
  }
}

Status use_neighbours(kith::storage::FileSystem& fs) {
  const auto unread = kith::run::Neighbours::open_for_lookup(fs, path);
  if (opened(unread)) look_up_neighbours(*unread);
  const auto near = kith::run::Neighbours::open(fs, path);
  if (!opened(near)) return Status::ok();
  require(near->degrees().size() == near->size());
  for (uint64_t id = 0; id < used(near->size()); ++id) {
    for (const kith::similar::Neighbour& entry : (*near)[id]) {
      require(entry.id < near->size());
      require(kith::sketch::similarity_of(entry.sum_of_minima) <= 1);
    }
  }
  return near->verify();
}

void look_up_clusters(const kith::run::Clusters& clusters) {
  for (uint64_t cluster = 0; cluster < used(clusters.size()); ++cluster) {
    if (!clusters.check(cluster).is_ok()) continue;
    require(!clusters.members(cluster).empty());
    for (const uint32_t id : clusters.members(cluster)) {
      require(clusters.first_url(clusters.host_of(id)) < clusters.urls());
      if (!clusters.check_url(id).is_ok()) continue;
      require(clusters.cluster_of_center(clusters.center_of(id)) <= clusters.size());
    }
  }
}

Status use_clusters(kith::storage::FileSystem& fs) {
  const auto unread = kith::run::Clusters::open_for_lookup(fs, path);
  if (opened(unread)) look_up_clusters(*unread);
  const auto clusters = kith::run::Clusters::open(fs, path);
  if (!opened(clusters)) return Status::ok();
  std::vector<bool> seen(clusters->urls());
  for (uint64_t cluster = 0; cluster < clusters->size(); ++cluster) {
    require(!clusters->members(cluster).empty());
    for (const uint32_t id : clusters->members(cluster)) {
      require(id < clusters->urls() && clusters->center_of(id) < clusters->urls());
      require(kith::sketch::similarity_of(clusters->sum_of_minima(id)) <= 1);
      seen[id] = true;
    }
    touch(kith::as_text(std::as_bytes(clusters->label(cluster))));
  }
  return clusters->verify();
}

void look_up_topics(const kith::topics::TopicFile& topics) {
  for (uint32_t topic = 0; topic < used(topics.size()); ++topic) {
    if (!topics.check_pages(topic).is_ok()) continue;
    for (const uint32_t page : topics.pages(topic)) require(page < topics.urls());
  }
  for (uint64_t url = 0; url < used(topics.urls()); ++url) {
    if (!topics.check_leaf(url).is_ok()) continue;
    const uint32_t leaf = topics.leaf(url);
    require(leaf == kith::topics::no_topic || topics[leaf].children == 0);
  }
}

Status use_topics(kith::storage::FileSystem& fs) {
  const auto unread = kith::topics::TopicFile::open_for_lookup(fs, path);
  if (opened(unread)) look_up_topics(*unread);
  const auto topics = kith::topics::TopicFile::open(fs, path);
  if (!opened(topics)) return Status::ok();
  for (uint32_t topic = 0; topic < used(topics->size()); ++topic) {
    for (const uint32_t page : topics->pages(topic)) require(page < topics->urls());
    touch(kith::as_text(std::as_bytes(topics->labels(topic))));
    touch(kith::as_text(std::as_bytes(topics->direction(topic))));
  }
  for (uint64_t url = 0; url < used(topics->urls()); ++url) {
    const uint32_t leaf = topics->leaf(url);
    require(leaf == kith::topics::no_topic || (*topics)[leaf].children == 0);
  }
  const kith::topics::Router router(*topics);
  const kith::topics::Coordinate vector[] = {{0, 1 << 23}, {3, 1 << 23}};
  require((*topics)[router.route(vector).topic].children == 0);
  return topics->verify();
}

Status use_signatures(kith::storage::FileSystem& fs) {
  constexpr size_t bags = 4;
  const auto table = kith::jobs::SignatureTable::open(fs, path, lanes, bags);
  if (!opened(table)) return Status::ok();
  require(table->signatures().size() == bags);
  const kith::sketch::Tables tables({.lanes = lanes, .per_key = 2, .tables = 3});
  for (size_t id = 0; id < bags; ++id) {
    volatile uint64_t key = tables.key(0, table->signatures()[id]);
    static_cast<void>(key);
  }
  return Status::ok();
}

Status use_shard(kith::storage::FileSystem& fs) {
  std::vector<kith::bags::ShardFile> shards;
  for (int copy = 0; copy < 2; ++copy) {
    auto shard = kith::bags::ShardFile::open(fs, path);
    if (!opened(shard)) return Status::ok();
    shards.push_back(std::move(shard).value());
  }
  const kith::bags::ShardFile& shard = shards.front();
  for (uint32_t form = 0; form < used(shard.forms()); ++form) {
    touch(shard.stem(form));
    touch(shard.word(form));
  }
  for (uint64_t input = 0; input < used(shard.inputs().size()); ++input) {
    touch(shard.inputs()[input]);
  }
  if (shard.keys().size() > max_items) return shard.verify();
  const auto is_first = kith::bags::best_captures(shards, kith::Captures::first);
  kith::bags::BagBuilderOptions options;
  options.expected_bytes = 1;
  options.fragments.blocks = true;
  options.from_shards = true;
  auto builder = kith::bags::BagBuilder::create(fs, "tmp", options);
  require(builder.is_ok());
  kith::bags::ShardMerger merger(*builder, 2 << 20);
  const Status found = merger.find_boilerplate(shards, is_first, one_thread());
  if (!found) return shard.verify();
  for (size_t copy = 0; copy < shards.size(); ++copy) {
    const auto added = merger.add(shards[copy], is_first[copy], one_thread());
    if (!added && added.error().kind == kith::ErrorKind::usage) return shard.verify();
    if (!opened(added)) return shard.verify();
  }
  // URLs that are not canonical may be one URL twice.
  const auto counts = builder->finish(one_thread(), "out", [](double) {});
  require(counts.is_ok() || counts.error().kind == kith::ErrorKind::corrupt);
  return shard.verify();
}

const std::vector<File>& files() {
  static const std::vector<File> all{
      {kith::bags::urls_kind, {"surt_at", "facts", "inlinks", "surt"}, use_urls},
      {kith::bags::titles_kind, {"titles_at", "titles"}, use_titles},
      {kith::bags::terms_kind, {"df", "stems_at", "surfaces_at", "stems", "surfaces"}, use_terms},
      {kith::bags::bags_kind, {"entries_at", "entries"}, use_bags},
      {kith::run::neighbours_kind, {"near_at", "degree", "near"}, use_neighbours},
      {kith::run::clusters_kind,
       {"center", "sum", "members_at", "labels_at", "members", "labels", "hosts"},
       use_clusters},
      {kith::jobs::signatures_kind, {"signatures"}, use_signatures},
      {kith::bags::shard_kind,
       {"inputs_at", "stems_at", "words_at", "blocks_at", "block_pages", "block_inputs", "keys",
        "times", "revisits", "redirects", "example_inputs", "inputs", "stems", "words", "blocks"},
       use_shard},
      {kith::topics::topics_kind,
       {"topics", "pages", "leaf", "labels_at", "directions_at", "labels", "directions"},
       use_topics},
  };
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kith::fuzz::use_one_of(files(), data, size);
}
