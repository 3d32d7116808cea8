// The records of many runs as one, in SURT order. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/run.h"
#include "storage/loser_tree.h"

namespace kith::bags {

// Not thread-safe.
class RunMerger {
 public:
  // Memory: about read_buffers bytes, but 4 KiB per run at least. `fs` must outlive the object.
  static Result<std::unique_ptr<RunMerger>> open(storage::FileSystem& fs,
                                                 std::span<const std::string> run_paths,
                                                 uint64_t read_buffers);
  RunMerger(const RunMerger&) = delete;
  RunMerger& operator=(const RunMerger&) = delete;

  // Whether a record is left.
  bool more() const { return tree_ && open_[tree_->winner()]; }
  // The first of those that are left, of the lowest run if several have its URL; its bytes as in
  // run.h. The views are valid until next(). REQUIRES: more().
  std::string_view surt() const { return readers_[source()].surt(); }
  std::string_view record() const { return readers_[source()].record(); }
  size_t source() const { return tree_->winner(); }
  Status next();

  // What to say when a record of a run cannot be one.
  Error damaged(size_t source) const { return readers_[source].damaged(); }

 private:
  struct Less {
    const RunMerger* merger;
    bool operator()(size_t a, size_t b) const {
      if (!merger->open_[a]) return false;
      return !merger->open_[b] || merger->readers_[a].surt() < merger->readers_[b].surt();
    }
  };

  RunMerger() = default;

  std::vector<RunReader> readers_;
  std::vector<bool> open_;  // which of them have a record left
  std::optional<storage::LoserTree<Less>> tree_;
};

}  // namespace kith::bags
