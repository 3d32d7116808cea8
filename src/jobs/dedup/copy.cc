#include "jobs/dedup/copy.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "jobs/dedup/annotations.h"
#include "jobs/dedup/read.h"
#include "jobs/dedup/revisit_records.h"

namespace kith::jobs {
namespace {

std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  std::string normal = (error ? std::filesystem::path(path) : whole).lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

// What tells copies apart that are made of the same run: the fields that rows have besides.
uint64_t fields_of(const DedupOptions& options) {
  if (!options.annotate && options.weights == "1") return 0;
  // The half, which every JSON reader keeps.
  return hash64(fmt::format("{} {}", options.annotate, options.weights)) >> 32;
}

run::CopyRecord record_of(const crawl::CopyReport& report, bool is_folder,
                          const DedupOptions& options) {
  return {.is_folder = is_folder,
          .files = report.written,
          .counts = {{"bytes_in", report.bytes_in},
                     {"removed", report.removed},
                     {"replaced", report.replaced},
                     {"revisit", options.revisit ? 1 : 0},
                     {"fields", fields_of(options)},
                     {"kept_by_damage", report.kept_by_damage}}};
}

uint64_t count_of(const run::CopyRecord& record, std::string_view name) {
  const auto found = record.counts.find(name);
  return found == record.counts.end() ? 0 : found->second;
}

DedupCopy counts_of(const run::CopyRecord& record) {
  const auto count = [&](std::string_view name) { return count_of(record, name); };
  DedupCopy copy;
  copy.files = record.files.size();
  copy.bytes_in = count("bytes_in");
  for (const crawl::CopiedFile& file : record.files) copy.bytes_out += file.bytes;
  copy.removed = count("removed");
  copy.replaced = count("replaced");
  copy.kept_by_damage = count("kept_by_damage");
  return copy;
}

}  // namespace

Result<InputCopy> InputCopy::plan(storage::FileSystem& fs, DedupDirectory& run,
                                  const DedupOptions& options) {
  InputCopy copy(fs, run, absolute(options.write));
  copy.options_ = options;
  if (const run::CopyRecord* const made = run.copy_at(copy.place_)) {
    KITH_ASSIGN(const auto state,
                crawl::find_copy(fs, options.write, made->is_folder, made->files));
    const bool has_revisits = count_of(*made, "revisit") > 0;
    if (state != crawl::CopyState::absent && has_revisits != options.revisit) {
      return Error{ErrorKind::usage,
                   fmt::format("{}: holds a copy {} `revisit`; name another place, or remove this",
                               options.write, has_revisits ? "with" : "without")};
    }
    if (state != crawl::CopyState::absent && count_of(*made, "fields") != fields_of(options)) {
      return Error{
          ErrorKind::usage,
          fmt::format("{}: holds a copy with other fields of `annotate` or `weights`; name "
                      "another place, or remove this",
                      options.write)};
    }
    copy.is_made_ = state == crawl::CopyState::whole;
    if (copy.is_made_) {
      KITH_TRY(crawl::remove_unfinished(fs, options.write, made->is_folder));
      return copy;
    }
    if (state == crawl::CopyState::partial) {
      KITH_TRY(crawl::remove_copy(fs, options.write, made->is_folder));
    }
  }
  KITH_ASSIGN(const auto crawl, document_options(options));
  KITH_ASSIGN(copy.plan_, crawl::plan_copy(crawl, options.write));
  for (const crawl::PlannedCopy& file : copy.plan_.files) {
    const bool has_rows = file.file.format == crawl::FileFormat::jsonl ||
                          file.file.format == crawl::FileFormat::table;
    if (fields_of(options) != 0 && !has_rows) {
      return Error{
          ErrorKind::usage,
          fmt::format("`annotate` and `weights`: {} is neither JSON lines nor a table, and "
                      "only their rows get fields; leave `write` out: the lists have them",
                      file.file.path)};
    }
    if (!options.revisit || file.file.format == crawl::FileFormat::warc) continue;
    return Error{ErrorKind::usage,
                 fmt::format("`revisit`: {} is no WARC file, and only these have revisit records; "
                             "leave it out",
                             file.file.path)};
  }
  return copy;
}

Result<DedupCopy> InputCopy::write(const DocumentTable& documents, const Against& against,
                                   const Groups& groups, const GroupIndex& index,
                                   ThreadPool& pool) {
  if (is_made_) return counts_of(*run_->copy_at(place_));
  // Documents are in the order of the input, and so those of a file are side by side.
  const auto first_of = [&](uint32_t file, uint64_t record) {
    uint32_t begin = 0;
    for (uint32_t end = documents.size(); begin < end;) {
      const uint32_t middle = begin + (end - begin) / 2;
      if (std::pair(documents[middle].file, documents[middle].record) < std::pair(file, record)) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  };
  const auto removed = [&](uint32_t file) -> Result<std::vector<uint64_t>> {
    std::vector<uint64_t> records;
    for (uint32_t id = first_of(file, 0); id < documents.size() && documents[id].file == file;
         ++id) {
      const bool is_removed = groups.kept()[id] != id || against.removed(id);
      if (is_removed && !options_.annotate) records.push_back(documents[id].record);
    }
    return records;
  };
  const auto replacement = [&](uint32_t file, uint64_t record) -> std::string {
    return revisit_record(documents, against, groups, first_of(file, record));
  };
  const auto enter = [&](const crawl::CopyReport& report) {
    return run_->enter_copy(place_, record_of(report, plan_.is_folder, options_));
  };
  KITH_ASSIGN(const GroupWeights weight, GroupWeights::parse(options_.weights));
  const Annotations annotations(documents, against, groups, index, options_, weight);
  crawl::CopyChanges changes{.removed = removed};
  if (options_.revisit) changes.replacement = replacement;
  if (fields_of(options_) != 0) {
    changes.added_columns = annotations.columns();
    changes.added = [&](uint32_t file, uint64_t record) -> std::string {
      const uint32_t id = first_of(file, record);
      const bool is_document =
          id < documents.size() && documents[id].file == file && documents[id].record == record;
      return is_document ? annotations.json(id) : std::string();
    };
  }
  KITH_TRY(crawl::write_copy(*fs_, pool, plan_, changes, enter).status());
  return counts_of(*run_->copy_at(place_));
}

}  // namespace kith::jobs
