// Runs of repeated units of each document, on the disk, and the passages among them that are
// listed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"

#include "jobs/passages/repeated.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Consecutive units of a document that stand in as many documents; of lines and paragraphs one.
struct PassageRun {
  uint32_t document = 0;
  uint32_t begin = 0;  // number of the first unit
  uint32_t units = 0;
  uint32_t documents = 0;
  bool is_first = false;  // what PassageMode::first keeps
};

// A passage to be listed, and where it stands: of all places that of the longest text, of equal
// ones that of the document of the lowest rank, and there the first.
struct ListedPassage {
  uint32_t documents = 0;
  uint32_t rank = 0;
  uint32_t begin = 0;  // of the core: number of the first unit
  // The text around the core: as far as units stand in half as many documents.
  uint32_t text_begin = 0;
  uint32_t text_units = 0;
};

// Of different passages those that stand in the most documents, at most so many. The core of a
// passage is a run that stands in more documents than what is before it and behind it, and does not
// overlap the text of a passage that stands in more. Not thread-safe.
class FrequentPassages {
 public:
  explicit FrequentPassages(uint32_t most) : most_(most) {}

  // hash: of its first units.
  void add(uint64_t hash, const ListedPassage& passage);
  // Most documents first, then the longest texts, then by hash.
  std::vector<ListedPassage> sorted() const;

 private:
  struct Order;
  void drop();

  const size_t most_;
  std::optional<std::pair<uint32_t, uint64_t>> least_;  // below it nothing is taken any more
  boost::unordered_flat_map<uint64_t, ListedPassage> found_;
};

// The runs of all documents, in their order, on the disk. Not thread-safe.
class PassageRuns {
 public:
  // Writes what find_repeated() gives.
  static Result<PassageRuns> write(storage::WideSortedRecords& repeated,
                                   const PassageOptions& options, const PassageTexts& texts,
                                   const PassageResources& resources, FrequentPassages& frequent);

  // The runs of the next documents, of all in [.., end), which ascends from call to call.
  Status next(uint32_t end, std::vector<PassageRun>& runs);

 private:
  explicit PassageRuns(std::string path) : path_(std::move(path)) {}
  Status append(const PassageRun& run);
  Status flush();

  std::string path_;
  std::unique_ptr<storage::WritableFile> writing_;
  std::unique_ptr<storage::ReadableFile> reading_;
  std::string buffer_;             // of what is written
  std::vector<PassageRun> block_;  // that was read
  size_t at_ = 0;                  // in it
  uint64_t position_ = 0;          // bytes read
};

}  // namespace kith::jobs
