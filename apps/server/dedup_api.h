// The questions that are asked of a run of kith dedup, answered as JSON.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "kith/kith.h"

#include "server/lists.h"
#include "server/message.h"

namespace kith::server {

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

}  // namespace kith::server
