#include "jobs/stream/leader_index.h"

namespace kith::jobs {

std::unique_ptr<LeaderIndex> make_leader_index(const StreamOptions& options) {
  switch (options.by) {
    case StreamBy::shingles:
      return options.measure == StreamMeasure::resemblance ? make_resemblance_index(options)
                                                           : make_containment_index(options);
    case StreamBy::bags:
      return make_bag_index(options);
    case StreamBy::simhash:
      return make_simhash_index(options);
    case StreamBy::fingerprint:
      break;
  }
  return make_fingerprint_index();
}

}  // namespace kith::jobs
