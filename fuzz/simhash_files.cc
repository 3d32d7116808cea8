// The files of SimHash, of any bytes (section_files.h), opened and then used.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/section_files.h"
#include "similar/fingerprints/fingerprint_groups.h"
#include "similar/fingerprints/simhash_join.h"
#include "sketch/simhash.h"

namespace {

using kith::fuzz::File;
using kith::fuzz::opened;
using kith::fuzz::path;
using kith::fuzz::require;

constexpr size_t max_used = 1000;
constexpr uint32_t documents = 1000;

kith::Status use_groups(kith::storage::FileSystem& fs) {
  const auto groups = kith::similar::FingerprintGroups::open(fs, path, documents);
  if (!opened(groups)) return kith::Status::ok();
  for (size_t place = 0; place < std::min(groups->size(), max_used); ++place) {
    require(!groups->documents(place).empty());
    for (const uint32_t document : groups->documents(place)) require(document < documents);
  }
  static kith::ThreadPool one_thread(1);
  const auto fingerprints = groups->fingerprints();
  const auto sink = [&](std::span<const kith::similar::FingerprintPair> batch) {
    for (const kith::similar::FingerprintPair& pair : batch) {
      require(pair.a < pair.b && pair.b < fingerprints.size());
      require(pair.distance == kith::hamming_distance(fingerprints[pair.a], fingerprints[pair.b]));
    }
    return kith::Status::ok();
  };
  require(kith::similar::simhash_join(fingerprints, {}, one_thread, sink).is_ok());
  return groups->verify();
}

const std::vector<File>& files() {
  static const std::vector<File> all{
      {kith::similar::fingerprint_groups_kind,
       {"documents_at", "fingerprints", "documents"},
       use_groups},
  };
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kith::fuzz::use_one_of(files(), data, size);
}
