#include "distributed/fragments.h"

#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "distributed/aliases.h"
#include "storage/file_system.h"
#include "text/words/language.h"

namespace kith::distributed {
namespace {

constexpr const char* file_of_fragments = "fragments-";

bags::FragmentOptions fragment_options(const ClusterOptions& options) {
  bags::FragmentOptions fragments;
  fragments.kind = options.bags;
  fragments.links = options.links;
  fragments.language = text::language_of_tag(options.language);
  fragments.window = window_of(options);
  fragments.keep_aliases = folds_aliases(options);
  fragments.remove_boilerplate = options.boilerplate == Boilerplate::remove;
  // Copies of a page are known by them.
  fragments.blocks = fragments.remove_boilerplate || options.bags == BagKind::both;
  return fragments;
}

// A fragment and its bytes.
struct Placed {
  bags::Fragment fragment;
  std::string_view bytes;
};

bool next_fragment(Cursor& cursor, std::string_view all, Placed& placed) {
  const size_t begin = all.size() - cursor.remaining();
  if (!bags::read_fragment(cursor, placed.fragment)) return false;
  placed.bytes = all.substr(begin, all.size() - cursor.remaining() - begin);
  return true;
}

size_t varint_size(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// Appends a fragment with other numbers for its terms, which are its last bytes.
template <class NumberOf>
void append_renumbered(const Placed& placed, const NumberOf& number_of, std::string& terms,
                       std::string& out) {
  if (!bags::has_terms(placed.fragment.kind)) {
    out += placed.bytes;
    return;
  }
  terms.clear();
  bags::for_each_term(placed.fragment,
                      [&](uint32_t term) { append_varint(terms, number_of(term)); });
  const size_t old_size = placed.fragment.terms.size();
  out += placed.bytes.substr(0, placed.bytes.size() - old_size - varint_size(old_size));
  append_string(out, terms);
}

// The fragments of some URLs, and the stems of their terms in the order in which they are met.
class Slice {
 public:
  explicit Slice(size_t stems) : number_of_(stems, bags::no_term) {}

  void start() {
    for (const uint32_t stem : met_) number_of_[stem] = bags::no_term;
    met_.clear();
    fragments_.clear();
  }
  void add(const Placed& placed) {
    const auto number = [this](uint32_t stem) {
      if (number_of_[stem] == bags::no_term) {
        number_of_[stem] = static_cast<uint32_t>(met_.size());
        met_.push_back(stem);
      }
      return number_of_[stem];
    };
    append_renumbered(placed, number, terms_, fragments_);
  }
  std::string bytes(std::span<const std::string_view> stems) const {
    std::string bytes;
    append_varint(bytes, met_.size());
    for (const uint32_t stem : met_) append_string(bytes, stems[stem]);
    append_string(bytes, fragments_);
    return bytes;
  }

 private:
  std::vector<uint32_t> number_of_;  // by stem
  std::vector<uint32_t> met_;
  std::string fragments_;
  std::string terms_;
};

}  // namespace

FragmentReader::FragmentReader(const ClusterOptions& options, PageFilter* filter)
    : filter_(filter),
      keeps_aliases_(folds_aliases(options)),
      parts_(slots_of(options).parts()),
      terms_(vocabulary_),
      digester_(fragment_options(options), terms_),
      spool_(files_, file_of_fragments, 1),
      writer_(spool_, fragment_block),
      fragments_(fragment_options(options), writer_) {
  if (filter != nullptr) fragments_.leave_out(filter->tally());
}

Status FragmentReader::add(const crawl::Page& page) {
  if (page.kind == crawl::PageKind::redirect) return add_redirect(page);
  text::parse_url_or_name(page.url, url_);
  return fragments_.add(digester_.read(url_, page_text_.read(page), page.title, page.time));
}

Status FragmentReader::add_redirect(const crawl::Page& page) {
  if (!text::parse_url(page.url, nullptr, url_)) return Status::ok();
  text::Url own = url_;
  digester_.url_rules().apply(own);
  const auto target = digester_.other_url(own, url_, page.location);
  return target ? fragments_.add_redirect(hash128(own.href), *target) : Status::ok();
}

Result<FileFragments> FragmentReader::take(uint32_t slices) {
  KITH_TRY(writer_.flush());
  if (filter_ != nullptr) filter_->add(fragments_.counts());
  FileFragments found;
  found.words.words = fragments_.counts().words;
  std::string bytes;
  if (spool_.bytes(0) > 0) {
    KITH_ASSIGN(bytes, storage::read_file(files_, spool_.path(0)));
    KITH_TRY(files_.remove(spool_.path(0)));
  }
  const std::vector<std::string_view> stems = vocabulary_.stems();
  KITH_ASSIGN(found.slices, deal_out(bytes, stems, slices));
  if (keeps_aliases_) found.aliases = deal_out(fragments_.aliases(), fragments_.fetched(), slices);
  for (const std::string_view stem : stems) found.words.stems.add(stem);
  found.words.documents.resize(stems.size() * parts_);
  add_forms(terms_, found.words);
  return found;
}

Result<std::vector<std::string>> deal_out(std::string_view fragments,
                                          std::span<const std::string_view> stems,
                                          uint32_t slices) {
  std::vector<std::vector<Placed>> placed(slices);
  Placed next;
  for (Cursor cursor(fragments); !cursor.at_end();) {
    if (!next_fragment(cursor, fragments, next)) return bags::damaged_partition();
    placed[slice_of(next.fragment.url, slices)].push_back(next);
  }
  Slice slice(stems.size());
  std::vector<std::string> dealt;
  for (const std::vector<Placed>& of_slice : placed) {
    slice.start();
    for (const Placed& fragment : of_slice) slice.add(fragment);
    dealt.push_back(of_slice.empty() ? std::string() : slice.bytes(stems));
  }
  return dealt;
}

bool read_slice(std::string_view bytes, bags::Vocabulary& stems, std::string& fragments) {
  Cursor cursor(bytes);
  const uint64_t count = cursor.varint();
  if (count > cursor.remaining()) return false;
  std::vector<uint32_t> ids;
  for (uint64_t i = 0; i < count; ++i) ids.push_back(stems.id_of(cursor.take(cursor.varint())));
  const std::string_view sent = cursor.take(cursor.varint());
  if (cursor.failed() || !cursor.at_end()) return false;
  bool is_sound = true;
  std::string terms;
  Placed placed;
  for (Cursor rest(sent); !rest.at_end();) {
    if (!next_fragment(rest, sent, placed)) return false;
    const auto number = [&](uint32_t term) {
      is_sound &= term < ids.size();
      return term < ids.size() ? ids[term] : 0;
    };
    append_renumbered(placed, number, terms, fragments);
  }
  return is_sound;
}

Result<std::string> read_slices(std::span<const std::string_view> all, bags::Vocabulary& stems) {
  std::string fragments;
  for (const std::string_view bytes : all) {
    if (!read_slice(bytes, stems, fragments)) {
      return Error{ErrorKind::corrupt, "fragments: these are no bytes of fragments"};
    }
  }
  return fragments;
}

}  // namespace kith::distributed
