// Search by the beginning of a URL, a part of a host, and words of titles and labels.
#pragma once

#include "server/cluster_api.h"

namespace kith::server {

// The parameters q and n, of each kind. Hosts, titles and labels are looked through where they
// lie, each for as long as a question may take: the answer says whether that was all of the run.
Result<Json> search(const ClusterApi& api, const Target& target);

}  // namespace kith::server
