#include "jobs/paper/filter.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kith::jobs {
namespace {

constexpr size_t max_pending = size_t{1} << 16;

// Adds the time of its life to a number of seconds.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds) {}
  ~Timer() {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
    seconds_ += time.count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

PaperFilter::PaperFilter(storage::FileSystem& fs, const PaperSignatureFile& signatures,
                         PaperFilterOptions options, ThreadPool& pool, Sink sink)
    : fs_(&fs),
      signatures_(&signatures),
      options_(std::move(options)),
      pool_(&pool),
      sink_(std::move(sink)) {
  const size_t rows = std::max<size_t>(1, signatures.size());
  block_rows_ = rows;
  if (rows * paper_lanes > options_.memory) {
    // Two blocks take half of the memory; sorting the pairs by pass has the other half.
    block_rows_ = std::max<size_t>(1, options_.memory / 4 / paper_lanes);
  }
  blocks_ = (rows + block_rows_ - 1) / block_rows_;
}

Result<PaperFilter> PaperFilter::create(storage::FileSystem& fs,
                                        const PaperSignatureFile& signatures,
                                        PaperFilterOptions options, ThreadPool& pool, Sink sink) {
  PaperFilter filter(fs, signatures, std::move(options), pool, std::move(sink));
  if (filter.blocks_ == 1) KITH_TRY(filter.load(0, filter.left_));
  return filter;
}

Status PaperFilter::load(size_t block, Plane& plane) const {
  plane.first = block * block_rows_;
  const size_t rows = std::min(block_rows_, signatures_->size() - plane.first);
  plane.bytes.resize(rows * paper_lanes);
  return signatures_->low_bytes(plane.first, plane.bytes);
}

Status PaperFilter::add(uint32_t row_a, uint32_t row_b) {
  ++candidates_;
  if (blocks_ > 1) return defer({row_a, row_b});
  pending_.push_back({row_a, row_b});
  return pending_.size() < max_pending ? Status::ok() : test_pending(left_, left_);
}

Status PaperFilter::end_round() {
  if (blocks_ == 1) return test_pending(left_, left_);
  return deferred_ ? run_passes() : Status::ok();
}

Status PaperFilter::test_pending(const Plane& left, const Plane& right) {
  const Timer timer(seconds_);
  const sketch::CountEqualKernel count_equal = sketch::count_equal_kernel();
  equal_.resize(pending_.size());
  pool_->for_chunks(pending_.size(), 4096, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) {
      const auto [a, b] = pending_[i];
      equal_[i] = static_cast<uint8_t>(count_equal(left.row(a), right.row(b), paper_lanes));
    }
  });
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (equal_[i] < paper_min_equal) continue;
    KITH_TRY(sink_(pending_[i].a, pending_[i].b, equal_[i]));
  }
  pending_.clear();
  return Status::ok();
}

// Sorted by the blocks of its rows, all pairs of a pass come one after the other.
Status PaperFilter::defer(Candidate candidate) {
  if (!deferred_) {
    deferred_ = std::make_unique<storage::ExternalSort>(
        *fs_, *pool_,
        storage::ExternalSortOptions{
            .scratch = options_.scratch, .memory = options_.memory / 2, .block = options_.block});
  }
  const uint64_t pass = candidate.a / block_rows_ * blocks_ + candidate.b / block_rows_;
  return deferred_->append({pass << 32 | candidate.a, candidate.b});
}

Status PaperFilter::run_passes() {
  KITH_ASSIGN(auto sorted, deferred_->finish());
  uint64_t pass = UINT64_MAX;
  size_t left_block = SIZE_MAX;
  for (;;) {
    KITH_ASSIGN(const auto block, sorted.next());
    if (block.empty()) break;
    for (const KeyId& candidate : block) {
      const uint64_t next = candidate.key >> 32;
      if (next != pass || pending_.size() == max_pending) KITH_TRY(test_pending(left_, right_));
      if (next != pass) {
        if (next / blocks_ != left_block) KITH_TRY(load(next / blocks_, left_));
        KITH_TRY(load(next % blocks_, right_));
        left_block = next / blocks_;
        pass = next;
      }
      pending_.push_back({static_cast<uint32_t>(candidate.key), candidate.id});
    }
  }
  KITH_TRY(test_pending(left_, right_));
  deferred_.reset();
  return Status::ok();
}

}  // namespace kith::jobs
