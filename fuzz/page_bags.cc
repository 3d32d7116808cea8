// Any bytes as a page on its way to bags: text and links, the digest, fragments on a disk, which
// are then read back. The bytes that are written are bounded by the bytes of the page.
//
// The first byte has the options, the second how often the page repeats what follows, and the two
// behind them the length of its base URL: so a small input is a page that is large.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bags/page_digest.h"
#include "bags/page_fragments.h"
#include "support/memory_file_system.h"
#include "text/charset/charset.h"

namespace {

using namespace kith::bags;
using kith::BagKind;
using kith::text::HtmlText;
using kith::text::Url;

constexpr size_t head = 4;
constexpr unsigned max_repeats = 16;
// What a byte of a page may bring, next to max_link_growth for its URLs: windows of a link hold at
// most 16 words of 5 bytes, and two fragments have keys.
constexpr uint64_t max_growth = 3 * max_link_growth + 200;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

FragmentOptions options_of(uint8_t bits) {
  FragmentOptions options;
  options.kind = (bits & 64) != 0  ? BagKind::both
                 : (bits & 1) != 0 ? BagKind::content
                                   : BagKind::anchor;
  options.links = (bits & 2) != 0 ? kith::LinkScope::external : kith::LinkScope::all;
  options.count_inlinks = (bits & 4) != 0;
  options.keep_aliases = (bits & 8) != 0;
  options.window = (bits & 16) != 0 ? 8 : 0;
  options.blocks = (bits & 32) != 0 || options.kind == BagKind::both;
  return options;
}

std::string make_page(const uint8_t* data, size_t size) {
  const size_t base = (size_t{data[2]} << 8 | data[3]) % (kith::text::max_url_bytes + 100);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + head, size - head);
  std::string buffer;
  const std::string body(kith::text::to_utf8(bytes, {}, true, buffer).bytes);
  std::string html;
  if (base != 0) html = "<base href=\"http://b.example/" + std::string(base, 'b') + "/\">";
  for (unsigned repeat = data[1] % max_repeats; repeat-- > 0;) html += body;
  return html + body;
}

void check_url(std::string_view bytes, const kith::Key128& key) {
  Url url;
  require(kith::text::parse_url(bytes, nullptr, url) && url.href == bytes);
  require(key == kith::hash128(bytes));
}

// Every fragment can be read, and there are as many as were counted. Gives the words of the page.
void check_fragments(std::string_view bytes, const FragmentCounts& counts, uint32_t terms) {
  uint64_t pages = 0;
  uint64_t windows = 0;
  Fragment fragment;
  for (kith::Cursor cursor(bytes); !cursor.at_end();) {
    require(read_fragment(cursor, fragment));
    if (fragment.kind == FragmentKind::url) check_url(fragment.text, fragment.url);
    if (fragment.kind == FragmentKind::page) ++pages;
    if (fragment.kind == FragmentKind::link) ++windows;
    for_each_term(fragment, [&](uint32_t term) { require(term < terms); });
  }
  require(pages == 1 && windows == counts.windows);
}

void check_digest(const PageDigest& page) {
  require(page.links.size() == page.link_urls.size());
  require(page.links.size() + page.bad_links + page.self_links <= page.links_met);
  uint64_t begin = 0;
  for (const Block& block : page.blocks) {
    require(&block == page.blocks.data() ? block.begin == 0 : block.begin > begin);
    require(block.begin < page.terms.size());
    begin = block.begin;
  }
  for (const DigestLink& link : page.links) {
    require(link.begin <= link.end && link.end <= page.terms.size());
  }
  for (const std::string& other : {page.canonical, page.refresh}) {
    if (!other.empty()) check_url(other, kith::hash128(other));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < head) return 0;
  static HtmlText page;
  const std::string html = make_page(data, size);
  kith::text::extract_html(html, page);
  Url url;
  require(kith::text::parse_url("http://h.example/a/b", nullptr, url));

  kith::test::MemoryFileSystem fs;
  FragmentSpool spool(fs, "fragments-", 1);
  FragmentWriter writer(spool, 4096);
  const FragmentOptions options = options_of(data[0]);
  Vocabulary vocabulary;
  TermReader terms(vocabulary);
  PageDigester digester(options, terms);
  PageFragments fragments(options, writer);
  BoilerplateTally boilerplate{Templates()};
  if (options.blocks) fragments.leave_out(boilerplate);
  const PageDigest& digest = digester.read(url, page, "", kith::no_time);
  check_digest(digest);
  require(fragments.add(digest).is_ok());
  require(writer.flush().is_ok());

  require(spool.bytes(0) <= free_link_bytes + max_growth * (html.size() + url.href.size()));
  const auto bytes = kith::storage::read_file(fs, spool.path(0));
  require(bytes.is_ok() && bytes->size() == spool.bytes(0));
  check_fragments(*bytes, fragments.counts(), vocabulary.size());
  return 0;
}
