#include "bags/boilerplate/sites.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "bags/boilerplate/templates.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "text/url/url.h"

namespace kith::bags {

Sites sites_of(std::string_view url) {
  const std::string_view host = text::host_of(url);
  Sites sites;
  sites.hashes_[0] = hash64(host);
  if (host.empty()) {  // a name, or what a damaged file may hold
    sites.count_ = 0;
    return sites;
  }
  url.remove_prefix(static_cast<size_t>(host.data() - url.data()));
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  size_t slash = path.find('/');
  while (slash != std::string_view::npos && sites.count_ <= Sites::max_sections) {
    slash = path.find('/', slash + 1);
    if (slash == std::string_view::npos) break;
    sites.hashes_[sites.count_++] = hash64(path.substr(0, slash));
  }
  return sites;
}

namespace {

// A page among those of one of its sites.
struct SitePage {
  uint64_t site;
  uint32_t hash;
  uint32_t page;

  friend auto operator<=>(const SitePage&, const SitePage&) = default;
};

// Calls take(site, sampled, pages) for every site: the pages whose hashes are no larger than the
// last one of the sample, which has `sampled` pages. Pages of one hash are more than that now and
// then.
template <class Take>
void for_each_sample(std::span<const SampledPage> pages, Take&& take) {
  std::vector<SitePage> listed;
  for (uint32_t i = 0; i < pages.size(); ++i) {
    for (const uint64_t site : pages[i].sites.all()) listed.push_back({site, pages[i].hash, i});
  }
  std::ranges::sort(listed);
  for (size_t begin = 0, end = 0; begin < listed.size(); begin = end) {
    while (end < listed.size() && listed[end].site == listed[begin].site) ++end;
    const size_t sampled = std::min<size_t>(end - begin, sampled_pages);
    size_t last = begin + sampled;
    while (last < end && listed[last].hash == listed[last - 1].hash) ++last;
    take(listed[begin].site, static_cast<uint32_t>(sampled),
         std::span(listed).subspan(begin, last - begin));
  }
}

void append_page(const SampledPage& page, std::string& out) {
  append_fixed(out, page.file);
  append_fixed(out, page.url.high);
  append_fixed(out, page.url.low);
  append_fixed(out, page.hash);
  append_fixed(out, page.rank);
  append_varint(out, page.sites.all().size());
  for (const uint64_t site : page.sites.all()) append_fixed(out, site);
  append_varint(out, page.blocks.size());
  for (const uint64_t block : page.blocks) append_fixed(out, block);
}

bool read_page(Cursor& cursor, SampledPage& page) {
  page.file = cursor.fixed<uint32_t>();
  page.url.high = cursor.fixed<uint64_t>();
  page.url.low = cursor.fixed<uint64_t>();
  page.hash = cursor.fixed<uint32_t>();
  page.rank = cursor.fixed<uint32_t>();
  const uint64_t sites = cursor.varint();
  if (sites == 0 || sites > 1 + Sites::max_sections) return false;
  std::array<uint64_t, 1 + Sites::max_sections> hashes{};
  for (uint64_t i = 0; i < sites; ++i) hashes[i] = cursor.fixed<uint64_t>();
  page.sites = Sites(std::span(hashes).first(sites));
  const uint64_t blocks = cursor.varint();
  if (blocks > cursor.remaining() / sizeof(uint64_t)) return false;
  page.blocks.resize(blocks);
  for (uint64_t& block : page.blocks) block = cursor.fixed<uint64_t>();
  return !cursor.failed();
}

// Files that have a page of a host, ascending.
std::vector<std::pair<uint64_t, uint32_t>> files_of_hosts(std::span<const SampledPage> pages) {
  std::vector<std::pair<uint64_t, uint32_t>> files;
  for (const SampledPage& page : pages) files.emplace_back(page.sites.host(), page.file);
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

// Of the pages of a URL that of the greatest rank stays, of these that of the first file.
void keep_best_captures(std::vector<SampledPage>& pages) {
  std::ranges::sort(pages, [](const SampledPage& a, const SampledPage& b) {
    return std::tie(a.url, b.rank, a.file) < std::tie(b.url, a.rank, b.file);
  });
  const auto is_same = [](const SampledPage& a, const SampledPage& b) { return a.url == b.url; };
  pages.erase(std::unique(pages.begin(), pages.end(), is_same), pages.end());
}

// What a file is told of a host.
struct HostTemplates {
  bool is_known = false;       // its sample is large enough
  std::vector<uint64_t> keys;  // Templates::key_of() of the host and of its sections
};

// The blocks that stand on enough of the pages, and not on copies of one alone.
std::vector<uint64_t> template_blocks(std::span<const SampledPage> pages,
                                      std::span<const SitePage> sample, uint32_t sampled) {
  std::vector<std::pair<uint64_t, uint32_t>> blocks;  // and the content of a page that has it
  for (const SitePage& member : sample) {
    const auto& of_page = pages[member.page].blocks;
    const uint32_t tag = content_tag(of_page);
    for (const uint64_t block : of_page) blocks.emplace_back(block, tag);
  }
  std::ranges::sort(blocks);
  std::vector<uint64_t> found;
  for (size_t begin = 0, end = 0; begin < blocks.size(); begin = end) {
    uint32_t contents = 0;
    for (; end < blocks.size() && blocks[end].first == blocks[begin].first; ++end) {
      contents += end == begin || blocks[end] != blocks[end - 1];
    }
    const bool is_template = end - begin >= min_template_pages(sampled);
    if (is_template && contents >= min_template_contents) found.push_back(blocks[begin].first);
  }
  return found;
}

std::map<uint64_t, HostTemplates> templates_of_hosts(std::span<const SampledPage> pages) {
  std::map<uint64_t, HostTemplates> hosts;
  for_each_sample(pages, [&](uint64_t site, uint32_t sampled, std::span<const SitePage> sample) {
    if (sampled < min_sampled_pages) return;
    const uint64_t host = pages[sample.front().page].sites.host();
    HostTemplates& templates = hosts[host];
    templates.is_known |= site == host;
    for (const uint64_t block : template_blocks(pages, sample, sampled)) {
      templates.keys.push_back(Templates::key_of(site, block));
    }
  });
  return hosts;
}

}  // namespace

void SiteSamples::add(std::string_view url, uint32_t rank, std::span<const Block> blocks) {
  if (text::host_of(url).empty()) return;
  SampledPage& page = pages_.emplace_back();
  page.url = hash128(url);
  page.hash = sample_hash(url);
  page.rank = rank;
  page.sites = sites_of(url);
  distinct_hashes(blocks, page.blocks);
  page.blocks.shrink_to_fit();
  if (pages_.size() < next_prune_) return;
  prune();
  next_prune_ = std::max(first_prune, 2 * pages_.size());
}

// What is in no sample of the pages so far is in none of more pages.
void SiteSamples::prune() {
  keep_best_captures(pages_);
  std::vector<bool> is_sampled(pages_.size(), false);
  for_each_sample(pages_, [&](uint64_t, uint32_t, std::span<const SitePage> sample) {
    for (const SitePage& member : sample) is_sampled[member.page] = true;
  });
  size_t kept = 0;
  for (size_t i = 0; i < pages_.size(); ++i) {
    if (!is_sampled[i]) continue;
    if (kept != i) pages_[kept] = std::move(pages_[i]);
    ++kept;
  }
  pages_.resize(kept);
}

std::vector<std::string> SiteSamples::take(uint32_t file, uint32_t slices) {
  prune();
  std::vector<std::string> bytes(slices);
  for (SampledPage& page : pages_) {
    page.file = file;
    append_page(page, bytes[page.sites.host() % slices]);
  }
  pages_.clear();
  return bytes;
}

Result<SliceTemplates> site_templates(std::span<const std::string_view> samples) {
  std::vector<SampledPage> pages;
  for (const std::string_view bytes : samples) {
    for (Cursor cursor(bytes); !cursor.at_end();) {
      if (!read_page(cursor, pages.emplace_back())) {
        return Error{ErrorKind::corrupt, "pages of sites: these are no bytes of site samples"};
      }
    }
  }
  const auto files = files_of_hosts(pages);
  keep_best_captures(pages);
  const std::map<uint64_t, HostTemplates> hosts = templates_of_hosts(pages);
  SliceTemplates found;
  for (const auto& [host, templates] : hosts) found.blocks += templates.keys.size();
  std::map<uint32_t, std::string> by_file;
  for (const auto& [host, file] : files) {
    std::string& bytes = by_file[file];
    const auto templates = hosts.find(host);
    if (templates == hosts.end()) continue;
    append_host(host, templates->second.is_known, templates->second.keys, bytes);
  }
  for (auto& [file, bytes] : by_file) found.files.push_back({file, std::move(bytes)});
  return found;
}

}  // namespace kith::bags
