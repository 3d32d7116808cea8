// The copy of the input that `kith dedup --write` makes: without the documents that are removed.
#pragma once

#include <string>
#include <utility>

#include "kith/dedup.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "crawl/copy/record_copy.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/group_index.h"
#include "jobs/dedup/groups.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The manifest knows a copy before it is moved to its place, so that the same command, after a kill
// at any moment or when all was done, finds its own copy there and nothing else. Not thread-safe.
class InputCopy {
 public:
  // Looks what stands at the place of the copy, and what the inputs are. The arguments must outlive
  // the object. Errors: those of crawl::plan_copy(); usage where the place holds anything but a
  // copy that this run has made, as it was made.
  static Result<InputCopy> plan(storage::FileSystem& fs, DedupDirectory& run,
                                const DedupOptions& options);

  // Writes the copy, unless it is there already.
  Result<DedupCopy> write(const DocumentTable& documents, const Against& against,
                          const Groups& groups, const GroupIndex& index, ThreadPool& pool);

 private:
  InputCopy(storage::FileSystem& fs, DedupDirectory& run, std::string place)
      : fs_(&fs), run_(&run), place_(std::move(place)) {}

  storage::FileSystem* fs_;
  DedupDirectory* run_;
  std::string place_;  // absolute
  crawl::CopyPlan plan_;
  bool is_made_ = false;
  DedupOptions options_;
};

}  // namespace kith::jobs
