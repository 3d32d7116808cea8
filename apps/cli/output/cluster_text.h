// A cluster in words.
#pragma once

#include <string>
#include <vector>

#include "kith/run.h"

namespace kith::cli {

// Its hosts, most members first: "docs.scipy.org", or with the share where that is not all:
// "a.example 60 %".
std::vector<std::string> host_texts(const Cluster& cluster);

// Hosts, three at most, and label: "docs.scipy.org: sparse, matrix, elements".
std::string label_text(const Cluster& cluster);

}  // namespace kith::cli
