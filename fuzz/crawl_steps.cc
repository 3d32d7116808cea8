// Any bytes as what one machine sends another on the way from the files of a crawl to bags: pages
// of sites, fragments, aliases, words of URLs. What is made of them can be sent on and read again.
//
// The first byte says what the others are.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "distributed/aliases.h"
#include "distributed/page_file.h"
#include "distributed/url_words.h"

namespace {

using namespace kith;
using namespace kith::distributed;

constexpr uint32_t slices = 3;
constexpr uint64_t urls_at_a_time = 5;

std::vector<std::string_view> filled(const std::vector<std::string>& all) {
  std::vector<std::string_view> views;
  for (const std::string& bytes : all) {
    if (!bytes.empty()) views.push_back(bytes);
  }
  return views;
}

void check_some(const FilePages& some, uint64_t parts) {
  const PageWords& words = some.words;
  KITH_CHECK(words.pages() == some.urls.size());
  KITH_CHECK(words.documents.size() == parts * words.stems.size());
  for (const uint64_t entry : words.entries) {
    KITH_CHECK(static_cast<uint32_t>(entry) < words.documents.size());
  }
}

void read_all(UrlWords& words, uint64_t parts) {
  for (;;) {
    const auto some = words.next(urls_at_a_time);
    if (!some || some->urls.size() == 0) return;
    check_some(*some, parts);
  }
}

void share_copies(const ClusterOptions& options, std::span<const std::string_view> fragments,
                  std::string_view folded) {
  const auto words = UrlWords::make(options, fragments, folded);
  if (!words) return;
  std::vector<std::string> sent;
  for (;;) {
    const auto some = (*words)->next_by_content(urls_at_a_time, slices);
    if (!some || filled(*some).empty()) break;
    sent.insert(sent.end(), some->begin(), some->end());
  }
  const auto shared = UrlWords::with_copies(options, filled(sent));
  KITH_CHECK(shared.is_ok());
  KITH_CHECK((*shared)->copied() <= (*shared)->copies());
  read_all(**shared, 2);
}

void use_sites(std::string_view bytes) {
  static_cast<void>(site_templates(std::span(&bytes, 1)));
}

void use_aliases(std::string_view bytes) {
  const auto sound = aliases_of_slice(std::span(&bytes, 1));
  if (!sound) return;
  const std::string_view view = *sound;
  const auto folded = fold_urls(std::span(&view, 1), {}, slices);
  KITH_CHECK(folded.is_ok());
  for (const std::string& of_slice : folded->slices) {
    KITH_CHECK(fold_fragments({}, of_slice, slices).is_ok());
  }
}

// The first two bytes are the length of what says where URLs are folded into.
void use_fragments(const ClusterOptions& options, std::string_view bytes) {
  if (bytes.size() < 2) return;
  const size_t length = static_cast<uint8_t>(bytes[0]) << 8 | static_cast<uint8_t>(bytes[1]);
  const std::string_view folded = bytes.substr(2, length);
  const std::string_view fragments = bytes.substr(2 + folded.size());
  std::vector<std::string_view> pieces;
  if (!fragments.empty()) pieces.push_back(fragments);
  const auto said = fold_fragments(pieces, folded, slices);
  if (!said) return;
  const auto others = other_aliases(pieces, filled(*said));
  KITH_CHECK(others.is_ok());
  for (const std::string_view more : filled(*said)) pieces.push_back(more);
  if (options.bags == BagKind::both) return share_copies(options, pieces, folded);
  const auto words = UrlWords::make(options, pieces, folded);
  if (words) read_all(**words, 1);
}

void use_words(const ClusterOptions& options, std::string_view bytes) {
  const auto words = UrlWords::with_copies(options, std::span(&bytes, 1));
  if (words) read_all(**words, 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  ClusterOptions links;
  links.bags = BagKind::anchor;
  links.urls = UrlScope::all;
  const ClusterOptions both;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      use_sites(bytes);
      break;
    case 1:
      use_aliases(bytes);
      break;
    case 2:
      use_fragments(links, bytes);
      break;
    case 3:
      use_fragments(both, bytes);
      break;
    default:
      use_words(both, bytes);
  }
  return 0;
}
