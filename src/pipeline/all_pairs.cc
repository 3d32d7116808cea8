#include "pipeline/all_pairs.h"

#include <optional>

#include "pipeline/pair_stage.h"
#include "pipeline/signature_stage.h"
#include "pipeline/similarity_plan.h"

namespace kith::pipeline {

Status for_each_pair(storage::FileSystem& fs, const BagCollection& bags, const Report& report,
                     const std::string& signatures_path, ThreadPool& pool,
                     const std::function<bool(const SimilarPair&)>& take) {
  const SimilarityPlan plan = plan_of(bags, report, pool);
  std::optional<SignatureTable> signatures;
  if (plan.engine == EngineChoice::lsh) {
    KITH_ASSIGN(signatures,
                SignatureTable::open(fs, signatures_path, report.options.lanes, bags.size()));
  }
  bool stopped = false;
  const auto sink = [&](uint32_t a, std::span<const pairs::Neighbour> bs) -> Status {
    for (const pairs::Neighbour& b : bs) {
      if (take({a, b.id, similarity_of(b.sum_of_minima)})) continue;
      stopped = true;
      return Error{ErrorKind::usage, "stopped by the caller"};
    }
    return Status::ok();
  };
  const Status status = join_all(bags, plan, signatures ? &*signatures : nullptr, pool, sink);
  return stopped ? Status::ok() : status;
}

}  // namespace kith::pipeline
