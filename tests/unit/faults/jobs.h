// The jobs of the library, each over a few small pages, as its callers start them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "kith/progress.h"

#include "support/fault_loop.h"

namespace kith::test {

struct NamedJob {
  std::string name;
  FaultyJob job;

  friend std::ostream& operator<<(std::ostream& out, const NamedJob& job) {
    return out << job.name;
  }
};

// Goes on. Made once, since a test has no memory for another.
inline const ProgressCallback& goes_on() {
  static const ProgressCallback callback = [](const Progress&) { return true; };
  return callback;
}

// `folder`: with what the jobs read, which make_inputs() has made.
void make_inputs(const std::string& folder);
std::vector<NamedJob> jobs_of_clusters(const std::string& folder);
std::vector<NamedJob> jobs_of_dedup(const std::string& folder);
std::vector<NamedJob> jobs_of_streams(const std::string& folder);
// What is asked of finished runs.
std::vector<NamedJob> questions(const std::string& folder);

}  // namespace kith::test
