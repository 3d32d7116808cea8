// kith::cluster_crawl and kith::merge: the stages in their order, each skipped when an earlier run
// of the same command has left it.
#include "jobs/cluster/job.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kith/pipeline.h"

#include "bags/aliases.h"
#include "bags/tables.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/bag_stage.h"
#include "jobs/cluster/class_table.h"
#include "jobs/cluster/cluster_stage.h"
#include "jobs/cluster/pair_stage.h"
#include "jobs/cluster/run_directory.h"
#include "jobs/paper/stages.h"
#include "run/guarded.h"
#include "run/index_files.h"
#include "run/memory_budget.h"
#include "text/url/url_rules.h"

namespace kith {
namespace {

using jobs::RunDirectory;

// Files that are sound each for itself may still come from different runs.
Error other_run(const RunDirectory& run) {
  return {ErrorKind::corrupt,
          fmt::format("{}: its files come from different runs; remove the folder and run the same "
                      "command again",
                      run.path())};
}

// The inputs of the stages after bags, opened once.
struct Collection {
  bags::UrlTable urls;
  bags::TermTable terms;
  bags::BagTable bags;

  static Result<Collection> open(storage::FileSystem& fs, const RunDirectory& run,
                                 ThreadPool& pool) {
    Collection collection;
    KITH_ASSIGN(collection.urls, bags::UrlTable::open(fs, run.file(run::urls_file)));
    KITH_ASSIGN(collection.terms, bags::TermTable::open(fs, run.file(run::terms_file)));
    KITH_ASSIGN(collection.bags, bags::BagTable::open(fs, run.file(run::bags_file)));
    if (collection.bags.bags().size() != collection.urls.size()) return other_run(run);
    KITH_TRY(collection.bags.check_entries(collection.terms.size(), pool));
    return collection;
  }
};

// Before anything is made: whether the table of classes is good, as far as that can be known.
Status check_classes(storage::FileSystem& fs, const ClusterOptions& options) {
  KITH_ASSIGN(const bool is_run, jobs::reuses_bags(fs, options));
  if (!is_run) return jobs::check_class_table(fs, options.within);
  KITH_ASSIGN(const auto run, RunDirectory::open(fs, options.inputs.front(), "bags"));
  KITH_ASSIGN(const auto urls, bags::UrlTable::open(fs, run.file(run::urls_file)));
  KITH_ASSIGN(const auto aliases, bags::AliasTable::open_if_there(fs, run.file(run::aliases_file)));
  const uint64_t memory = run::memory_or_default(options.memory);
  return jobs::read_class_table(
             fs, options.within, urls,
             {.memory = run::working_memory(memory, urls.size()).bytes(Share::class_names),
              .aliases = &aliases,
              .url_rules = text::UrlRules::of_valid(run.report().options.url_rules)})
      .status();
}

// One call of cluster() or merge(): holds what the stages share.
class Job {
 public:
  // `shards`: those that are to be merged; null when a crawl is to be read.
  Job(storage::FileSystem& fs, RunDirectory& run, const std::vector<RunDirectory>* shards,
      const run::StoppingProgress& progress)
      : fs_(fs),
        run_(run),
        shards_(shards),
        options_(run.report().options),
        progress_(progress.callback()),
        pool_(options_.threads),
        memory_(run.budget(run::memory_or_default(options_.memory))) {
    pool_.set_poll(progress.poll());
  }

  Status run_all() {
    run::note_missing_threads(pool_, progress_);
    run_.report().threads = pool_.size();
    run_.report().memory = memory_.bytes();
    reuses_bags_ = merges_signatures();
    if (shards_ == nullptr) {
      KITH_ASSIGN(reuses_bags_, jobs::reuses_bags(fs_, options_));
    }
    if (reuses_bags_) KITH_TRY(jobs::adopt_bag_options(fs_, run_));
    run_.find_damage(progress_);  // before anything relies on what an earlier run has left
    if (options_.shards > 0) return run_shard();
    KITH_TRY(stage("bags", [&] { return bag_stage(); }));
    KITH_ASSIGN(collection_, Collection::open(fs_, run_, pool_));
    KITH_TRY(run::check_memory(memory(), bags().size(), "URLs"));
    if (!options_.within.empty()) KITH_TRY(read_classes());
    KITH_TRY(keep_what_fits());
    KITH_TRY(plan_stage());
    run_.report().pairs.skipped = !jobs::needs_pairs(plan_.engine, options_);
    KITH_TRY(options_.engine == EngineChoice::paper ? paper_stages() : fast_stages());
    if (has_topics()) KITH_TRY(topic_stage());
    if (has_pairs() && options_.check_queries > 0) {
      KITH_TRY(stage("check", [&] { return check_stage(); }));
    }
    return run_.finish();
  }

 private:
  Status run_shard() {
    KITH_TRY(stage(run::shard_stage, [&] { return shard_stage(); }));
    return run_.finish();
  }

  Status shard_stage() {
    if (!reuses_bags_) return jobs::run_shard_stage(fs_, run_, pool_, memory(), progress_);
    KITH_ASSIGN(const RunDirectory earlier, jobs::open_with_report(fs_, run_.report()));
    KITH_ASSIGN(collection_, Collection::open(fs_, earlier, pool_));
    return jobs::write_signature_shard(
        fs_, run_.file(run::signature_shard_file), bags(), cluster::sketch_options(options_),
        jobs::share_of_bags(bags().size(), options_.shard, options_.shards), pool_);
  }

  bool merges_pages() const { return shards_ != nullptr && !shards_->front().holds_signatures(); }
  // The bags are then those of the run that the signatures were made of, which is the input.
  bool merges_signatures() const {
    return shards_ != nullptr && shards_->front().holds_signatures();
  }

  const sketch::BagCollection& bags() const { return collection_->bags.bags(); }
  similar::Classes classes() const { return similar::Classes(class_of_); }

  Status read_classes() {
    KITH_TRY(run::check_memory(memory(), bags().size(), "URLs with classes",
                               run::bytes_of_url + sizeof(uint32_t)));
    class_bytes_ = bags().size() * sizeof(uint32_t);
    KITH_ASSIGN(const auto aliases,
                bags::AliasTable::open_if_there(fs_, run_.file(run::aliases_file)));
    const Budget working = run::working_memory(memory(), bags().size());
    KITH_ASSIGN(jobs::ClassTable table,
                jobs::read_class_table(
                    fs_, options_.within, collection_->urls,
                    {.memory = working.bytes(Share::class_names),
                     .aliases = &aliases,
                     .url_rules = text::UrlRules::of_valid(run_.report().options.url_rules)}));
    collection_->urls.release();
    run_.report().within = table.counts;
    class_of_ = std::move(table.by_id);
    return Status::ok();
  }

  // The bags, and the signatures that may be made of them, where they are small.
  Status keep_what_fits() {
    const uint64_t row = uint64_t{options_.lanes} * sizeof(uint16_t);
    const uint64_t bytes = bags().entries().size_bytes() + bags().size() * row;
    files_stay_ = run::may_stay(bytes, memory());
    if (!files_stay_) return Status::ok();
    KITH_TRY(collection_->bags.stay());
    kept_bytes_ = bytes;
    return Status::ok();
  }

  // What is left for a stage, of what is not held from stage to stage.
  Budget memory() const {
    return memory_.without(Share::classes, class_bytes_).without(Share::kept_files, kept_bytes_);
  }

  const jobs::SignatureTable* signatures() const { return signatures_ ? &*signatures_ : nullptr; }

  Status fast_stages() {
    if (cluster::needs_signatures(plan_.engine, options_.order)) {
      KITH_TRY(jobs::check_table_memory(cluster_inputs()));
      KITH_TRY(sketch_stage());
    }
    if (has_pairs()) KITH_TRY(stage("pairs", [&] { return pair_stage(); }));
    if (smooths()) KITH_TRY(stage("smooth", [&] { return smooth_stage(); }));
    return stage("cluster", [&] { return cluster_stage(); });
  }

  // The same by the paper; these stages report the times of their steps too.
  Status paper_stages() {
    KITH_TRY(stage("pairs", [&] {
      return jobs::write_paper_pairs(fs_, run_, bags(), plan_, memory(), pool_, progress_);
    }));
    return stage("cluster", [&]() -> Status {
      KITH_ASSIGN(const run::Neighbours neighbours, open_neighbours());
      jobs::ClusterInputs inputs = cluster_inputs();
      inputs.neighbours = &neighbours;
      return jobs::write_paper_clusters(run_, inputs, pool_);
    });
  }

  Status stage(std::string_view name, const std::function<Status()>& work) {
    return run_.run_stage(name, progress_, work);
  }

  Status bag_stage() {
    if (merges_pages()) {
      return jobs::merge_bag_stage(fs_, *shards_, run_, pool_, memory(), progress_);
    }
    if (reuses_bags_) return jobs::take_bags(fs_, run_);
    return jobs::run_bag_stage(fs_, run_, pool_, memory(), progress_);
  }

  Status plan_stage() {
    if (run_.has("plan")) {
      plan_ = cluster::plan_of(bags(), run_.report(), pool_, classes());
      run_.report().bags.duplicates = plan_.groups.duplicates();
      return Status::ok();
    }
    return stage("plan", [&]() -> Status {
      if (options_.engine == EngineChoice::paper) {
        plan_ = jobs::make_paper_plan(bags(), options_, pool_, run_.report());
        return Status::ok();
      }
      KITH_ASSIGN(const auto urls, bags::UrlTable::open(fs_, run_.file(run::urls_file)));
      // What was only seen in links has short bags, which are more alike than those of pages.
      const bool pages_differ = options_.bags == BagKind::both;
      KITH_ASSIGN(plan_, cluster::make_plan(
                             bags(), pages_differ ? urls.facts() : std::span<const uint8_t>(),
                             classes(), options_, pool_, run_.report()));
      return Status::ok();
    });
  }

  Status sketch_stage() {
    const std::string path = run_.file(run::signatures_file);
    KITH_TRY(stage("sketch", [&] {
      if (merges_signatures()) return merge_signatures(path);
      return jobs::write_signatures(fs_, path, bags(), cluster::sketch_options(options_), pool_);
    }));
    KITH_ASSIGN(signatures_, jobs::SignatureTable::open(fs_, path, options_.lanes, bags().size()));
    if (files_stay_) KITH_TRY(signatures_->stay());
    return Status::ok();
  }

  Status merge_signatures(const std::string& path) {
    std::vector<std::string> parts;
    for (const RunDirectory& shard : *shards_) {
      KITH_TRY(shard.verify(run::shard_stage));
      parts.push_back(shard.file(run::signature_shard_file));
    }
    return jobs::merge_signatures(fs_, path, parts, bags(), options_.lanes);
  }

  bool has_pairs() const { return !run_.report().pairs.skipped; }
  bool smooths() const { return related_of(options_) == RelatedPages::smoothed; }

  Result<run::Neighbours> open_neighbours() const {
    KITH_ASSIGN(auto neighbours, run::Neighbours::open(fs_, run_.file(run::neighbours_file)));
    if (neighbours.size() != bags().size()) return other_run(run_);
    return neighbours;
  }

  // The lists of related pages, by own bags or by smoothed ones.
  jobs::NeighbourFiles related_files(std::string_view lists, std::string_view sites) const {
    jobs::NeighbourFiles files{.neighbours = run_.file(lists),
                               .count = options_.neighbours,
                               .other_sites = run_.file(sites),
                               .other_count = jobs::other_sites_kept(options_),
                               .similar_only = related_of(options_) == RelatedPages::similar};
    if (files.other_count > 0) files.first_ids = bags::first_ids_of_hosts(collection_->urls);
    return files;
  }

  Status pair_stage() {
    jobs::NeighbourFiles files = related_files(run::neighbours_file, run::other_sites_file);
    if (smooths()) files.other_count = 0;  // its stage makes them
    KITH_ASSIGN(run_.report().pairs,
                jobs::write_neighbours(files, bags(), plan_, signatures(),
                                       {fs_, run_.scratch(), memory(), pool_}, progress_));
    return Status::ok();
  }

  Status smooth_stage() {
    KITH_ASSIGN(const run::Neighbours neighbours, open_neighbours());
    const jobs::SmoothInputs inputs{bags(), neighbours, plan_.engine, options_};
    KITH_ASSIGN(
        run_.report().smooth,
        jobs::write_smoothed_neighbours(related_files(run::smoothed_file, run::smoothed_sites_file),
                                        inputs, {fs_, run_.scratch(), memory(), pool_}, progress_));
    return Status::ok();
  }

  // All but the neighbours.
  jobs::ClusterInputs cluster_inputs() const {
    jobs::ClusterInputs inputs;
    inputs.bags = &bags();
    inputs.plan = &plan_;
    inputs.signatures = signatures();
    inputs.urls = &collection_->urls;
    inputs.terms = collection_->terms.size();
    inputs.memory = memory();
    inputs.fs = &fs_;
    inputs.scratch = run_.scratch();
    return inputs;
  }

  Status cluster_stage() {
    run::Neighbours neighbours;
    if (has_pairs()) {
      KITH_ASSIGN(neighbours, open_neighbours());
    }
    jobs::ClusterInputs inputs = cluster_inputs();
    if (has_pairs()) inputs.neighbours = &neighbours;
    KITH_ASSIGN(run_.report().clusters, jobs::write_clusters(run_.file(run::clusters_file), inputs,
                                                             options_, pool_, progress_));
    return Status::ok();
  }

  bool has_topics() const {
    return options_.topics != TopicGraph::none && options_.neighbours > 0 && has_pairs();
  }

  Status topic_stage() {
    const uint64_t clusters = run_.report().clusters.clusters + run_.report().clusters.singles;
    KITH_ASSIGN(const auto neighbours, open_neighbours());
    const jobs::TopicStageInputs inputs{
        bags(),
        plan_.groups,
        collection_->urls,
        collection_->terms,
        options_.neighbours,
        jobs::measure_topics(neighbours, bags(), plan_.groups, options_.min_words),
        memory(),
        options_.min_words,
        options_.topics,
        clusters};
    const uint64_t needed = jobs::topic_memory(inputs, inputs.graph, pool_.size());
    if (needed > inputs.memory.bytes() && !run_.has("topics")) {
      const auto with = [&](TopicGraph graph) {
        const uint64_t bytes = jobs::topic_memory(inputs, graph, pool_.size());
        if (bytes <= inputs.memory.bytes()) return bytes + kept_bytes_;
        // With more memory files may stay that do not now.
        return files_stay_ ? bytes + kept_bytes_ : least_with(Share::stage, bytes);
      };
      TopicCounts& counts = run_.report().topics;
      counts = {};
      counts.missing_memory = with(inputs.graph);
      counts.mutual_memory = with(TopicGraph::mutual);
      counts.clusters_memory = with(TopicGraph::clusters);
      return Status::ok();
    }
    return stage("topics", [&]() -> Status {
      KITH_ASSIGN(const auto found, run::Clusters::open(fs_, run_.file(run::clusters_file)));
      if (found.urls() != bags().size()) return other_run(run_);
      KITH_ASSIGN(run_.report().topics, jobs::write_topic_tree(fs_, run_.file(run::topics_file),
                                                               neighbours, found, inputs, pool_));
      return Status::ok();
    });
  }

  Status check_stage() {
    KITH_ASSIGN(const auto neighbours, open_neighbours());
    CheckReport& check = run_.report().check;
    check = jobs::check_run(bags(), plan_.min_sum, classes(), neighbours, options_, pool_);
    check.promised = run_.report().engine.promised_recall;
    return Status::ok();
  }

  storage::FileSystem& fs_;
  RunDirectory& run_;
  const std::vector<RunDirectory>* shards_;
  const ClusterOptions options_;
  const ProgressCallback progress_;
  ThreadPool pool_;
  const Budget memory_;       // of the program
  uint64_t class_bytes_ = 0;  // of class_of_
  uint64_t kept_bytes_ = 0;   // of what keep_what_fits() keeps
  bool reuses_bags_ = false;
  bool files_stay_ = false;  // what keep_what_fits() decided
  std::optional<Collection> collection_;
  std::vector<uint32_t> class_of_;  // by id, with classes
  cluster::SimilarityPlan plan_;
  std::optional<jobs::SignatureTable> signatures_;
};

}  // namespace

Result<Report> jobs::cluster(storage::FileSystem& fs, const ClusterOptions& options,
                             const ProgressCallback& progress) {
  return run::guarded([&]() -> Result<Report> {
    KITH_TRY(validate(options));
    KITH_TRY(cluster::check_tables(options));
    if (!options.within.empty()) KITH_TRY(check_classes(fs, options));
    KITH_ASSIGN(RunDirectory run, RunDirectory::create(fs, options));
    const run::StoppingProgress stopping(progress);
    return run::run_job(run, [&] { return Job(fs, run, nullptr, stopping).run_all(); });
  });
}

namespace {

Result<Report> merge_shards(const MergeOptions& options, const ProgressCallback& progress) {
  KITH_TRY(validate(options));
  if (!options.write.empty()) {
    return Error{
        ErrorKind::usage,
        fmt::format("write = {}: only a merge of shards of dedup removes anything", options.write)};
  }
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const std::vector<RunDirectory> shards, jobs::open_shards(fs, options.shards));
  ClusterOptions whole = shards.front().report().options;
  const std::vector<std::string> inputs = whole.inputs;
  whole.shard = whole.shards = 0;
  whole.output = options.output;
  whole.memory = options.memory;
  whole.threads = options.threads;
  // The run is one of the crawl; to go on with it is to merge the same shards.
  whole.inputs.clear();
  for (const RunDirectory& shard : shards) whole.inputs.push_back(shard.path());
  KITH_ASSIGN(RunDirectory run, RunDirectory::create(fs, whole));
  run.report().options.inputs = inputs;
  const run::StoppingProgress stopping(progress);
  return run::run_job(run, [&] { return Job(fs, run, &shards, stopping).run_all(); });
}

}  // namespace

Result<Report> merge(const MergeOptions& options, const ProgressCallback& progress) {
  return run::guarded([&] { return merge_shards(options, progress); });
}

Result<Report> cluster_crawl(const ClusterOptions& options, const ProgressCallback& progress) {
  return jobs::cluster(storage::posix_file_system(), options, progress);
}

}  // namespace kith
