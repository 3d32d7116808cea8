// A finished run of dedup(), to be read: its documents, groups, pairs, and their texts.
//
//   auto run = kith::DedupRun::open("my-dedup");
//   if (!run) { ... run.error().message ... }
//   for (uint64_t number = 0; number < run->groups(); ++number) {
//     if (auto documents = run->group(number)) ...
//   }
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// A document of the run, numbered from 0 in the order of the input.
using DocumentId = uint32_t;

// How much two documents have in common, by their elements; all quotients are exact.
struct DocumentOverlap {
  uint64_t elements_a = 0;
  uint64_t elements_b = 0;
  uint64_t common = 0;
  double resemblance = 0;
  double containment_of_a = 0;  // how much of A is in B
  double containment_of_b = 0;
};

struct DocumentPair {
  DocumentId a;  // before b
  DocumentId b;
  DocumentOverlap overlap;
};

// Because of which document of an earlier run one was removed (DedupOptions::against).
struct EarlierDocument {
  std::string name;
  size_t run = 0;  // of DedupReport::against.runs
  DocumentOverlap overlap;
};

struct DocumentFacts {
  std::string name;
  DocumentId kept = 0;            // of its group; itself if it is that, or in no group
  std::optional<uint64_t> group;  // its number; none: it is like no other
  uint64_t text_bytes = 0;
  std::string file;     // of the input, as that was named
  uint64_t record = 0;  // in the file
  uint64_t offset = 0;  // bytes into the file on disk; of a packed one, where the member begins
  std::string date;     // when it was captured: "2026-11-24T12:00:00Z"; empty where none is known
  DocumentOverlap with_kept;
};

// The text of a document, from the input.
struct DocumentText {
  enum class State : uint8_t {
    found,
    unfinished,  // the time was over; the next call goes on
    none,        // `reason` says why, for people; without paths
  };
  State state = State::none;
  std::string text;  // valid UTF-8, as it was read for the run
  std::string reason;
};

// Immutable and thread-safe. REQUIRES of all: ids below documents(). Holds the run's files mapped;
// they must not change meanwhile. Opening looks through them once, but for shingles and texts. What
// is read of them later is compared with its checksum, once: damage is an error of kind corrupt
// that names the file. In memory are about 8 bytes a document for groups, and 8 to 16 more once
// find() was called.
class DedupRun {
 public:
  static Result<DedupRun> open(const std::string& directory);
  ~DedupRun();
  DedupRun(DedupRun&&) noexcept;
  DedupRun& operator=(DedupRun&&) noexcept;

  const DedupReport& report() const;

  // Ids are below it.
  uint32_t documents() const;
  // A view, valid as long as this object.
  Result<std::string_view> name(DocumentId id) const;
  Result<DocumentFacts> document(DocumentId id) const;
  // The first document of a name; not_found if there is none. Reads all names the first time.
  Result<DocumentId> find(std::string_view name) const;

  // Groups of two documents or more, as the list of groups has them, numbered from 0.
  uint64_t groups() const;
  // The kept document, then the others in the order of the input. A view, valid as long as this
  // object. REQUIRES: number < groups().
  std::span<const DocumentId> group(uint64_t number) const;

  // Similar pairs of different documents that the run has found, and keeps: of members of large
  // families those with their centers. Of equal documents (equal_to()) the first stands for all.
  uint64_t pairs() const;
  // REQUIRES: number < pairs(). In no order.
  Result<DocumentPair> pair(uint64_t number) const;
  // Those of them between documents of a group, by a, then b, and after them every document that is
  // equal to an earlier one with that. Of these [begin, end), and how many there are. `of`: only
  // those of this document. Time grows with the pairs of the group. REQUIRES: number < groups().
  struct PairsPart {
    std::vector<DocumentPair> pairs;
    uint64_t all = 0;
  };
  Result<PairsPart> pairs_of_group(uint64_t number, uint64_t begin, uint64_t end,
                                   std::optional<DocumentId> of = {}) const;
  // The first document with the same elements; itself if that is it.
  Result<DocumentId> equal_to(DocumentId id) const;
  // None unless it was removed because of an earlier run.
  Result<std::optional<EarlierDocument>> earlier(DocumentId id) const;

  // Of any two documents, by their elements.
  Result<DocumentOverlap> overlap(DocumentId a, DocumentId b) const;

  // Reads the input that the run was made of as far as the document, for about so long. Where it
  // has passed it remembers: 24 bytes a MiB. That the text is that which the run has read is seen
  // by its length and, unless shingles were left out, by its elements.
  Result<DocumentText> text(DocumentId id, std::chrono::milliseconds patience) const;

 private:
  struct State;
  explicit DedupRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
