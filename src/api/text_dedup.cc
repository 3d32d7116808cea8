#include "kith/text_dedup.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "api/batch.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/keep.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"
#include "run/guarded.h"
#include "run/memory_budget.h"
#include "sketch/set_sketches.h"
#include "storage/memory_file_system.h"
#include "text/words/quality.h"
#include "text/words/shingles.h"
#include "text/words/terms.h"

namespace kith {
namespace {

// What a worker reads at a time, and how many of these are written in one go.
constexpr size_t documents_per_chunk = 16;
constexpr size_t documents_per_block = 64 * documents_per_chunk;

// Of its input the name alone is used.
DedupOptions run_options(const DuplicateOptions& options, const ShingleOptions& shingles,
                         const Resources& resources) {
  DedupOptions run;
  static_cast<DuplicateOptions&>(run) = options;
  static_cast<ShingleOptions&>(run) = shingles;
  static_cast<Resources&>(run) = resources;
  run.inputs = {"documents"};
  return run;
}

Status check_options(const DedupOptions& options, bool is_of_sets) {
  KITH_TRY(validate(static_cast<const ShingleOptions&>(options)));
  KITH_TRY(validate(static_cast<const DuplicateOptions&>(options)));
  KITH_TRY(validate(static_cast<const Resources&>(options)));
  KITH_ASSIGN(const auto rules, jobs::keep_rules(options.keep));
  for (const jobs::KeepRule& rule : rules) {
    const bool is_of_text = rule.kind <= jobs::KeepKind::shortest ||
                            (rule.kind == jobs::KeepKind::quality && !is_of_sets);
    if (is_of_text) continue;
    return api::usage(
        fmt::format("keep: of documents in memory {} known, so the rules are first, longest{}",
                    is_of_sets ? "only elements are" : "only the text is",
                    is_of_sets ? " and shortest" : ", shortest and quality"));
  }
  return jobs::check_plan(options);
}

// What a document is compared by.
struct Content {
  std::span<const uint64_t> elements;
  uint64_t text = 0;   // jobs::Document::text
  double quality = 0;  // where that is asked for
};

// Documents that are texts, batch by batch.
class Texts {
 public:
  // total: of all documents, 0 when it is not known.
  Texts(const NextTexts& next, size_t total, const ShingleOptions& options, bool with_quality,
        unsigned workers)
      : next_(next), total_(total), with_quality_(with_quality) {
    for (unsigned i = 0; i < workers; ++i) {
      workers_.emplace_back(jobs::shingle_options(options));
    }
  }

  size_t total() const { return total_; }
  // The documents of the next batch; 0 when there is none.
  Result<size_t> next() {
    given_ += texts_.size();
    KITH_ASSIGN(texts_, next_());
    for (size_t i = 0; i < texts_.size(); ++i) KITH_TRY(text::check_size(texts_[i], given_ + i));
    return texts_.size();
  }
  // Of a document of this batch.
  uint32_t bytes(size_t i) const { return static_cast<uint32_t>(texts_[i].size()); }
  // Until the next call of the same worker.
  Content content(size_t i, unsigned worker) {
    Worker& own = workers_[worker];
    own.shingler.read(texts_[i], own.elements);
    const uint64_t text = text::hash_of_text(own.elements);
    own.shingler.make_elements(own.elements);
    const double quality =
        with_quality_ ? static_cast<double>(text::text_quality(texts_[i]).score()) : 0;
    return {own.elements, text, quality};
  }

 private:
  struct alignas(worker_alignment) Worker {
    explicit Worker(const text::ShingleOptions& options) : shingler(options) {}
    text::Shingler shingler;
    std::vector<uint64_t> elements;
  };

  const NextTexts& next_;
  const size_t total_;
  const bool with_quality_;
  size_t given_ = 0;  // before this batch
  std::span<const std::string_view> texts_;
  std::vector<Worker> workers_;
};

// Documents that are sets, in one batch.
class GivenSets {
 public:
  explicit GivenSets(const SetsView& sets) : sets_(sets), left_(sets.size()) {}

  size_t total() const { return sets_.size(); }
  Result<size_t> next() { return std::exchange(left_, 0); }
  uint32_t bytes(size_t i) const { return static_cast<uint32_t>(sets_[i].size()); }
  // Of a set nothing but its elements is known.
  Content content(size_t i, unsigned /*worker*/) const {
    return {sets_[i], text::hash_of_text(sets_[i])};
  }

 private:
  const SetsView& sets_;
  size_t left_;
};

Status check_sets(const SetsView& sets) {
  KITH_TRY(validate(sets));
  for (size_t i = 0; i < sets.size(); ++i) {
    if (std::ranges::adjacent_find(sets[i], std::ranges::greater_equal()) != sets[i].end()) {
      return api::usage(
          fmt::format("set {}: its elements must ascend, each once, as shingles() gives them", i));
    }
  }
  return Status::ok();
}

// The stages of `kith dedup` behind the documents, on files in memory.
class TextDedupJob {
 public:
  TextDedupJob(const DedupOptions& options, const run::StoppingProgress& progress)
      : options_(options),
        progress_(progress.callback()),
        pool_(options.threads),
        resources_{files_, "run", "run/scratch", run::memory_or_default(options.memory), pool_} {
    pool_.set_poll(progress.poll());
  }

  unsigned workers() const { return pool_.size(); }

  // Source: Texts or GivenSets.
  template <class Source>
  Result<TextDedup> run(Source source) {
    run::note_missing_threads(pool_, progress_);
    KITH_TRY(write_documents(source));
    KITH_ASSIGN(
        const auto documents,
        jobs::DocumentTable::open(
            files_, "run", {.sketches = jobs::needs_signatures(options_), .keep_keys = keys_}));
    const std::string matches_path = "run/" + std::string(jobs::matches_file);
    KITH_TRY(
        jobs::write_matches(matches_path, documents, {}, options_, resources_, report_, progress_));
    KITH_ASSIGN(const auto matches, jobs::Matches::open(files_, matches_path, documents.size()));
    const std::string groups_path = "run/" + std::string(jobs::groups_file);
    KITH_TRY(jobs::write_groups(groups_path, documents, {}, matches, options_, resources_, report_,
                                progress_));
    KITH_ASSIGN(const auto groups, jobs::Groups::open(files_, groups_path, documents.size()));
    return result(documents, matches, groups);
  }

 private:
  template <class Source>
  Status write_documents(Source& source) {
    tell(source.total());
    std::optional<run::SketchParams> params;
    if (jobs::needs_signatures(options_)) params = jobs::sketch_params(options_);
    KITH_ASSIGN(auto writer, jobs::DocumentWriter::create(files_, "run", params, false, keys_));
    std::optional<sketch::SetSketcher> sketcher;
    if (params)
      sketcher.emplace(sketch::SetSketchOptions{params->family, params->lanes, params->seed});
    for (;;) {
      KITH_ASSIGN(const size_t documents, source.next());
      if (documents == 0) return writer.finish(options_.inputs);
      for (size_t begin = 0; begin < documents; begin += documents_per_block) {
        const size_t end = std::min(documents, begin + documents_per_block);
        KITH_TRY(write_block(source, begin, end, sketcher, writer));
        tell(source.total());
      }
    }
  }

  // The documents [begin, end) of a batch.
  template <class Source>
  Status write_block(Source& source, size_t begin, size_t end,
                     const std::optional<sketch::SetSketcher>& sketcher,
                     jobs::DocumentWriter& writer) {
    const uint64_t first = report_.documents.documents;
    for (jobs::DocumentBlock& chunk : chunks_) chunk.clear();
    pool_.for_chunks(end - begin, documents_per_chunk, [&](size_t from, size_t to, unsigned own) {
      jobs::DocumentBlock& chunk = chunks_[from / documents_per_chunk];
      for (size_t i = from; i < to; ++i) {
        add(source.content(begin + i, own), first + i, source.bytes(begin + i), chunk);
      }
      if (sketcher) sign(*sketcher, chunk);
    });
    for (const jobs::DocumentBlock& chunk : chunks_) {
      report_.documents.documents += chunk.documents.size();
      report_.documents.elements += chunk.elements.size();
      report_.documents.empty += std::ranges::count(chunk.sizes, 0u);
      KITH_TRY(writer.add(chunk));
    }
    return Status::ok();
  }

  void tell(size_t total) const {
    if (!progress_) return;
    progress_({jobs::documents_stage, static_cast<double>(report_.documents.documents),
               static_cast<double>(total), "documents"});
  }

  void add(Content content, uint64_t number, uint32_t bytes, jobs::DocumentBlock& chunk) const {
    const std::span<const uint64_t> elements = content.elements;
    jobs::Document document;
    document.text = content.text;
    document.record = number;
    document.bytes = bytes;
    if (!elements.empty()) document.fingerprint = hash64(std::as_bytes(elements));
    chunk.documents.push_back(document);
    chunk.names.push_back(std::to_string(number));
    chunk.sizes.push_back(static_cast<uint32_t>(elements.size()));
    chunk.elements.insert(chunk.elements.end(), elements.begin(), elements.end());
    chunk.keep_keys.insert(chunk.keep_keys.end(), keys_, content.quality);
  }

  static void sign(const sketch::SetSketcher& sketcher, jobs::DocumentBlock& chunk) {
    const uint32_t lanes = sketcher.lanes();
    chunk.signatures.resize(chunk.sizes.size() * lanes);
    std::span<const uint64_t> elements = chunk.elements;
    std::span<uint16_t> rows = chunk.signatures;
    for (const uint32_t size : chunk.sizes) {
      sketcher.sketch(elements.first(size), rows.first(lanes));
      elements = elements.subspan(size);
      rows = rows.subspan(lanes);
    }
  }

  TextDedup result(const jobs::DocumentTable& documents, const jobs::Matches& matches,
                   const jobs::Groups& groups) {
    TextDedup found;
    found.kept.assign(groups.kept().begin(), groups.kept().end());
    found.center.assign(groups.center().begin(), groups.center().end());
    const similar::HashSets& sets = documents.sets();
    found.similarity.resize(documents.size(), 1.0);
    for (uint32_t id = 0; id < documents.size(); ++id) {
      const uint32_t kept = found.kept[id];
      if (kept == id) continue;
      const sketch::SetOverlap both{sets.size_of(id), sets.size_of(kept), groups.common()[id]};
      found.similarity[id] = both.resemblance();
    }
    for (const auto& listed : {matches.pairs(), groups.center_pairs()}) {
      for (const similar::SetPair& pair : listed) {
        const sketch::SetOverlap both{sets.size_of(pair.a), sets.size_of(pair.b), pair.common};
        found.pairs.push_back({pair.a, pair.b, both.resemblance()});
      }
    }
    std::ranges::sort(found.pairs, [](const SimilarIds& x, const SimilarIds& y) {
      return x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    found.pairs.erase(std::unique(found.pairs.begin(), found.pairs.end()), found.pairs.end());
    found.counts = std::move(report_.groups);
    found.pair_counts = report_.pairs;
    found.tables = std::move(report_.tables);
    return found;
  }

  const DedupOptions options_;
  const size_t keys_ = jobs::stored_keys(options_);  // of each document, its quality
  const ProgressCallback progress_;
  ThreadPool pool_;
  storage::MemoryFileSystem files_;
  const jobs::DedupResources resources_;
  std::vector<jobs::DocumentBlock> chunks_{documents_per_block / documents_per_chunk};
  DedupReport report_;
};

// Of texts or of sets: source_for(workers) gives them.
template <class SourceFor>
Result<TextDedup> dedup_by(const SourceFor& source_for, const DuplicateOptions& options,
                           const ShingleOptions& shingles, const Resources& resources,
                           const ProgressCallback& progress) {
  const run::StoppingProgress stopping(progress);
  return run::guarded([&]() -> Result<TextDedup> {
    const DedupOptions all = run_options(options, shingles, resources);
    using Source = std::remove_cvref_t<decltype(*source_for(1))>;
    KITH_TRY(check_options(all, std::is_same_v<Source, GivenSets>));
    TextDedupJob job(all, stopping);
    KITH_ASSIGN(auto source, source_for(job.workers()));
    return job.run(std::move(source));
  });
}

Result<TextDedup> dedup_batches(const NextTexts& next, size_t total,
                                const DuplicateOptions& options, const ShingleOptions& shingles,
                                const Resources& resources, const ProgressCallback& progress) {
  const auto source_for = [&](unsigned workers) -> Result<Texts> {
    return Texts(next, total, shingles, jobs::keeps_by(options, jobs::KeepKind::quality), workers);
  };
  return dedup_by(source_for, options, shingles, resources, progress);
}

}  // namespace

Result<TextDedup> dedup_texts(std::span<const std::string_view> texts,
                              const DuplicateOptions& options, const ShingleOptions& shingles,
                              const Resources& resources, const ProgressCallback& progress) {
  const auto next = [left = texts]() mutable -> Result<std::span<const std::string_view>> {
    return std::exchange(left, {});
  };
  return dedup_batches(next, texts.size(), options, shingles, resources, progress);
}

Result<TextDedup> dedup_text_batches(const NextTexts& next, const DuplicateOptions& options,
                                     const ShingleOptions& shingles, const Resources& resources,
                                     const ProgressCallback& progress) {
  return dedup_batches(next, 0, options, shingles, resources, progress);
}

Result<TextDedup> dedup_sets(const SetsView& sets, const DuplicateOptions& options,
                             const Resources& resources, const ProgressCallback& progress) {
  const auto source_for = [&](unsigned) -> Result<GivenSets> {
    KITH_TRY(check_sets(sets));
    return GivenSets(sets);
  };
  return dedup_by(source_for, options, {}, resources, progress);
}

}  // namespace kith
