#include "jobs/dedup/titles.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bags/boilerplate/sites.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/parallel/radix_sort.h"

namespace kith::jobs {
namespace {

constexpr std::string_view words_section = "words";
constexpr std::string_view sizes_section = "sizes";
// Of a host with fewer titles nothing is known of their words.
constexpr uint32_t min_host_titles = 8;

// Where the number at `at` ends: digits, and points and the like between digits. `at` where there
// is none.
size_t number_end(std::string_view text, size_t at) {
  constexpr std::string_view inner = ".,-:/_";
  const auto is_digit = [&](size_t i) { return i < text.size() && is_ascii_digit(text[i]); };
  while (is_digit(at)) {
    ++at;
    const bool goes_on = at < text.size() && inner.find(text[at]) != inner.npos && is_digit(at + 1);
    if (goes_on) ++at;
  }
  return at;
}

bool is_common(uint32_t titles_with_word, uint32_t titles) {
  return 10 * uint64_t{titles_with_word} >= 9 * uint64_t{titles};
}

// What the titles say: the words of all, changed in their places, and then moved together.
class TitleReader {
 public:
  TitleReader(std::span<const uint32_t> words, std::span<const uint8_t> sizes)
      : words_(words.begin(), words.end()), sizes_(sizes.begin(), sizes.end()) {
    begins_.reserve(sizes.size());
    uint64_t at = 0;
    for (const uint8_t size : sizes) {
      begins_.push_back(at);
      at += size;
    }
  }

  similar::Subjects make(const std::function<std::string_view(uint32_t id)>& name_of) {
    for (uint32_t id = 0; id < sizes_.size(); ++id) make_distinct(id);
    std::vector<KeyId> by_host;
    for (uint32_t id = 0; id < sizes_.size(); ++id) {
      const std::string_view name = name_of(id);
      const bool has_host = name.starts_with("http://") || name.starts_with("https://");
      if (sizes_[id] > 0 && has_host) by_host.push_back({bags::sites_of(name).host(), id});
    }
    std::ranges::sort(by_host, {}, [](const KeyId& one) { return std::pair(one.key, one.id); });
    for (std::span<const KeyId> rest = by_host; !rest.empty();) {
      const auto next =
          std::ranges::find_if(rest, [&](const KeyId& one) { return one.key != rest.front().key; });
      const auto titles = static_cast<size_t>(next - rest.begin());
      if (titles >= min_host_titles) leave_out_common(rest.first(titles));
      rest = rest.subspan(titles);
    }
    return take();
  }

 private:
  std::span<uint32_t> title(uint32_t id) { return {words_.data() + begins_[id], sizes_[id]}; }

  void make_distinct(uint32_t id) {
    const std::span<uint32_t> words = title(id);
    std::ranges::sort(words);
    sizes_[id] = static_cast<uint8_t>(std::unique(words.begin(), words.end()) - words.begin());
  }

  // The titles of a host: leaves common words out.
  void leave_out_common(std::span<const KeyId> host) {
    counts_.clear();
    for (const KeyId& one : host) {
      for (const uint32_t word : title(one.id)) ++counts_[similar::sure_word(word)];
    }
    const auto titles = static_cast<uint32_t>(host.size());
    for (const KeyId& one : host) {
      const std::span<uint32_t> words = title(one.id);
      const auto left = std::remove_if(words.begin(), words.end(), [&](uint32_t word) {
        return is_common(counts_.find(similar::sure_word(word))->second, titles);
      });
      sizes_[one.id] = static_cast<uint8_t>(left - words.begin());
    }
  }

  similar::Subjects take() {
    uint64_t end = 0;
    for (uint32_t id = 0; id < sizes_.size(); ++id) {
      std::ranges::copy(title(id), words_.begin() + static_cast<ptrdiff_t>(end));
      end += sizes_[id];
      begins_[id] = end;
    }
    words_.resize(end);
    return {std::move(words_), std::move(begins_)};
  }

  std::vector<uint32_t> words_;
  std::vector<uint8_t> sizes_;
  std::vector<uint64_t> begins_;
  boost::unordered_flat_map<uint32_t, uint32_t> counts_;
};

// By document the first one of the same text.
std::vector<uint32_t> first_of_text(uint32_t documents,
                                    const std::function<uint64_t(uint32_t id)>& text_of) {
  std::vector<uint32_t> first(documents);
  std::iota(first.begin(), first.end(), 0u);
  std::vector<uint32_t> by_text = first;
  std::ranges::sort(by_text, [&](uint32_t a, uint32_t b) {
    const uint64_t text_a = text_of(a);
    const uint64_t text_b = text_of(b);
    return text_a != text_b ? text_a < text_b : a < b;
  });
  for (size_t i = 1; i < by_text.size(); ++i) {
    const uint64_t text = text_of(by_text[i]);
    if (text != 0 && text == text_of(by_text[i - 1])) first[by_text[i]] = first[by_text[i - 1]];
  }
  return first;
}

}  // namespace

std::span<const uint32_t> TitleWords::read(const text::HtmlText& page) {
  title_.clear();
  headings_.clear();
  split(page.title, title_);
  if (title_.empty()) return {};
  for (const text::TextPart& heading : page.headings) split(page.text_of(heading), headings_);
  words_.clear();
  for (const Word& word : title_) {
    const bool is_sure = std::ranges::find(headings_, word.hash, &Word::hash) != headings_.end();
    if (!word.is_number || is_sure) {
      words_.push_back(is_sure ? similar::sure_word(word.hash) : word.hash);
    }
  }
  return words_;
}

// Adds the first words and numbers of a text.
void TitleWords::split(std::string_view text, std::vector<Word>& words) {
  // Longer words than a person reads make no difference.
  constexpr size_t most_bytes = 64 * max_words;
  const size_t most = words.size() + max_words;
  const auto add = [&](std::string_view word, bool is_number) {
    words.push_back({static_cast<uint32_t>(hash64(word)) & ~1u, is_number});
  };
  text = cut_utf8(text, most_bytes);
  letters_.clear();
  for (size_t at = 0; at < text.size();) {
    const size_t end = number_end(text, at);
    if (end == at) {
      letters_.push_back(text[at++]);
      continue;
    }
    if (words.size() < most) add(text.substr(at, end - at), true);
    at = end;
  }
  splitter_.reset(letters_);
  std::string_view word;
  uint32_t offset = 0;
  while (words.size() < most && splitter_.next(word, offset)) add(word, false);
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

Result<TitleFile> TitleFile::open(storage::FileSystem& fs, const std::string& path,
                                  uint32_t documents) {
  KITH_ASSIGN(auto opened, storage::SectionFile::open(fs, path, titles_kind));
  TitleFile file(std::move(opened));
  KITH_ASSIGN(file.words_, file.file_.array<uint32_t>(words_section));
  KITH_ASSIGN(file.sizes_, file.file_.array<uint8_t>(sizes_section));
  uint64_t sum = 0;
  for (const uint8_t size : file.sizes_) sum += size;
  if (file.sizes_.size() != documents || sum != file.words_.size()) {
    return file.file_.corrupt("is not of the same run as the documents");
  }
  return file;
}

Result<similar::Subjects> read_titles(storage::FileSystem& fs, const std::string& path,
                                      uint32_t documents,
                                      const std::function<std::string_view(uint32_t id)>& name_of,
                                      const std::function<uint64_t(uint32_t id)>& text_of) {
  KITH_ASSIGN(const TitleFile file, TitleFile::open(fs, path, documents));
  similar::Subjects titles = TitleReader(file.words(), file.sizes()).make(name_of);
  titles.share(first_of_text(documents, text_of));
  return titles;
}

}  // namespace kith::jobs
