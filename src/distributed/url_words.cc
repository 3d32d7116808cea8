// kith::UrlWords: what all pages say of some URLs, as words.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "kith/bag_steps.h"
#include "kith/crawl_steps.h"

#include "api/batch.h"
#include "bags/alias_folding.h"
#include "bags/aliases.h"
#include "bags/collapse.h"
#include "bags/fragment.h"
#include "bags/run.h"
#include "bags/vocabulary/vocabulary.h"
#include "bags/weights.h"
#include "base/bytes.h"
#include "distributed/page_file.h"
#include "distributed/url_records.h"
#include "storage/memory_file_system.h"
#include "text/url/url.h"

namespace kith {
namespace {

using distributed::StemNumbering;

constexpr const char* file_of_run = "run";
constexpr size_t read_block = 1 << 20;

bags::Slots slots_of(const BagSteps& steps) {
  return bags::Slots(steps.options().bags == BagKind::both ? 2 : 1);
}

// The words of some URLs as they are added, with numbers of stems of their own.
class WordsOfUrls {
 public:
  // By number a stem of all URLs; they must outlive this object.
  WordsOfUrls(std::span<const std::string_view> stems, bags::Slots slots)
      : numbering_(slots), stems_(stems), slots_(slots) {}

  void add(std::string_view surt, std::span<const bags::TermCount> counts) {
    text::url_of_surt(surt, url_);
    some_.urls.add(url_);
    numbering_.number(counts, page_);
    PageWords& words = some_.words;
    words.documents.resize(numbering_.met().size() * slots_.parts());
    for (const bags::TermCount& entry : page_) {
      words.terms.push_back(entry.term);
      words.counts.push_back(entry.count);
      ++words.documents[entry.term];
    }
    words.offsets.push_back(words.terms.size());
  }
  size_t size() const { return some_.urls.size(); }

  // Those that were added since the last call.
  FilePages take() {
    for (const uint32_t stem : numbering_.met()) some_.words.stems.add(stems_[stem]);
    numbering_.start();
    return std::exchange(some_, {});
  }

 private:
  StemNumbering numbering_;
  std::span<const std::string_view> stems_;
  bags::Slots slots_;
  std::vector<bags::TermCount> page_;
  std::string url_;
  FilePages some_;
};

}  // namespace

struct UrlWords::State {
  explicit State(bags::Slots parts) : slots(parts) {}

  bags::Slots slots;
  bags::Vocabulary vocabulary;
  std::vector<std::string_view> stems;
  storage::MemoryFileSystem files;
  std::optional<bags::RunReader> run;
  std::optional<WordsOfUrls> words;
  uint64_t fetched = 0;
  uint64_t left_out = 0;
  uint64_t copies = 0;
  uint64_t copied = 0;
  bags::RunRecord record;
  std::vector<bags::TermCount> counts;  // of the record

  Status collapse(const std::string& fragments, const bags::AliasMap& aliases, UrlScope urls) {
    bags::DocumentFrequencies frequencies(vocabulary.size(), slots);
    bags::CollapseOptions options;
    options.urls = urls;
    options.aliases = &aliases;
    options.frequencies = &frequencies;
    KITH_ASSIGN(const bags::CollapseCounts found,
                bags::collapse_partition(files, fragments, file_of_run, options));
    fetched = found.fetched;
    left_out = found.left_out;
    return open();
  }

  Status write(const distributed::UrlRecords& records) {
    KITH_ASSIGN(bags::RunWriter writer, bags::RunWriter::create(files, file_of_run));
    for (const bags::RawBag& bag : records.bags()) KITH_TRY(writer.add(bag));
    KITH_TRY(writer.finish());
    copies = records.copies();
    copied = records.copied();
    return open();
  }

  Status open() {
    stems = vocabulary.stems();
    words.emplace(stems, slots);
    KITH_ASSIGN(run, bags::RunReader::open(files, file_of_run, read_block));
    return Status::ok();
  }

  // Moves to the next record; false at the end.
  Result<bool> next() {
    KITH_ASSIGN(const bool more, run->next());
    if (more && !bags::read_record(run->record(), record, counts)) return run->damaged();
    return more;
  }
};

UrlWords::UrlWords(std::unique_ptr<State> state) : state_(std::move(state)) {}
UrlWords::~UrlWords() = default;
UrlWords::UrlWords(UrlWords&&) noexcept = default;
UrlWords& UrlWords::operator=(UrlWords&&) noexcept = default;

Result<UrlWords> UrlWords::make(const BagSteps& steps, std::span<const std::string_view> fragments,
                                std::string_view folded) {
  return run::guarded([&]() -> Result<UrlWords> {
    auto state = std::make_unique<State>(slots_of(steps));
    KITH_ASSIGN(const bags::AliasMap aliases, distributed::read_folded(folded));
    KITH_ASSIGN(const std::string all, distributed::read_slices(fragments, state->vocabulary));
    KITH_TRY(state->collapse(all, aliases, steps.options().urls));
    return UrlWords(std::move(state));
  });
}

Result<UrlWords> UrlWords::with_copies(const BagSteps& steps,
                                       std::span<const std::string_view> urls) {
  return run::guarded([&]() -> Result<UrlWords> {
    auto state = std::make_unique<State>(slots_of(steps));
    distributed::UrlRecords records(state->slots);
    for (const std::string_view some : urls) {
      if (records.read(some, state->vocabulary)) continue;
      return Error{ErrorKind::corrupt, "words of URLs: these are no bytes of such words"};
    }
    records.share_anchors();
    KITH_TRY(state->write(records));
    return UrlWords(std::move(state));
  });
}

Result<FilePages> UrlWords::next(uint64_t urls) {
  return run::guarded([&]() -> Result<FilePages> {
    while (state_->words->size() < urls) {
      KITH_ASSIGN(const bool more, state_->next());
      if (!more) break;
      state_->words->add(state_->record.surt, state_->counts);
    }
    return state_->words->take();
  });
}

Result<std::vector<std::string>> UrlWords::next_by_content(uint64_t urls, uint32_t slices) {
  return run::guarded([&]() -> Result<std::vector<std::string>> {
    std::vector<distributed::UrlRecordWriter> writers(slices,
                                                      distributed::UrlRecordWriter(state_->slots));
    for (uint64_t i = 0; i < urls; ++i) {
      KITH_ASSIGN(const bool more, state_->next());
      if (!more) break;
      const uint64_t slice = distributed::slice_of(state_->record, slices);
      writers[slice].add(state_->record, state_->counts);
    }
    std::vector<std::string> bytes;
    bytes.reserve(slices);
    for (distributed::UrlRecordWriter& writer : writers)
      bytes.push_back(writer.take(state_->stems));
    return bytes;
  });
}

uint64_t UrlWords::fetched() const {
  return state_->fetched;
}

uint64_t UrlWords::left_out() const {
  return state_->left_out;
}

uint64_t UrlWords::copies() const {
  return state_->copies;
}

uint64_t UrlWords::copied() const {
  return state_->copied;
}

// kith::UrlAliases: URLs that stand for another one, by slices.
namespace distributed {
namespace {

// In the place of the kind of an alias: the URL was fetched.
constexpr uint8_t fetched_url = 255;

void append_key(uint8_t kind, const Key128& url, std::string& out) {
  append_fixed(out, kind);
  append_fixed(out, url.high);
  append_fixed(out, url.low);
}

void append_alias(const bags::Alias& alias, std::string& out) {
  append_key(static_cast<uint8_t>(alias.kind), alias.from, out);
  append_string(out, alias.to);
}

// Aliases, and which URLs were fetched.
struct KnownAliases {
  std::vector<bags::Alias> aliases;
  boost::unordered_flat_set<Key128, Key128Hash> fetched;

  // Whether the bytes are such.
  bool read(std::string_view bytes) {
    for (Cursor cursor(bytes); !cursor.at_end();) {
      const auto kind = cursor.fixed<uint8_t>();
      Key128 url;
      url.high = cursor.fixed<uint64_t>();
      url.low = cursor.fixed<uint64_t>();
      if (kind == fetched_url && !cursor.failed()) {
        fetched.insert(url);
        continue;
      }
      const std::string_view to = cursor.take(cursor.varint());
      if (kind >= bags::alias_kinds || cursor.failed()) return false;
      aliases.push_back({url, static_cast<bags::AliasKind>(kind), std::string(to)});
    }
    return true;
  }
};

// URLs that are not to be folded, and whether what they name was fetched.
using OtherUrls = boost::unordered_flat_map<Key128, bool, Key128Hash>;

Result<OtherUrls> read_others(std::span<const std::string_view> all) {
  OtherUrls others;
  for (const std::string_view bytes : all) {
    for (Cursor cursor(bytes); !cursor.at_end();) {
      const bool target_is_fetched = cursor.fixed<uint8_t>() != 0;
      Key128 url;
      url.high = cursor.fixed<uint64_t>();
      url.low = cursor.fixed<uint64_t>();
      if (cursor.failed()) {
        return Error{ErrorKind::corrupt, "aliases: these are no bytes of others()"};
      }
      others[url] = target_is_fetched;
    }
  }
  return others;
}

Result<KnownAliases> read_aliases(std::span<const std::string_view> all) {
  KnownAliases known;
  for (const std::string_view bytes : all) {
    if (!known.read(bytes)) {
      return Error{ErrorKind::corrupt, "aliases: these are no bytes of aliases"};
    }
  }
  return known;
}

}  // namespace

std::vector<std::string> deal_out(std::span<const bags::Alias> aliases,
                                  std::span<const Key128> fetched, uint32_t slices) {
  std::vector<std::string> dealt(slices);
  for (const bags::Alias& alias : aliases) append_alias(alias, dealt[slice_of(alias.from, slices)]);
  for (const Key128& url : fetched) append_key(fetched_url, url, dealt[slice_of(url, slices)]);
  return dealt;
}

Result<bags::AliasMap> read_folded(std::string_view bytes) {
  bags::AliasMap map;
  for (Cursor cursor(bytes); !cursor.at_end();) {
    Key128 from;
    from.high = cursor.fixed<uint64_t>();
    from.low = cursor.fixed<uint64_t>();
    const std::string_view url = cursor.take(cursor.varint());
    if (cursor.failed()) {
      return Error{ErrorKind::corrupt, "aliases: these are no bytes of folded URLs"};
    }
    map.add(from, std::string(url));
  }
  return map;
}

}  // namespace distributed

Result<std::string> UrlAliases::of_slice(std::span<const std::string_view> aliases) {
  return run::guarded([&]() -> Result<std::string> {
    KITH_ASSIGN(const distributed::KnownAliases known, distributed::read_aliases(aliases));
    std::string sound;
    for (const bags::Alias& alias : known.aliases) {
      const bool is_redirect = alias.kind == bags::AliasKind::redirect;
      if (is_redirect && known.fetched.contains(alias.from)) continue;
      distributed::append_alias(alias, sound);
    }
    return sound;
  });
}

Result<FoldedUrls> UrlAliases::fold_urls(std::span<const std::string_view> of_slices,
                                         std::span<const std::string_view> others,
                                         uint32_t slices) {
  return run::guarded([&]() -> Result<FoldedUrls> {
    KITH_ASSIGN(distributed::KnownAliases known, distributed::read_aliases(of_slices));
    KITH_ASSIGN(const distributed::OtherUrls other, distributed::read_others(others));
    bags::choose_aliases(known.aliases, [](const Key128&) { return false; });
    std::erase_if(known.aliases,
                  [&](const bags::Alias& alias) { return other.contains(alias.from); });
    const auto map = bags::AliasMap::make(known.aliases);
    FoldedUrls folded;
    folded.report = map.counts();
    folded.report.circular = known.aliases.size() - folded.report.folded;
    for (const auto& [url, target_is_fetched] : other) {
      ++(target_is_fetched ? folded.report.other_text : folded.report.other_page);
    }
    folded.slices.resize(slices);
    map.for_each([&](const Key128& from, const bags::AliasMap::Target& target) {
      std::string& bytes = folded.slices[distributed::slice_of(from, slices)];
      append_fixed(bytes, from.high);
      append_fixed(bytes, from.low);
      append_string(bytes, target.url);
    });
    return folded;
  });
}

Result<std::vector<std::string>> UrlAliases::fold(std::span<const std::string_view> fragments,
                                                  std::string_view folded, uint32_t slices) {
  return run::guarded([&]() -> Result<std::vector<std::string>> {
    bags::Vocabulary vocabulary;
    KITH_ASSIGN(const std::string all, distributed::read_slices(fragments, vocabulary));
    KITH_ASSIGN(const bags::AliasMap aliases, distributed::read_folded(folded));
    storage::MemoryFileSystem files;
    bags::FragmentSpool spool(files, "folded-", 1);
    bags::FragmentWriter writer(spool, distributed::fragment_block);
    KITH_TRY(bags::fold_partition(all, aliases, writer));
    KITH_TRY(writer.flush());
    std::string said;
    if (spool.bytes(0) > 0) {
      KITH_ASSIGN(said, storage::read_file(files, spool.path(0)));
    }
    return distributed::deal_out(said, vocabulary.stems(), slices);
  });
}

Result<std::string> UrlAliases::others(std::span<const std::string_view> fragments,
                                       std::span<const std::string_view> said) {
  return run::guarded([&]() -> Result<std::string> {
    bags::Vocabulary vocabulary;
    KITH_ASSIGN(const std::string own, distributed::read_slices(fragments, vocabulary));
    KITH_ASSIGN(const std::string folded, distributed::read_slices(said, vocabulary));
    const auto all_of = [](const std::string& bytes) {
      return
          [&bytes](const bags::VisitFragment& visit) { return bags::for_fragments(bytes, visit); };
    };
    KITH_ASSIGN(const std::vector<bags::OtherAlias> found,
                bags::find_other_aliases(all_of(own), all_of(folded), {}));
    std::string bytes;
    for (const bags::OtherAlias& other : found) {
      distributed::append_key(static_cast<uint8_t>(other.target_is_fetched), other.url, bytes);
    }
    return bytes;
  });
}

}  // namespace kith
