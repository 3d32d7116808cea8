// The questions that are asked of runs, answered as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "kith/compare.h"
#include "kith/kith.h"
#include "kith/status.h"

#include "server/message.h"

namespace kith::server {

// Slices of long lists as JSON.

// The JSON of answers: objects keep the order in which their members are written.
using Json = nlohmann::ordered_json;

inline constexpr uint64_t most_rows = 1000;  // of a list in one answer

// The rows [begin, end) of a list, for the parameters page (from 1) and size.
struct Slice {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t page = 1;
  uint64_t size = 0;
  uint64_t rows = 0;

  Json json() const {
    return {{"page", page}, {"size", size}, {"rows", rows}, {"pages", (rows + size - 1) / size}};
  }
};

// Errors: those of the parameters.
Result<Slice> slice_of(const Target& target, uint64_t rows);

// Lists that a search looks through for a while.

// Calls look(i) for i below n until it gives false, or 40 ms are over. Whether all were seen.
Result<bool> look_through(uint64_t n, const std::function<Result<bool>(uint64_t)>& look);

// The letters A to Z of a text in lower case, into a buffer that can be used again.
void make_ascii_lower(std::string_view text, std::string& lower);

// The questions that are asked of a run of kith cluster, answered as JSON.

// Immutable and thread-safe. Errors are those of the run, of kind usage where a parameter is at
// fault and not_found where the run has no such page, cluster or topic.
class ClusterApi {
 public:
  static Result<ClusterApi> open(const std::string& directory);

  const Run& run() const { return run_; }
  const TopicTree* topic_tree() const { return tree_ ? &*tree_ : nullptr; }

  // The parameters of each are in openapi.json.
  Result<Json> related(const Target& target) const;
  Result<Json> page(const Target& target) const;
  Result<Json> cluster(const Target& target) const;
  Result<Json> clusters(const Target& target) const;
  Result<Json> topics(const Target& target) const;
  // path: of the topic, behind "/api/topic/".
  Result<Json> topic(std::string_view path, const Target& target) const;
  Result<Json> compare(const Target& target) const;
  // The report of the run, and distributions for pictures.
  Result<Json> report() const;

 private:
  explicit ClusterApi(Run run) : run_(std::move(run)) {}

  struct Found {
    UrlId id;
    Json json;  // how it was found
  };
  Result<Found> find(const Target& target, std::string_view parameter) const;
  // REQUIRES: the run has topics.
  Result<uint32_t> find_topic(std::string_view path) const;
  // URL and title, as all lists have them.
  Result<Json> page_json(UrlId id) const;
  Result<Json> topic_steps(UrlId id) const;
  Result<Json> topic_json(uint32_t number, bool with_pages) const;
  Result<Json> cluster_head(uint64_t number) const;
  Result<Json> links_among(const std::vector<Related>& members) const;
  Result<std::string> topic_path(UrlId id) const;

  Run run_;
  std::optional<TopicTree> tree_;
};

// The questions that are asked of a run of kith dedup, answered as JSON.

// Thread-safe. Errors are those of the run, of kind usage where a parameter is at fault and
// not_found where the run has no such document or group.
class DedupApi {
 public:
  static Result<DedupApi> open(const std::string& directory);

  const DedupRun& run() const { return run_; }

  // The parameters of each are in openapi.json.
  Result<Json> groups(const Target& target) const;
  Result<Json> group(const Target& target) const;
  Result<Json> pairs(const Target& target) const;
  Result<Json> document(const Target& target) const;
  // Two documents: how much they share, and where their texts do. Texts are read from the input of
  // the run for some seconds, by one question at a time; others are answered without them.
  Result<Json> overlap(const Target& target) const;
  // Documents whose names have a part.
  Result<Json> search(const Target& target) const;
  // The report of the run, and distributions for pictures.
  Result<Json> report() const;

 private:
  explicit DedupApi(DedupRun run)
      : run_(std::move(run)), reading_(std::make_unique<std::mutex>()) {}

  // By a name or a number, whichever parameter is there.
  Result<DocumentId> find(const Target& target, std::string_view name, std::string_view id) const;
  // The number of the group that is asked for.
  Result<uint64_t> find_group(const Target& target) const;
  Result<Json> name_json(DocumentId id) const;
  Result<Json> document_json(DocumentId id) const;
  Result<Json> group_head(uint64_t number) const;
  Result<Json> pairs_json(const std::vector<DocumentPair>& pairs) const;
  Result<Json> texts_json(DocumentId a, DocumentId b) const;
  Result<Json> texts_side_by_side(DocumentId a, DocumentId b) const;

  DedupRun run_;
  std::unique_ptr<std::mutex> reading_;  // held while texts are read and compared
};

// Search by the beginning of a URL, a part of a host, and words of titles and labels.

// The parameters q and n, of each kind. Hosts, titles and labels are looked through where they
// lie, each for as long as a question may take: the answer says whether that was all of the run.
Result<Json> search(const ClusterApi& api, const Target& target);

// Distributions that the page draws.

// The sizes of clusters, the similarity of the nearest neighbour of a sample of URLs, and the
// S-curve of the tables. Reads all cluster sizes, and at most 10,000 lists.
Result<Json> distributions_of(const Run& run);

// Of a run of kith dedup. Takes a look at every group, and at some of the pairs.
Result<Json> distributions_of(const DedupRun& run);

// Answers about passages and streams as JSON.

// For each passage its kind and its text in A, in B or in both; of one that stands elsewhere in the
// other document, `twin` is the number of the passage in which it stands there.
Json passages_json(const Document& a, const Document& b, const std::vector<Passage>& passages);

// What a stream says, as JSON.
Json json_of(const StreamCounts& counts);
Json decisions_json(const std::vector<StreamDecision>& decisions);
Json pairs_json(const std::vector<StreamPair>& pairs);
Json pages_json(const std::vector<StreamPreview>& pages);

}  // namespace kith::server
