// What is lost: of which sources, hosts and patterns of paths documents are removed, and why.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/groups.h"

namespace kith::jobs {

// What the documents are divided by.
enum class LossPart : uint8_t { source, host, path, count_ };
std::string_view name(LossPart part);  // "source", "host", "path"

// A part of which documents are removed.
struct Loss {
  uint64_t documents = 0;
  uint64_t removed = 0;
  uint32_t first = 0;  // the first removed document, which tells the name
  // Kept documents of the groups for which most were removed, and how many these were. What earlier
  // runs remove is one group, of no kept document.
  struct Group {
    static constexpr uint32_t earlier = UINT32_MAX;
    uint32_t kept = 0;
    uint32_t removed = 0;
    std::array<uint32_t, 3> examples = {};  // the first of them
  };
  std::vector<Group> groups;
};

// All parts that lose documents, those that lose most first; patterns of paths only of the 100
// hosts that lose most. Immutable, thread-safe.
class Losses {
 public:
  // The arguments outlive this object. Holds some 24 bytes for every removed document.
  static Losses find(const DocumentTable& documents, const Against& against, const Groups& groups,
                     const DedupOptions& options, ThreadPool& pool);

  const std::vector<Loss>& of(LossPart part) const { return parts_[static_cast<size_t>(part)]; }
  std::string name_of(LossPart part, const Loss& loss) const;
  // With the names of documents.
  DedupLoss described(LossPart part, const Loss& loss) const;
  // Fills what a report says.
  void report(DedupReport& report) const;

 private:
  Losses(const DocumentTable& documents, const Against& against, const DedupOptions& options);

  std::string kept_name(const Loss::Group& group) const;
  void find_part(LossPart part, const Groups& groups, ThreadPool& pool);
  // How many documents each of the parts with these keys has. The keys ascend.
  std::vector<uint64_t> count(LossPart part, std::span<const uint64_t> keys,
                              ThreadPool& pool) const;
  // A hash of the part that a document belongs to; 0: it belongs to none.
  uint64_t key_of(LossPart part, uint32_t id, std::string& buffer) const;
  // What a document belongs to; empty: to none. `buffer` may hold it.
  std::string_view part_of(LossPart part, uint32_t id, std::string& buffer) const;

  const DocumentTable& documents_;
  const Against& against_;
  const DedupOptions& options_;
  std::vector<std::string> inputs_;      // by number of file
  std::vector<uint64_t> input_keys_;     // likewise
  std::vector<uint64_t> pattern_hosts_;  // keys of hosts whose paths have patterns, ascending
  std::array<std::vector<Loss>, static_cast<size_t>(LossPart::count_)> parts_;
};

}  // namespace kith::jobs
