#include "jobs/dedup/lists.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kith/rows.h"
#include "kith/table_files.h"

#include "base/budget.h"
#include "base/dates.h"
#include "base/hash.h"
#include "jobs/dedup/annotations.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/list_writer.h"
#include "jobs/dedup/methods.h"
#include "run/memory_budget.h"

namespace kith::jobs {

namespace {

constexpr std::array<std::string_view, 6> list_names{"groups",  "pairs",  "keep",
                                                     "against", "losses", "documents"};
// One for each extension.
constexpr std::array list_formats{ListFormat::tsv, ListFormat::csv, ListFormat::jsonl,
                                  ListFormat::parquet, ListFormat::arrow};

std::string file_of(std::string_view list, ListFormat format) {
  return fmt::format("{}.{}", list, extension(format));
}

std::string list_path(const std::string& folder, std::string_view list, ListFormat format) {
  return folder + "/" + file_of(list, format);
}

Status write_groups_list(ListWriter& list, const DocumentTable& documents, const Groups& groups,
                         const GroupIndex& index, ResidentNames resident) {
  for (uint64_t number = 0; number < index.size(); ++number) {
    const uint32_t kept = index[number].front();
    for (const uint32_t id : index[number]) {
      const sketch::SetOverlap both{documents.sets().size_of(id), documents.sets().size_of(kept),
                                    groups.common()[id]};
      KITH_TRY(list.row({number + 1, documents.name(id), id == kept ? "kept" : "removed",
                         both.resemblance(), both.containment_of_a(), both.containment_of_b(),
                         date_text(documents[id].time), documents.file(documents[id].file),
                         documents[id].offset, documents[id].record, documents.digest(id)}));
      resident.touch();
    }
  }
  return Status::ok();
}

// The pairs of two ascending lists, each once, ascending.
class MergedPairs {
 public:
  MergedPairs(const Matches& matches, const Groups& groups)
      : matches_(matches),
        groups_(groups),
        listed_(matches.pairs()),
        found_(groups.center_pairs()) {}

  // The next one; null at the end.
  const similar::SetPair* front() const {
    if (listed_.empty() && found_.empty()) return nullptr;
    const bool first = !listed_.empty() && (found_.empty() || listed_.front() <= found_.front());
    return first ? &listed_.front() : &found_.front();
  }
  // REQUIRES: front() is a pair.
  void pass() {
    constexpr size_t released_at_once = 1 << 16;
    const similar::SetPair pair = *front();
    for (std::span<const similar::SetPair>* const from : {&listed_, &found_}) {
      if (!from->empty() && from->front() == pair) *from = from->subspan(1);
    }
    if (++count_ % released_at_once != 0) return;
    matches_.release();
    groups_.release();
  }

 private:
  const Matches& matches_;
  const Groups& groups_;
  std::span<const similar::SetPair> listed_;
  std::span<const similar::SetPair> found_;
  size_t count_ = 0;
};

Status write_pairs_list(ListWriter& list, const DocumentTable& documents, const Matches& matches,
                        const Groups& groups, const DedupOptions& options,
                        const DedupResources& resources, ResidentNames resident) {
  const auto row = [&](uint32_t a, uint32_t b, const sketch::SetOverlap& both) {
    resident.touch();
    resident.touch();
    return list.row({documents.name(a), documents.name(b), both.resemblance(),
                     both.containment_of_a(), both.containment_of_b()});
  };
  const auto pair_row = [&](const similar::SetPair& pair) {
    return row(pair.a, pair.b,
               {documents.sets().size_of(pair.a), documents.sets().size_of(pair.b), pair.common});
  };
  KITH_TRY(for_each_listed_pair(documents, matches, groups, options, resources, pair_row));
  matches.release();
  for (uint32_t id = 0; id < documents.size(); ++id) {
    const uint32_t own = matches.representative()[id];
    const uint64_t size = documents.sets().size_of(id);
    if (own != id) KITH_TRY(row(own, id, {size, size, size}));
  }
  return Status::ok();
}

Status write_keep_list(ListWriter& list, const DocumentTable& documents, const Against& against,
                       const Groups& groups, GroupReader reader, const GroupWeights& weight,
                       ResidentNames resident) {
  for (uint32_t id = 0; id < documents.size(); ++id) {
    if (groups.kept()[id] != id || against.removed(id)) continue;
    const Document& document = documents[id];
    const GroupFacts facts = reader.facts(id);
    KITH_TRY(
        list.row({documents.name(id), documents.file(document.file), document.record, facts.number,
                  facts.size, facts.min_similarity, facts.max_similarity, facts.hosts,
                  date_text(facts.first_time), date_text(facts.last_time), weight(facts.size)}));
    resident.touch();
  }
  return Status::ok();
}

Status write_losses_list(ListWriter& list, const Losses& losses) {
  for (size_t i = 0; i < static_cast<size_t>(LossPart::count_); ++i) {
    const auto part = static_cast<LossPart>(i);
    for (const Loss& loss : losses.of(part)) {
      const DedupLoss row = losses.described(part, loss);
      std::vector<std::string> kept;
      std::vector<std::string> counts;
      std::vector<std::string> examples;
      for (const LargeGroup& group : row.groups) {
        kept.push_back(group.kept);
        counts.push_back(fmt::format("{}", group.documents));
      }
      for (const RemovedExample& example : row.examples) examples.push_back(example.removed);
      KITH_TRY(list.row({row.part, row.name, row.documents, row.removed, row.share(),
                         std::span<const std::string>(kept), std::span<const std::string>(counts),
                         std::span<const std::string>(examples)}));
    }
  }
  return Status::ok();
}

// Every document with what its annotations say.
Status write_documents_list(ListWriter& list, const DocumentTable& documents,
                            const Annotations& annotations, ResidentNames resident) {
  for (uint32_t id = 0; id < documents.size(); ++id) {
    const Annotation own = annotations.of(id);
    KITH_TRY(list.row({documents.name(id), documents.file(documents[id].file), documents[id].record,
                       own.group, own.group_size, own.kept_id, own.similarity, own.weight}));
    resident.touch();
    resident.touch();
  }
  return Status::ok();
}

Status write_against_list(ListWriter& list, const DocumentTable& documents, const Against& against,
                          const std::vector<std::string>& runs, ResidentNames resident) {
  for (size_t i = 0; i < against.rows().size(); ++i) {
    const EarlierMatch& row = against.rows()[i];
    const sketch::SetOverlap both{documents.sets().size_of(row.document), row.size, row.common};
    KITH_TRY(list.row({documents.name(row.document), against.name(i), runs[row.run],
                       both.resemblance(), both.containment_of_a(), both.containment_of_b()}));
    resident.touch();
  }
  return Status::ok();
}

}  // namespace

Status for_each_listed_pair(const DocumentTable& documents, const Matches& matches,
                            const Groups& groups, const DedupOptions& options,
                            const DedupResources& resources,
                            const std::function<Status(const similar::SetPair&)>& take) {
  MergedPairs merged(matches, groups);
  const auto take_before = [&](const similar::SetPair& end) -> Status {
    for (const similar::SetPair* pair = merged.front(); pair != nullptr; pair = merged.front()) {
      if (*pair >= end) return Status::ok();
      KITH_TRY(take(*pair));
      merged.pass();
    }
    return Status::ok();
  };
  if (options.list_pairs == PairList::all && matches.parts().size() > 0) {
    KITH_ASSIGN(const auto meeting, meeting_rule(documents, true, options, resources));
    const auto merge = [&](const similar::SetPair& pair) -> Status {
      KITH_TRY(take_before(pair));
      if (merged.front() != nullptr && *merged.front() == pair) merged.pass();
      return take(pair);
    };
    KITH_TRY(for_each_part_pair(matches.parts(), documents.sets(), *meeting,
                                pair_rule(options, documents), resources.pool, merge));
  }
  return take_before({UINT32_MAX, UINT32_MAX, 0});
}

Result<run::Checksums> write_lists(storage::FileSystem& fs, const std::string& path,
                                   const DocumentTable& documents, const Against& against,
                                   const Matches& matches, const Groups& groups,
                                   const GroupIndex& index, const Losses& losses,
                                   const DedupOptions& options, const DedupResources& resources) {
  using enum RowColumn::Type;
  run::Checksums checksums;
  const ListFormat format = options.format;
  const ResidentNames resident(
      documents, run::working_memory(resources.memory, documents.size()).bytes(Share::names));
  const auto make = [&](std::string_view list, std::vector<RowColumn> columns,
                        const auto& write) -> Status {
    KITH_ASSIGN(const auto writer,
                ListWriter::create(fs, list_path(path, list, format),
                                   RowFormat(format, std::move(columns)), options.tables.get()));
    KITH_TRY(write(*writer));
    KITH_TRY(writer->finish());
    checksums.emplace(file_of(list, format), writer->checksum());
    return Status::ok();
  };
  KITH_TRY(make("groups",
                {{"group", count},
                 "url",
                 "role",
                 {"resemblance", share},
                 {"containment", share},
                 {"containment_of_kept", share},
                 "date",
                 "file",
                 {"offset", count},
                 {"record", count},
                 "digest"},
                [&](ListWriter& list) {
                  return write_groups_list(list, documents, groups, index, resident);
                }));
  KITH_TRY(make("pairs",
                {"url_a",
                 "url_b",
                 {"resemblance", share},
                 {"containment_ab", share},
                 {"containment_ba", share}},
                [&](ListWriter& list) {
                  return write_pairs_list(list, documents, matches, groups, options, resources,
                                          resident);
                }));
  KITH_ASSIGN(const GroupWeights weight, GroupWeights::parse(options.weights));
  KITH_TRY(make("keep",
                {"url",
                 "file",
                 {"record", count},
                 {"group", count},
                 {"group_size", count},
                 {"min_similarity", share},
                 {"max_similarity", share},
                 {"hosts", count},
                 "first_date",
                 "last_date",
                 {"weight", share}},
                [&](ListWriter& list) {
                  return write_keep_list(list, documents, against, groups,
                                         GroupReader(documents, groups, index, options.method),
                                         weight, resident);
                }));
  KITH_TRY(make("losses",
                {"part",
                 "name",
                 {"documents", count},
                 {"removed", count},
                 {"share", share},
                 {"kept", words},
                 {"removed_for_kept", words},
                 {"examples", words}},
                [&](ListWriter& list) { return write_losses_list(list, losses); }));
  if (options.annotate) {
    const Annotations annotations(documents, against, groups, index, options, weight);
    KITH_TRY(make("documents", annotations.list_columns(), [&](ListWriter& list) {
      return write_documents_list(list, documents, annotations, resident);
    }));
  }
  if (!options.against.empty()) {
    KITH_TRY(make("against",
                  {"url",
                   "match",
                   "match_run",
                   {"resemblance", share},
                   {"containment", share},
                   {"containment_of_match", share}},
                  [&](ListWriter& list) {
                    return write_against_list(list, documents, against, options.against, resident);
                  }));
  }
  for (const ListFormat other : list_formats) {
    if (extension(other) == extension(format)) continue;
    for (const std::string_view list : list_names) {
      KITH_TRY(fs.remove(list_path(path, list, other)));
    }
  }
  return checksums;
}

Status verify_lists(storage::FileSystem& fs, const std::string& path,
                    const run::Checksums& expected) {
  if (expected.empty()) {
    return Error{ErrorKind::not_found,
                 fmt::format("{}: its lists are not finished; run the same 'kith dedup' command "
                             "again",
                             path)};
  }
  for (const auto& [name, checksum] : expected) {
    const std::string file = fmt::format("{}/{}", path, name);
    if (!fs.exists(file)) {
      return Error{ErrorKind::corrupt,
                   fmt::format("{}: is missing; run the same 'kith dedup' command again", file)};
    }
    KITH_ASSIGN(const std::string found, checksum_of(fs, file));
    if (found == checksum) continue;
    return Error{ErrorKind::corrupt, fmt::format("{}: was changed since it was written; run the "
                                                 "same 'kith dedup' command again",
                                                 file)};
  }
  return Status::ok();
}

Status remove_list_temporaries(storage::FileSystem& fs, const std::string& path) {
  for (const std::string_view list : list_names) {
    for (const ListFormat format : list_formats) {
      KITH_TRY(fs.remove(storage::temporary_name(list_path(path, list, format))));
    }
  }
  return Status::ok();
}

}  // namespace kith::jobs
