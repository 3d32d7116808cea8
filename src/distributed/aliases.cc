#include "distributed/aliases.h"

#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "bags/alias_folding.h"
#include "bags/collapse.h"
#include "bags/fragment.h"
#include "bags/vocabulary/vocabulary.h"
#include "base/bytes.h"
#include "distributed/fragments.h"
#include "storage/file_system.h"
#include "storage/memory_file_system.h"

namespace kith::distributed {
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
        return Error{ErrorKind::corrupt, "aliases: these are no bytes of other_aliases()"};
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

Result<std::string> aliases_of_slice(std::span<const std::string_view> aliases) {
  KITH_ASSIGN(const KnownAliases known, read_aliases(aliases));
  std::string sound;
  for (const bags::Alias& alias : known.aliases) {
    const bool is_redirect = alias.kind == bags::AliasKind::redirect;
    if (is_redirect && known.fetched.contains(alias.from)) continue;
    append_alias(alias, sound);
  }
  return sound;
}

Result<FoldedUrls> fold_urls(std::span<const std::string_view> of_slices,
                             std::span<const std::string_view> others, uint32_t slices) {
  KITH_ASSIGN(KnownAliases known, read_aliases(of_slices));
  KITH_ASSIGN(const OtherUrls other, read_others(others));
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
    std::string& bytes = folded.slices[slice_of(from, slices)];
    append_fixed(bytes, from.high);
    append_fixed(bytes, from.low);
    append_string(bytes, target.url);
  });
  return folded;
}

Result<std::vector<std::string>> fold_fragments(std::span<const std::string_view> fragments,
                                                std::string_view folded, uint32_t slices) {
  bags::Vocabulary vocabulary;
  KITH_ASSIGN(const std::string all, read_slices(fragments, vocabulary));
  KITH_ASSIGN(const bags::AliasMap aliases, read_folded(folded));
  storage::MemoryFileSystem files;
  bags::FragmentSpool spool(files, "folded-", 1);
  bags::FragmentWriter writer(spool, fragment_block);
  KITH_TRY(bags::fold_partition(all, aliases, writer));
  KITH_TRY(writer.flush());
  std::string said;
  if (spool.bytes(0) > 0) {
    KITH_ASSIGN(said, storage::read_file(files, spool.path(0)));
  }
  return deal_out(said, vocabulary.stems(), slices);
}

Result<std::string> other_aliases(std::span<const std::string_view> fragments,
                                  std::span<const std::string_view> said) {
  bags::Vocabulary vocabulary;
  KITH_ASSIGN(const std::string own, read_slices(fragments, vocabulary));
  KITH_ASSIGN(const std::string folded, read_slices(said, vocabulary));
  const auto all_of = [](const std::string& bytes) {
    return [&bytes](const bags::VisitFragment& visit) { return bags::for_fragments(bytes, visit); };
  };
  KITH_ASSIGN(const std::vector<bags::OtherAlias> found,
              bags::find_other_aliases(all_of(own), all_of(folded), {}));
  std::string bytes;
  for (const bags::OtherAlias& other : found) {
    append_key(static_cast<uint8_t>(other.target_is_fetched), other.url, bytes);
  }
  return bytes;
}

}  // namespace kith::distributed
