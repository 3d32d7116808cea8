#include "jobs/stream/page_input.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "bags/weights.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "jobs/stream/engine.h"
#include "storage/file_system.h"

namespace kith::jobs {
namespace {

constexpr uint64_t hashed_bytes = 64 << 10;  // at either end

// Of the first `size` bytes of a file, which has as many.
Result<uint64_t> hash_of(const storage::ReadableFile& file, uint64_t size) {
  std::string ends(std::min(size, 2 * hashed_bytes), '\0');
  const std::span<char> room(ends);
  const size_t head = std::min<uint64_t>(ends.size(), hashed_bytes);
  const size_t tail = ends.size() - head;
  KITH_TRY(file.read_at(0, std::as_writable_bytes(room.first(head))).status());
  KITH_TRY(file.read_at(size - tail, std::as_writable_bytes(room.subspan(head))).status());
  return hash64(ends) ^ mix64(size);
}

}  // namespace

Result<SourceStart> start_of(const std::string& path, const StreamSource& before) {
  KITH_ASSIGN(const auto file, storage::posix_file_system().open(path));
  SourceStart start;
  start.as.size = file->size();
  KITH_ASSIGN(start.as.hash, hash_of(*file, file->size()));
  bool is_same = before.size <= file->size();
  if (is_same) {
    KITH_ASSIGN(const uint64_t hash, hash_of(*file, before.size));
    is_same = hash == before.hash;
  }
  if (is_same) start.as.next = before.next;
  start.is_other = !is_same && before.next > 0;
  return start;
}

int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string_view PageInput::name_of(std::string_view url) {
  if (!text::parse_url(url, nullptr, url_)) return url;
  if (rules_.empty()) return url_.href;
  const std::string before = url_.href;
  rules_.apply(url_);
  respelled_ += url_.href != before ? 1 : 0;
  return url_.href;
}

StreamPage PageInput::read(const crawl::Page& page) {
  StreamPage next;
  next.name = name_of(page.url);
  next.time_ms = page.time == no_time ? now_ms() : page.time;
  if (page.kind == crawl::PageKind::removal || page.is_cut) return next;
  const text::HtmlText& html = text_.read(page);
  next.text = html.text;
  next.title = page.title.empty() ? std::string_view(html.title) : page.title;
  next.language = language_.empty() ? std::string_view(html.language) : language_;
  return next;
}

// What clusters are compared by: their first member, or the mean of all members; in the weights of
// the current epoch.
namespace {

// A mean that is less similar to the one that was signed has drifted.
constexpr double drift_similarity = 0.9;

}  // namespace

// A cluster of one page is compared by that page. The sums are of integers, so that the mean does
// not depend on the order of the members.
LoadedFeatures Engine::make_leader(uint32_t cluster) {
  const uint32_t first = clusters_[cluster].leader;
  if (options_.leader == StreamLeader::first || clusters_.size(cluster) == 1) {
    return bag_of_page(first, leader_);
  }
  bags::MeanBag sums;
  for (uint32_t page = first; page != nobody; page = clusters_.next(page)) {
    sums.add(bag_of(bag_of_page(page, leader_).view()), 1);
  }
  std::vector<sketch::BagEntry> mean;
  sums.take(mean_terms_, mean);
  leader_.clear();
  for (const sketch::BagEntry& entry : mean) leader_.push_back(packed(entry));
  return LoadedFeatures(Features(leader_));
}

// A member came or went: the mean is signed anew when it has drifted.
void Engine::follow(uint32_t cluster) {
  if (options_.leader == StreamLeader::first) return;
  if (!means_.is_due(cluster, clusters_.size(cluster))) return;
  const LoadedFeatures mean = make_leader(cluster);
  if (similarity_of(options_, mean.view(), compared(cluster).view()) >= drift_similarity) return;
  withdraw_leader(cluster);
  sign(cluster, mean.view());
}

// What is the first member's own is not kept twice.
void Engine::keep_leader(uint32_t cluster, Features leader) {
  const bool is_mean = options_.leader == StreamLeader::mean && clusters_.size(cluster) > 1;
  means_.set(cluster, is_mean || learns_ ? leader : Features(), 0);
}

// REQUIRES: the leader is not in the index.
void Engine::sign(uint32_t cluster, Features leader) {
  keep_leader(cluster, leader);
  enter_leader(cluster);
}

// Counts the words of a page. In a new epoch all leaders are signed anew, since they have other
// weights; which cluster a member belongs to was decided before.
void Engine::learn(Features words) {
  if (!learns_ || !words_.count(words)) return;
  for (uint32_t at = clusters_.oldest(); at != nobody; at = clusters_[at].newer) {
    keep_leader(at, make_leader(at).view());
  }
  rebuild_index();
}

}  // namespace kith::jobs
