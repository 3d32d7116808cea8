#include "jobs/dedup/shard.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "jobs/dedup/keep.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/shard_captures.h"
#include "jobs/dedup/titles.h"
#include "run/shards.h"
#include "storage/zstd.h"

namespace kith::jobs {
namespace {

// What one shard has left: documents, or texts where boilerplate is left out. Immutable.
class ShardFiles {
 public:
  // Reads everything once, to compare checksums.
  static Result<std::unique_ptr<ShardFiles>> open(storage::FileSystem& fs,
                                                  const DedupOptions& options,
                                                  const DedupDirectory& directory) {
    KITH_TRY(directory.verify(run::shard_stage));
    std::unique_ptr<ShardFiles> files(new ShardFiles(directory));
    KITH_TRY(options.boilerplate == Boilerplate::remove ? files->open_texts(fs)
                                                        : files->open_documents(fs, options));
    if (keeps_by(options, KeepKind::inlinks)) KITH_TRY(files->open_links(fs));
    return files;
  }

  const std::string& path() const { return path_; }
  const DedupReport& report() const { return report_; }
  // The paths of the input files of all shards.
  const std::vector<std::string>& inputs() const { return inputs_; }

  // From now on only these of its documents are handed on; empty: all.
  void choose(std::vector<bool> is_taken) { is_taken_ = std::move(is_taken); }

  // Hands on the texts of an input file, which come after those of files of smaller numbers, and
  // their links: `first` is the number of the first document in the run. How many they are.
  Result<uint32_t> texts_of(uint32_t file, uint32_t first, const TakeTexts& take, LinkSink* links) {
    const uint32_t begin = document_;
    for (; part_ < parts_.size() && parts_[part_].file == file; ++part_) {
      const ShardTextPart& part = parts_[part_];
      if (!storage::unpack(texts_[part_], bytes_) || part.blocks_bytes > bytes_.size()) {
        return damaged();
      }
      const std::string_view bytes = bytes_;
      part_texts_.set(part.documents, bytes.substr(0, part.blocks_bytes),
                      bytes.substr(part.blocks_bytes));
      KITH_TRY(choose_texts(part));
      KITH_TRY(take(part_texts_));
    }
    return give_links(begin, first, links);
  }

  // The same of documents.
  Result<uint32_t> documents_of(uint32_t file, uint32_t first, DocumentWriter& writer,
                                LinkSink* links) {
    constexpr uint64_t block_bytes = 8u << 20;
    const uint32_t begin = document_;
    while (document_ < table_->size() && (*table_)[document_].file == file) {
      add_document();
      if (block_.bytes() > block_bytes) KITH_TRY(write(writer));
    }
    KITH_TRY(write(writer));
    return give_links(begin, first, links);
  }

  // What reading counted of documents that were handed on.
  DocumentCounts counts() const {
    DocumentCounts counts = report_.documents;
    counts.documents -= left_out_.documents;
    counts.empty -= left_out_.empty;
    counts.text_bytes -= left_out_.text_bytes;
    counts.elements -= left_out_.elements;
    return counts;
  }

  // Once all input files are done: whether that was everything.
  Status finish() const {
    const bool is_all = part_ == parts_.size() && link_ == links_.size() &&
                        (!table_ || document_ == table_->size()) &&
                        (is_taken_.empty() || document_ == is_taken_.size());
    return is_all ? Status::ok() : Status(damaged());
  }

 private:
  explicit ShardFiles(const DedupDirectory& directory)
      : path_(directory.path()), report_(directory.report()) {}

  // What to say when the content cannot be right though the checksums fit.
  Error damaged() const {
    return {ErrorKind::corrupt,
            fmt::format("{}: its files do not fit each other; make the shard again", path_)};
  }

  Status open_documents(storage::FileSystem& fs, const DedupOptions& options) {
    const bool has_sketches = sketches_while_reading(options);
    KITH_ASSIGN(table_,
                DocumentTable::open(fs, path_,
                                    {.sketches = has_sketches, .keep_keys = stored_keys(options)}));
    keep_keys_ = stored_keys(options);
    if (has_sketches && table_->signatures().lanes() != options.lanes) return damaged();
    KITH_ASSIGN(titles_, TitleFile::open(fs, file(title_words_file), table_->size()));
    for (uint32_t i = 0; i < table_->files(); ++i) inputs_.emplace_back(table_->file(i));
    return Status::ok();
  }

  Status open_texts(storage::FileSystem& fs) {
    KITH_ASSIGN(texts_file_,
                storage::SectionFile::open(fs, file(shard_texts_file), shard_texts_kind));
    KITH_ASSIGN(parts_, texts_file_->array<ShardTextPart>("parts"));
    KITH_ASSIGN(texts_, strings("texts"));
    KITH_ASSIGN(const storage::StringArray inputs, strings("files"));
    for (uint64_t i = 0; i < inputs.size(); ++i) inputs_.emplace_back(inputs[i]);
    return texts_.size() == parts_.size() ? Status::ok() : Status(damaged());
  }

  Result<storage::StringArray> strings(const std::string& name) const {
    KITH_ASSIGN(const Bytes bytes, texts_file_->section(name));
    KITH_ASSIGN(const auto offsets, texts_file_->array<uint64_t>(name + "_at"));
    return storage::StringArray::make(bytes, offsets);
  }

  Status open_links(storage::FileSystem& fs) {
    KITH_ASSIGN(links_file_,
                storage::SectionFile::open(fs, file(shard_links_file), shard_links_kind));
    KITH_ASSIGN(links_, links_file_->array<ShardLinks>("documents"));
    KITH_ASSIGN(targets_, links_file_->array<uint64_t>("targets"));
    uint64_t targets = 0;
    for (const ShardLinks& links : links_) targets += links.targets;
    return targets == targets_.size() ? Status::ok() : Status(damaged());
  }

  std::string file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

  bool is_taken(uint32_t document) const {
    return is_taken_.empty() || (document < is_taken_.size() && is_taken_[document]);
  }

  // Leaves the documents in the part that are taken. An error where it does not hold what its row
  // says.
  Status choose_texts(const ShardTextPart& part) {
    const uint32_t begin = document_;
    uint32_t taken = 0;
    bool is_of_file = true;
    std::string blocks;
    std::string texts;
    const Status status = part_texts_.for_each(
        [&](uint32_t file, std::string_view own_blocks, std::string_view own_text) -> Status {
          is_of_file = is_of_file && file == part.file;
          const bool is_kept = is_taken(document_++);
          taken += is_kept ? 1 : 0;
          if (is_taken_.empty() || !is_kept) return Status::ok();
          blocks += own_blocks;
          texts += own_text;
          return Status::ok();
        });
    if (!status || !is_of_file || document_ - begin != part.documents) return damaged();
    if (taken < part.documents) part_texts_.set(taken, blocks, texts);
    return Status::ok();
  }

  void add_document() {
    const std::span<const uint64_t> elements = table_->sets()[document_];
    const uint8_t title = titles_->sizes()[document_];
    if (!is_taken(document_)) {
      ++left_out_.documents;
      left_out_.empty += elements.empty() ? 1 : 0;
      left_out_.text_bytes += (*table_)[document_].bytes;
      left_out_.elements += elements.size();
      title_ += title;
      ++document_;
      return;
    }
    const auto words = titles_->words().subspan(title_, title);
    block_.documents.push_back((*table_)[document_]);
    block_.names.emplace_back(table_->name(document_));
    block_.digests.emplace_back(table_->digest(document_));
    block_.sources.emplace_back(table_->source(document_));
    if (keep_keys_ > 0) {
      const std::span<const double> keys = table_->keep_keys(document_);
      block_.keep_keys.insert(block_.keep_keys.end(), keys.begin(), keys.end());
    }
    block_.elements.insert(block_.elements.end(), elements.begin(), elements.end());
    block_.sizes.push_back(static_cast<uint32_t>(elements.size()));
    block_.title_words.insert(block_.title_words.end(), words.begin(), words.end());
    block_.title_sizes.push_back(title);
    if (table_->signatures().size() > 0) {
      const auto row = table_->signatures()[document_];
      block_.signatures.insert(block_.signatures.end(), row.begin(), row.end());
    }
    title_ += title;
    ++document_;
  }

  Status write(DocumentWriter& writer) {
    KITH_TRY(writer.add(block_));
    block_.clear();
    table_->release();
    return Status::ok();
  }

  // The links of the documents from `begin` on that were handed on, as those of the run from
  // `first` on. How many documents these are.
  Result<uint32_t> give_links(uint32_t begin, uint32_t first, LinkSink* links) {
    uint32_t number = first;  // in the run
    for (uint32_t document = begin; document < document_; ++document) {
      const bool has_links = link_ < links_.size() && links_[link_].document <= document;
      if (has_links) KITH_TRY(give_links_of(document, number, links));
      number += is_taken(document) ? 1 : 0;
    }
    return number - first;
  }

  Status give_links_of(uint32_t document, uint32_t number, LinkSink* links) {
    const ShardLinks& row = links_[link_++];
    if (row.document != document) return damaged();
    const auto targets = targets_.subspan(target_, row.targets);
    target_ += row.targets;
    return is_taken(document) ? links->add(0, number, row.url, targets) : Status::ok();
  }

  std::string path_;
  const DedupReport& report_;
  std::vector<std::string> inputs_;
  std::vector<bool> is_taken_;  // by document
  uint32_t document_ = 0;       // the next one
  DocumentCounts left_out_;     // of documents that are not taken; those that were cut are empty
  // Documents.
  std::optional<DocumentTable> table_;
  size_t keep_keys_ = 0;  // of each document
  std::optional<TitleFile> titles_;
  uint64_t title_ = 0;
  DocumentBlock block_;
  // Texts, and the next part.
  std::optional<storage::SectionFile> texts_file_;
  std::span<const ShardTextPart> parts_;
  storage::StringArray texts_;
  size_t part_ = 0;
  std::string bytes_;
  SpoolPart part_texts_;
  // Links, and the next ones.
  std::optional<storage::SectionFile> links_file_;
  std::span<const ShardLinks> links_;
  std::span<const uint64_t> targets_;
  size_t link_ = 0;
  uint64_t target_ = 0;
};

using AllFiles = std::vector<std::unique_ptr<ShardFiles>>;

Result<AllFiles> open_files(storage::FileSystem& fs, const DedupOptions& options,
                            std::span<const DedupDirectory> shards) {
  AllFiles all;
  for (const DedupDirectory& shard : shards) {
    KITH_ASSIGN(all.emplace_back(), ShardFiles::open(fs, options, shard));
    if (all.back()->inputs() == all.front()->inputs()) continue;
    return Error{ErrorKind::usage,
                 fmt::format("{}: cannot be merged with {}: its inputs are other files",
                             shard.path(), shards.front().path())};
  }
  return all;
}

// Calls visit(files of its shard, number of the file, documents before it), which tells how many
// the file has, for every input file in order.
template <class Visit>
Status for_each_file(const AllFiles& shards, const ProgressCallback& progress, const Visit& visit) {
  const size_t files = shards.front()->inputs().size();
  uint32_t documents = 0;
  for (size_t file = 0; file < files; ++file) {
    ShardFiles& shard = *shards[file % shards.size()];
    KITH_ASSIGN(const uint32_t more, visit(shard, static_cast<uint32_t>(file), documents));
    documents += more;
    if (progress) {
      progress({"shards", static_cast<double>(file + 1), static_cast<double>(files), "files"});
    }
  }
  for (const auto& shard : shards) KITH_TRY(shard->finish());
  return Status::ok();
}

CrawlCounts counts_of(const AllFiles& shards, const MergedCaptures& captures) {
  std::vector<run::ShardCounts> counts;
  for (const auto& shard : shards) {
    const CrawlCounts& crawl = shard->report().crawl;
    counts.push_back({&crawl, {}});
    for (const SkippedRecord& example : crawl.examples) {
      const auto found = std::ranges::find(shard->inputs(), example.file);
      counts.back().example_inputs.push_back(
          static_cast<uint32_t>(found - shard->inputs().begin()));
    }
  }
  return run::merged_counts(counts, shards.front()->report().options, captures.later,
                            captures.joined);
}

// Which documents the shards hand on.
Result<MergedCaptures> choose_documents(storage::FileSystem& fs, const DedupOptions& options,
                                        const AllFiles& shards, const Budget& memory) {
  if (options.captures == Captures::all) return MergedCaptures();
  std::vector<std::string> paths;
  for (const auto& shard : shards) paths.push_back(shard->path());
  KITH_ASSIGN(MergedCaptures captures,
              choose_captures(fs, options, paths, shards.front()->inputs().size(), memory));
  for (size_t i = 0; i < shards.size(); ++i) {
    shards[i]->choose(std::move(captures.is_taken[i]));
  }
  return captures;
}

// What reading counts.
void add(const DocumentCounts& more, DocumentCounts& counts) {
  counts.documents += more.documents;
  counts.empty += more.empty;
  counts.cut += more.cut;
  counts.text_bytes += more.text_bytes;
  counts.elements += more.elements;
}

run::ShardFacts facts_of(const DedupDirectory& shard) {
  const DedupReport& report = shard.report();
  return {.path = shard.path(),
          .version = report.version,
          .shard = report.options.shard,
          .shards = report.options.shards,
          .inputs = report.options.inputs,
          .kind = "documents",
          .identity = dedup_identity(report.options)};
}

}  // namespace

Result<std::vector<DedupDirectory>> open_dedup_shards(storage::FileSystem& fs,
                                                      std::span<const std::string> directories) {
  std::vector<DedupDirectory> shards;
  for (const std::string& directory : directories) {
    KITH_ASSIGN(DedupDirectory shard, DedupDirectory::open_shard(fs, directory));
    shards.push_back(std::move(shard));
  }
  std::ranges::stable_sort(
      shards, {}, [](const DedupDirectory& shard) { return shard.report().options.shard; });
  std::vector<run::ShardFacts> facts;
  facts.reserve(shards.size());
  for (const DedupDirectory& shard : shards) facts.push_back(facts_of(shard));
  KITH_TRY(run::check_shards(facts));
  return shards;
}

Result<DocumentsRead> merge_documents(const std::string& path, const DedupOptions& options,
                                      std::span<const DedupDirectory> shards,
                                      const DedupResources& resources,
                                      const ProgressCallback& progress) {
  KITH_ASSIGN(const AllFiles all, open_files(resources.fs, options, shards));
  KITH_ASSIGN(const MergedCaptures captures,
              choose_documents(resources.fs, options, all, resources.memory));
  return make_documents(path, options, resources, progress, [&](const ReadingJob& job) -> Status {
    KITH_ASSIGN(DocumentWriter writer, document_writer(resources.fs, path, options));
    if (options.boilerplate == Boilerplate::remove) {
      KITH_TRY(write_without_boilerplate(job, writer, [&](const TakeTexts& take) {
        return for_each_file(all, progress, [&](ShardFiles& shard, uint32_t file, uint32_t first) {
          return shard.texts_of(file, first, take, job.links);
        });
      }));
    } else {
      KITH_TRY(for_each_file(all, progress, [&](ShardFiles& shard, uint32_t file, uint32_t first) {
        return shard.documents_of(file, first, writer, job.links);
      }));
      for (const auto& shard : all) add(shard->counts(), job.read.documents);
      // What was cut is without elements, but not empty.
      job.read.documents.cut -= captures.later.cut_pages;
      job.read.documents.empty += captures.later.cut_pages;
    }
    job.read.crawl = counts_of(all, captures);
    job.read.crawl.months = writer.months();
    return writer.finish(all.front()->inputs());
  });
}

}  // namespace kith::jobs
