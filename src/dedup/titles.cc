#include "dedup/titles.h"

#include <algorithm>
#include <array>
#include <optional>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bags/boilerplate/sites.h"
#include "base/hash.h"

namespace kith::pipeline {
namespace {

constexpr std::string_view words_section = "words";
constexpr std::string_view sizes_section = "sizes";
constexpr uint32_t min_host_pages = 8;

// Words that more than a seventeenth of the titles of a host may have, and perhaps others
// (Misra and Gries); then how many have each.
struct HostWords {
  static constexpr size_t most = 16;
  struct Word {
    uint32_t hash = 0;
    uint32_t count = 0;
  };
  std::array<Word, most> words = {};
  uint32_t titles = 0;

  Word* find(uint32_t hash) {
    const auto found = std::ranges::find_if(
        words, [&](const Word& word) { return word.count > 0 && word.hash == hash; });
    return found == words.end() ? nullptr : &*found;
  }
  void choose(uint32_t hash) {
    if (Word* const known = find(hash)) {
      ++known->count;
      return;
    }
    const auto place = std::ranges::find(words, 0u, &Word::count);
    if (place != words.end()) {
      *place = {hash, 1};
      return;
    }
    for (Word& word : words) --word.count;
  }
};

// Each of them once.
std::vector<uint32_t> distinct(std::span<const uint32_t> words) {
  std::vector<uint32_t> once(words.begin(), words.end());
  std::ranges::sort(once);
  once.erase(std::unique(once.begin(), once.end()), once.end());
  return once;
}

// The keys of all titles, in three passes over them.
class TitleKeys {
 public:
  TitleKeys(std::span<const uint32_t> words, std::span<const uint8_t> sizes,
            const std::function<std::string_view(uint32_t id)>& name_of)
      : words_(words), sizes_(sizes), name_of_(name_of) {}

  std::vector<uint64_t> make() {
    for_each([](HostWords& host, std::span<const uint32_t> title) {
      ++host.titles;
      for (const uint32_t word : distinct(title)) host.choose(word);
    });
    for (auto& [hash, host] : hosts_) {
      for (HostWords::Word& word : host.words) word.count = word.count > 0 ? 1 : 0;
    }
    for_each([](HostWords& host, std::span<const uint32_t> title) {
      for (const uint32_t hash : distinct(title)) {
        if (HostWords::Word* const word = host.find(hash)) ++word->count;
      }
    });
    std::vector<uint64_t> keys(sizes_.size());
    size_t at = 0;
    for (uint32_t id = 0; id < sizes_.size(); ++id) {
      keys[id] = key_of(words_.subspan(at, sizes_[id]), host_of(id));
      at += sizes_[id];
    }
    return keys;
  }

 private:
  static std::optional<uint64_t> host_hash(std::string_view name) {
    if (!name.starts_with("http://") && !name.starts_with("https://")) return std::nullopt;
    return bags::sites_of(name).host();
  }

  HostWords* host_of(uint32_t id) {
    const auto hash = host_hash(name_of_(id));
    if (!hash) return nullptr;
    const auto found = hosts_.find(*hash);
    return found == hosts_.end() ? nullptr : &found->second;
  }

  void for_each(const auto& visit) {
    size_t at = 0;
    for (uint32_t id = 0; id < sizes_.size(); ++id) {
      const std::span<const uint32_t> title = words_.subspan(at, sizes_[id]);
      at += title.size();
      if (title.empty()) continue;
      if (const auto hash = host_hash(name_of_(id))) visit(hosts_[*hash], title);
    }
  }

  static bool is_common(HostWords& host, uint32_t hash) {
    const HostWords::Word* const word = host.find(hash);
    // The counts of the second pass begin at 1.
    return word != nullptr && 10 * uint64_t{word->count - 1} >= 9 * uint64_t{host.titles};
  }

  static uint64_t key_of(std::span<const uint32_t> title, HostWords* host) {
    const bool has_common = host != nullptr && host->titles >= min_host_pages;
    uint64_t key = 0;
    for (const uint32_t word : title) {
      if (has_common && is_common(*host, word)) continue;
      key = mix64(key ^ word) | 1;
    }
    return key;
  }

  const std::span<const uint32_t> words_;
  const std::span<const uint8_t> sizes_;
  const std::function<std::string_view(uint32_t id)>& name_of_;
  boost::unordered_flat_map<uint64_t, HostWords> hosts_;
};

}  // namespace

void read_title(std::string_view title, text::WordSplitter& splitter,
                std::vector<uint32_t>& words) {
  words.clear();
  splitter.reset(title);
  std::string_view word;
  uint32_t offset = 0;
  while (words.size() < max_title_words && splitter.next(word, offset)) {
    words.push_back(static_cast<uint32_t>(hash64(word)));
  }
}

Result<TitleWriter> TitleWriter::create(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, titles_kind));
  KITH_TRY(file.begin(words_section));
  return TitleWriter(std::move(file));
}

Status TitleWriter::add(std::span<const uint32_t> words, std::span<const uint8_t> sizes) {
  sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
  return file_.append_array(words);
}

Status TitleWriter::finish() {
  KITH_TRY(file_.write_array(sizes_section, sizes_));
  return file_.finish();
}

Result<std::vector<uint64_t>> read_title_keys(
    storage::FileSystem& fs, const std::string& path, uint32_t documents,
    const std::function<std::string_view(uint32_t id)>& name_of) {
  KITH_ASSIGN(const auto file, storage::SectionFile::open(fs, path, titles_kind));
  KITH_ASSIGN(const auto words, file.array<uint32_t>(words_section));
  KITH_ASSIGN(const auto sizes, file.array<uint8_t>(sizes_section));
  uint64_t sum = 0;
  for (const uint8_t size : sizes) sum += size;
  if (sizes.size() != documents || sum != words.size()) {
    return file.corrupt("is not of the same run as the documents");
  }
  return TitleKeys(words, sizes, name_of).make();
}

}  // namespace kith::pipeline
