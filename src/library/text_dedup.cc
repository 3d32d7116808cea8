#include "kith/text_dedup.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "dedup/document_table.h"
#include "dedup/files.h"
#include "dedup/groups.h"
#include "dedup/match.h"
#include "dedup/methods.h"
#include "dedup/plan.h"
#include "dedup/read.h"
#include "library/batch.h"
#include "run/memory_budget.h"
#include "run/stopping.h"
#include "sketch/minhash.h"
#include "storage/memory_file_system.h"

namespace kith {
namespace {

constexpr size_t documents_per_block = 1024;

// The options of a run of these documents; of its input and output nothing is used.
DedupOptions run_options(const TextDedupOptions& options) {
  DedupOptions run;
  run.inputs = {"documents"};
  run.output = "memory";
  run.method = options.method;
  run.shingles = options.shingles.unit;
  run.width = options.shingles.width;
  run.bag = options.shingles.bag;
  run.normalize = options.shingles.normalize;
  run.similarity_of = options.similarity_of;
  run.similarity = options.similarity;
  run.recall = options.recall;
  run.lanes = options.lanes;
  run.distance = options.distance;
  run.verify = options.verify;
  run.groups = options.groups;
  run.order = options.order;
  run.keep = options.keep;
  run.max_comparisons = options.max_comparisons;
  run.seed = options.seed;
  run.memory = options.memory;
  run.threads = options.threads;
  return run;
}

Status check_sets(const SetsView& sets) {
  KITH_TRY(validate(sets));
  for (size_t i = 0; i < sets.size(); ++i) {
    if (std::ranges::adjacent_find(sets[i], std::ranges::greater_equal()) != sets[i].end()) {
      return library::usage(
          fmt::format("set {}: its elements must ascend, each once, as shingles() gives them", i));
    }
  }
  return Status::ok();
}

// The stages of `kith dedup` behind the documents, on files in memory.
class TextDedupJob {
 public:
  TextDedupJob(const TextDedupOptions& options, const pipeline::StoppingProgress& progress)
      : options_(run_options(options)),
        progress_(progress.callback()),
        pool_(options.threads),
        resources_{files_, "run", "run/scratch", pipeline::memory_or_default(options.memory),
                   pool_} {
    pool_.set_poll(progress.poll());
  }

  // text_bytes: of every document.
  Result<TextDedup> run(const SetsView& sets, std::span<const uint32_t> text_bytes) {
    KITH_TRY(write_documents(sets, text_bytes));
    KITH_ASSIGN(const auto documents,
                pipeline::DocumentTable::open(files_, "run",
                                              {.sketches = pipeline::needs_signatures(options_)}));
    const std::string matches_path = "run/" + std::string(pipeline::matches_file);
    KITH_TRY(pipeline::write_matches(matches_path, documents, {}, options_, resources_, report_,
                                     progress_));
    KITH_ASSIGN(const auto matches,
                pipeline::Matches::open(files_, matches_path, documents.size()));
    const std::string groups_path = "run/" + std::string(pipeline::groups_file);
    KITH_TRY(pipeline::write_groups(groups_path, documents, {}, matches, options_, resources_,
                                    report_, progress_));
    KITH_ASSIGN(const auto groups, pipeline::Groups::open(files_, groups_path, documents.size()));
    return result(documents, matches, groups);
  }

 private:
  Status write_documents(const SetsView& sets, std::span<const uint32_t> text_bytes) {
    if (progress_) progress_({pipeline::documents_stage, 0, 1, ""});
    std::optional<index::SketchParams> params;
    if (pipeline::needs_signatures(options_)) params = pipeline::sketch_params(options_);
    KITH_ASSIGN(auto writer, pipeline::DocumentWriter::create(files_, "run", params));
    std::optional<SetSketcher> sketcher;
    if (params) sketcher.emplace(SetSketchOptions{params->family, params->lanes, params->seed});
    for (size_t begin = 0; begin < sets.size(); begin += documents_per_block) {
      const size_t end = std::min(sets.size(), begin + documents_per_block);
      KITH_TRY(writer.add(block_of(sets, text_bytes, begin, end, sketcher)));
    }
    return writer.finish(options_.inputs);
  }

  pipeline::DocumentBlock block_of(const SetsView& sets, std::span<const uint32_t> text_bytes,
                                   size_t begin, size_t end,
                                   const std::optional<SetSketcher>& sketcher) {
    pipeline::DocumentBlock block;
    for (size_t i = begin; i < end; ++i) {
      const HashSet set = sets[i];
      pipeline::Document document;
      document.record = i;
      document.bytes = text_bytes[i];
      if (!set.empty()) document.fingerprint = hash64(std::as_bytes(set));
      block.documents.push_back(document);
      block.names.push_back(std::to_string(i));
      block.sizes.push_back(static_cast<uint32_t>(set.size()));
      block.elements.insert(block.elements.end(), set.begin(), set.end());
      report_.documents.empty += set.empty() ? 1 : 0;
    }
    report_.documents.documents += block.documents.size();
    report_.documents.elements += block.elements.size();
    if (sketcher) sign(sets, begin, *sketcher, block);
    return block;
  }

  void sign(const SetsView& sets, size_t first, const SetSketcher& sketcher,
            pipeline::DocumentBlock& block) {
    const uint32_t lanes = sketcher.lanes();
    block.signatures.resize(block.documents.size() * lanes);
    pool_.for_chunks(block.documents.size(), 16, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        sketcher.sketch(sets[first + i], std::span(block.signatures).subspan(i * lanes, lanes));
      }
    });
  }

  TextDedup result(const pipeline::DocumentTable& documents, const pipeline::Matches& matches,
                   const pipeline::Groups& groups) {
    TextDedup found;
    found.kept.assign(groups.kept().begin(), groups.kept().end());
    found.center.assign(groups.center().begin(), groups.center().end());
    const pairs::HashSets& sets = documents.sets();
    found.similarity.resize(documents.size(), 1.0);
    for (uint32_t id = 0; id < documents.size(); ++id) {
      const uint32_t kept = found.kept[id];
      if (kept == id) continue;
      const SetOverlap both{sets.size_of(id), sets.size_of(kept), groups.common()[id]};
      found.similarity[id] = both.resemblance();
    }
    for (const auto& listed : {matches.pairs(), groups.center_pairs()}) {
      for (const pairs::SetPair& pair : listed) {
        const SetOverlap both{sets.size_of(pair.a), sets.size_of(pair.b), pair.common};
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
  const ProgressCallback progress_;
  ThreadPool pool_;
  storage::MemoryFileSystem files_;
  const pipeline::DedupResources resources_;
  DedupReport report_;
};

}  // namespace

Status validate(const TextDedupOptions& options) {
  KITH_TRY(validate(options.shingles));
  KITH_TRY(validate(run_options(options)));
  if (options.keep == Keep::inlinks) {
    return library::usage("keep inlinks: documents in memory have no links");
  }
  return pipeline::check_plan(run_options(options));
}

Result<TextDedup> dedup_texts(std::span<const std::string_view> texts,
                              const TextDedupOptions& options, const ProgressCallback& progress) {
  KITH_TRY(pipeline::guarded([&] { return validate(options); }));
  const pipeline::StoppingProgress stopping(progress);
  return pipeline::guarded([&]() -> Result<TextDedup> {
    if (progress) stopping.callback()({pipeline::documents_stage, 0, 1, ""});
    KITH_ASSIGN(const Sets sets, shingles(texts, options.shingles, options.threads));
    std::vector<uint32_t> bytes;
    for (const std::string_view text : texts) bytes.push_back(static_cast<uint32_t>(text.size()));
    return TextDedupJob(options, stopping).run(sets, bytes);
  });
}

Result<TextDedup> dedup_sets(const SetsView& sets, const TextDedupOptions& options,
                             const ProgressCallback& progress) {
  KITH_TRY(pipeline::guarded([&] { return validate(options); }));
  KITH_TRY(check_sets(sets));
  const pipeline::StoppingProgress stopping(progress);
  return pipeline::guarded([&]() -> Result<TextDedup> {
    std::vector<uint32_t> sizes;
    for (size_t i = 0; i < sets.size(); ++i) {
      sizes.push_back(static_cast<uint32_t>(sets[i].size()));
    }
    return TextDedupJob(options, stopping).run(sets, sizes);
  });
}

}  // namespace kith
