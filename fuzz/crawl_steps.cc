// Any bytes as what one machine sends another on the way from the files of a crawl to bags: pages
// of sites, fragments, aliases, words of URLs. What is made of them can be sent on and read again.
//
// The first byte says what the others are.
#include "kith/crawl_steps.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/bag_steps.h"

#include "base/check.h"

namespace {

using namespace kith;

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
  for (const uint32_t term : words.terms) KITH_CHECK(term < words.documents.size());
}

void read_all(UrlWords words, uint64_t parts) {
  for (;;) {
    const auto some = words.next(urls_at_a_time);
    if (!some || some->urls.size() == 0) return;
    check_some(*some, parts);
  }
}

void share_copies(const BagSteps& steps, std::span<const std::string_view> fragments,
                  std::string_view folded) {
  auto words = UrlWords::make(steps, fragments, folded);
  if (!words) return;
  std::vector<std::string> sent;
  for (;;) {
    const auto some = words->next_by_content(urls_at_a_time, slices);
    if (!some || filled(*some).empty()) break;
    sent.insert(sent.end(), some->begin(), some->end());
  }
  auto shared = UrlWords::with_copies(steps, filled(sent));
  KITH_CHECK(shared.is_ok());
  KITH_CHECK(shared->copied() <= shared->copies());
  read_all(*std::move(shared), 2);
}

void use_sites(std::string_view bytes) {
  const auto found = PageFile::site_templates(std::span(&bytes, 1));
  if (found) KITH_CHECK(found->files.size() == found->templates.size());
}

void use_aliases(std::string_view bytes) {
  const auto sound = UrlAliases::of_slice(std::span(&bytes, 1));
  if (!sound) return;
  const std::string_view view = *sound;
  const auto folded = UrlAliases::fold_urls(std::span(&view, 1), {}, slices);
  KITH_CHECK(folded.is_ok());
  for (const std::string& of_slice : folded->slices) {
    KITH_CHECK(UrlAliases::fold({}, of_slice, slices).is_ok());
  }
}

// The first two bytes are the length of what says where URLs are folded into.
void use_fragments(const BagSteps& steps, std::string_view bytes) {
  if (bytes.size() < 2) return;
  const size_t length = static_cast<uint8_t>(bytes[0]) << 8 | static_cast<uint8_t>(bytes[1]);
  const std::string_view folded = bytes.substr(2, length);
  const std::string_view fragments = bytes.substr(2 + folded.size());
  std::vector<std::string_view> pieces;
  if (!fragments.empty()) pieces.push_back(fragments);
  const auto said = UrlAliases::fold(pieces, folded, slices);
  if (!said) return;
  const auto others = UrlAliases::others(pieces, filled(*said));
  KITH_CHECK(others.is_ok());
  for (const std::string_view more : filled(*said)) pieces.push_back(more);
  if (steps.options().bags == BagKind::both) return share_copies(steps, pieces, folded);
  auto words = UrlWords::make(steps, pieces, folded);
  if (words) read_all(*std::move(words), 1);
}

void use_words(const BagSteps& steps, std::string_view bytes) {
  auto words = UrlWords::with_copies(steps, std::span(&bytes, 1));
  if (words) read_all(*std::move(words), 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const BagSteps links =
      *BagSteps::make({.bags = BagKind::anchor, .urls = UrlScope::all, .aliases = true});
  static const BagSteps both = *BagSteps::make({.bags = BagKind::both, .aliases = true});
  if (size == 0) return 0;
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
