// The questions that are asked of a run of kith cluster, answered as JSON.
#pragma once

#include <optional>
#include <string>

#include "kith/kith.h"

#include "server/lists.h"
#include "server/message.h"

namespace kith::server {

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

}  // namespace kith::server
