// kith::DedupSteps: features, the choice of tables, exact similarities.
#include "kith/dedup_steps.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "api/batch.h"
#include "api/text_dedup.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "distributed/table_join.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/families/center_absorb.h"
#include "jobs/dedup/families/center_scan.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/families/whole_parts.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/plan.h"
#include "jobs/dedup/read.h"
#include "run/memory_budget.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_join.h"
#include "similar/sets/set_verification.h"
#include "similar/tables/bucket_split.h"
#include "sketch/minhash.h"
#include "storage/file_system.h"
#include "storage/memory_file_system.h"
#include "text/words/shingles.h"
#include "text/words/terms.h"

namespace kith {
namespace {

static_assert(no_common_elements == similar::no_pair);

Status check_distributed(const TextDedupOptions& options) {
  if (options.method != DedupMethod::minhash && options.method != DedupMethod::exact) {
    return api::usage(
        fmt::format("method = {}: documents on many machines are compared by minhash or exact",
                    name(options.method)));
  }
  if (options.groups != Grouping::center) {
    return api::usage(fmt::format("groups = {}: groups of documents on many machines have centers",
                                  name(options.groups)));
  }
  return Status::ok();
}

// The features of some consecutive documents, by one worker.
class FeatureMaker {
 public:
  explicit FeatureMaker(const DedupOptions& options)
      : shingler_(jobs::shingle_options(options)),
        finds_equal_texts_(options.method == DedupMethod::exact),
        lanes_(options.lanes) {
    const run::SketchParams params = jobs::sketch_params(options);
    if (jobs::needs_signatures(options)) {
      sketcher_.emplace(sketch::SetSketchOptions{params.family, params.lanes, params.seed});
    }
  }

  void add(std::string_view text, DocumentFeatures& features) {
    shingler_.read(text, elements_);
    Key128 key = finds_equal_texts_ ? content_of(elements_) : Key128();
    shingler_.make_elements(elements_);
    const std::span<const uint64_t> set = elements_;
    if (!finds_equal_texts_) key = content_of(elements_);
    features.content.push_back(key.high);
    features.content.push_back(key.low);
    features.sets.elements.insert(features.sets.elements.end(), set.begin(), set.end());
    features.sets.offsets.push_back(features.sets.elements.size());
    const size_t at = features.signatures.size();
    features.signatures.resize(at + lanes_);
    if (sketcher_) sketcher_->sketch(set, std::span(features.signatures).subspan(at));
  }

 private:
  static Key128 content_of(std::span<const uint64_t> shingles) {
    const auto bytes = std::as_bytes(shingles);
    return shingles.empty() ? Key128()
                            : hash128({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  text::Shingler shingler_;
  const bool finds_equal_texts_;
  const uint32_t lanes_;
  std::optional<sketch::SetSketcher> sketcher_;
  std::vector<uint64_t> elements_;
};

void append(const DocumentFeatures& more, DocumentFeatures& features) {
  const uint64_t before = features.sets.elements.size();
  for (size_t i = 1; i < more.sets.offsets.size(); ++i) {
    features.sets.offsets.push_back(before + more.sets.offsets[i]);
  }
  const auto add = [](const auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(more.sets.elements, features.sets.elements);
  add(more.content, features.content);
  add(more.signatures, features.signatures);
}

}  // namespace

struct DedupSteps::State {
  TextDedupOptions given;
  DedupOptions options;
};

DedupSteps::DedupSteps(std::unique_ptr<const State> state) : state_(std::move(state)) {}
DedupSteps::~DedupSteps() = default;
DedupSteps::DedupSteps(DedupSteps&&) noexcept = default;
DedupSteps& DedupSteps::operator=(DedupSteps&&) noexcept = default;

Result<DedupSteps> DedupSteps::make(const TextDedupOptions& options) {
  return run::guarded([&]() -> Result<DedupSteps> {
    KITH_TRY(validate(options));
    KITH_TRY(check_distributed(options));
    return DedupSteps(std::make_unique<const State>(State{options, api::run_options(options)}));
  });
}

const TextDedupOptions& DedupSteps::options() const {
  return state_->given;
}

bool DedupSteps::finds_pairs() const {
  return jobs::finds_pairs(state_->options);
}

Result<DocumentFeatures> DedupSteps::features(std::span<const std::string_view> texts,
                                              unsigned threads) const {
  constexpr size_t grain = 64;
  for (size_t i = 0; i < texts.size(); ++i) KITH_TRY(text::check_size(texts[i], i));
  std::vector<DocumentFeatures> chunks((texts.size() + grain - 1) / grain);
  KITH_TRY(api::for_chunks(texts.size(), grain, threads, [&](size_t begin, size_t end) {
    FeatureMaker maker(state_->options);
    for (size_t i = begin; i < end; ++i) maker.add(texts[i], chunks[begin / grain]);
    return Status::ok();
  }));
  return run::guarded([&]() -> Result<DocumentFeatures> {
    DocumentFeatures features;
    for (const DocumentFeatures& chunk : chunks) append(chunk, features);
    return features;
  });
}

DedupSample DedupSteps::sample(uint64_t documents) const {
  jobs::SamplePlaces places = jobs::sample_places(documents, state_->options);
  return {std::move(places.queries), std::move(places.others)};
}

Result<std::vector<DedupTables>> DedupSteps::plan(uint64_t documents, SignatureView queries,
                                                  SignatureView others) const {
  const uint32_t lanes = state_->options.lanes;
  return run::guarded([&]() -> Result<std::vector<DedupTables>> {
    const jobs::SamplePlaces places = jobs::sample_places(documents, state_->options);
    KITH_TRY(distributed::check_signatures(places.queries.size(), queries.size(), lanes));
    KITH_TRY(distributed::check_signatures(places.others.size(), others.size(), lanes));
    jobs::SampleRows rows;
    rows.queries.assign(queries.begin(), queries.end());
    rows.others = [&](size_t begin, size_t end) {
      const SignatureView some = others.subspan(begin * lanes, (end - begin) * lanes);
      return std::vector<uint16_t>(some.begin(), some.end());
    };
    ThreadPool pool(1);
    KITH_ASSIGN(jobs::DedupPlan plan,
                jobs::plan_tables(documents, places, rows, state_->options, pool));
    return std::move(plan.considered);
  });
}

Result<TableJoin> DedupSteps::join(const DedupTables& chosen) const {
  const DedupOptions& options = state_->options;
  KITH_TRY(distributed::check_tables(chosen.per_key, chosen.tables));
  return run::guarded([&]() -> Result<TableJoin> {
    return TableJoin(std::make_unique<const TableJoin::State>(
        jobs::table_params(chosen.per_key, chosen.tables, options),
        similar::min_equal_bytes({.similarity = options.similarity}, options.lanes),
        similar::pivot_rule(options.similarity, options.lanes)));
  });
}

Result<std::vector<uint32_t>> DedupSteps::verify(const SetsView& sets, std::span<const uint32_t> a,
                                                 std::span<const uint32_t> b) const {
  KITH_TRY(kith::validate(sets));
  KITH_TRY(api::check_size(b.size(), a.size()));
  const auto is_there = [&](uint32_t set) { return set < sets.size(); };
  if (!std::ranges::all_of(a, is_there) || !std::ranges::all_of(b, is_there)) {
    return api::usage(fmt::format("a pair names a set beyond the {} that are given", sets.size()));
  }
  return run::guarded([&]() -> Result<std::vector<uint32_t>> {
    const similar::PairRule rule = jobs::pair_rule(state_->options);
    // Offsets of a slice of a longer array need not begin at 0.
    std::vector<uint64_t> offsets(sets.offsets.begin(), sets.offsets.end());
    const uint64_t first = offsets.empty() ? 0 : offsets.front();
    for (uint64_t& offset : offsets) offset -= first;
    const similar::HashSets own(sets.elements.subspan(first), offsets);
    similar::OverlapReader overlap_of(own, own);
    std::vector<uint32_t> common(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      common[i] = similar::common_of_pair(own, a[i], own, b[i], rule, overlap_of);
    }
    return common;
  });
}

// kith::DedupCenterScan: the scan for centers of the job on one machine, of documents that come
// from many.
static_assert(DedupCenterScan::min_family == jobs::AbsorbOptions().min_family &&
              DedupCenterScan::max_families == jobs::AbsorbOptions().max_families);

struct DedupCenterScan::State {
  State(const DedupOptions& run_options, const std::string& folder, uint64_t memory)
      : options(run_options),
        pool(1),
        fs(folder.empty() ? static_cast<storage::FileSystem&>(files)
                          : storage::posix_file_system()),
        resources{fs, folder.empty() ? "scan" : folder,
                  (folder.empty() ? "scan" : folder) + "/scratch", run::memory_or_default(memory),
                  pool} {}
  // What cannot be removed is left.
  ~State() {
    clean_up([&] { return fs.remove_tree(resources.folder); });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Status add(DocumentView numbers, const SetsView& sets, SignatureView signatures);
  Result<uint32_t> row_of(uint32_t number) const;
  Status write_matches(const Input& input, const std::string& path, uint64_t& parts);
  Result<Output> run(const Input& input);

  const DedupOptions options;
  ThreadPool pool;
  storage::MemoryFileSystem files;
  storage::FileSystem& fs;
  const jobs::DedupResources resources;
  std::optional<jobs::DocumentWriter> writer;
  std::vector<uint32_t> documents;
};

Status DedupCenterScan::State::add(DocumentView numbers, const SetsView& sets,
                                   SignatureView signatures) {
  KITH_TRY(validate(sets));
  KITH_TRY(api::check_size(sets.size(), numbers.size()));
  KITH_TRY(distributed::check_signatures(numbers.size(), signatures.size(), options.lanes));
  if (!writer) {
    KITH_TRY(fs.make_directories(resources.scratch));
    KITH_ASSIGN(auto made,
                jobs::DocumentWriter::create(fs, resources.folder, jobs::sketch_params(options)));
    writer.emplace(std::move(made));
  }
  jobs::DocumentBlock block;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!documents.empty() && numbers[i] <= documents.back()) {
      return api::usage("documents must ascend by their numbers, each once");
    }
    documents.push_back(numbers[i]);
    const std::span<const uint64_t> set = sets[i];
    jobs::Document document;
    if (!set.empty()) document.fingerprint = hash64(std::as_bytes(set));
    block.documents.push_back(document);
    block.names.emplace_back();
    block.sizes.push_back(static_cast<uint32_t>(set.size()));
    block.elements.insert(block.elements.end(), set.begin(), set.end());
  }
  block.signatures.assign(signatures.begin(), signatures.end());
  return writer->add(block);
}

Result<uint32_t> DedupCenterScan::State::row_of(uint32_t number) const {
  const auto at = std::ranges::lower_bound(documents, number);
  if (at == documents.end() || *at != number) {
    return api::usage(fmt::format("document {} was not added", number));
  }
  return static_cast<uint32_t>(at - documents.begin());
}

Status DedupCenterScan::State::write_matches(const Input& input, const std::string& path,
                                             uint64_t& parts) {
  std::vector<similar::SetPair> listed;
  listed.reserve(input.pairs.size());
  for (const DocumentIds& pair : input.pairs) {
    KITH_ASSIGN(const uint32_t a, row_of(pair.a));
    KITH_ASSIGN(const uint32_t b, row_of(pair.b));
    if (a >= b) return api::usage("of a pair the document of the smaller number comes first");
    listed.push_back({a, b, 0});
  }
  std::ranges::sort(listed);
  jobs::WholePartWriter writer_of_parts(
      resources, run::working_memory(resources.memory, documents.size()).bytes(Share::whole_parts));
  KITH_TRY(api::check_size(input.part_members.size(), input.part_names.size()));
  for (size_t i = 0; i < input.part_names.size(); ++i) {
    KITH_ASSIGN(const uint32_t row, row_of(input.part_members[i]));
    KITH_TRY(writer_of_parts.add(input.part_names[i], std::span(&row, 1)));
  }
  KITH_TRY(jobs::write_known_matches(path, static_cast<uint32_t>(documents.size()), listed,
                                     writer_of_parts, fs));
  parts = writer_of_parts.parts();
  return Status::ok();
}

Result<DedupCenterScan::Output> DedupCenterScan::State::run(const Input& input) {
  Output output;
  KITH_TRY(api::check_size(input.ranks.size(), documents.size()));
  if (documents.empty()) return output;
  KITH_TRY(writer->finish(options.inputs));
  KITH_ASSIGN(const auto table,
              jobs::DocumentTable::open(fs, resources.folder, {.sketches = true}));
  const std::string path = resources.folder + "/" + std::string(jobs::matches_file);
  uint64_t parts = 0;
  KITH_TRY(write_matches(input, path, parts));
  KITH_ASSIGN(const auto matches, jobs::Matches::open(fs, path, table.size()));
  std::vector<uint32_t> order(documents.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](uint32_t row) { return input.ranks[row]; });
  std::vector<uint32_t> rank(order.size());
  for (uint32_t place = 0; place < order.size(); ++place) rank[order[place]] = place;
  KITH_ASSIGN(const auto meeting, jobs::meeting_rule(table, parts > 0, options, resources));
  const jobs::CenterScanOptions scan{
      .rule = jobs::pair_rule(options), .max_centers = input.max_centers, .absorb = false};
  jobs::CenterScanSinks sinks;
  sinks.pairs = [&](const similar::SetPair& pair) {
    output.pairs.push_back({documents[pair.a], documents[pair.b], pair.common});
    return Status::ok();
  };
  DedupLargeParts large;
  KITH_ASSIGN(output.center, jobs::center_groups(table, {}, matches, rank, *meeting, scan,
                                                 resources, sinks, large));
  for (uint32_t& center : output.center) center = documents[center];
  return output;
}

DedupCenterScan::DedupCenterScan(std::unique_ptr<State> state) : state_(std::move(state)) {}
DedupCenterScan::~DedupCenterScan() = default;
DedupCenterScan::DedupCenterScan(DedupCenterScan&&) noexcept = default;
DedupCenterScan& DedupCenterScan::operator=(DedupCenterScan&&) noexcept = default;

Result<DedupCenterScan> DedupSteps::center_scan(const std::string& folder, uint64_t memory) const {
  return run::guarded([&]() -> Result<DedupCenterScan> {
    if (!folder.empty() && storage::posix_file_system().exists(folder)) {
      return api::usage(fmt::format(
          "{}: is there already; name a folder that can be made, and removed at the end", folder));
    }
    return DedupCenterScan(
        std::make_unique<DedupCenterScan::State>(api::run_options(options()), folder, memory));
  });
}

Status DedupCenterScan::add(DocumentView documents, const SetsView& sets,
                            SignatureView signatures) {
  return run::guarded([&] { return state_->add(documents, sets, signatures); });
}

Result<DedupCenterScan::Output> DedupCenterScan::run(const Input& input) {
  return run::guarded([&] { return state_->run(input); });
}

uint64_t DedupCenterScan::max_centers(uint64_t parts, uint64_t members, uint64_t documents,
                                      uint64_t max_comparisons) {
  return jobs::max_centers_of(parts, members,
                              static_cast<uint32_t>(std::min<uint64_t>(documents, UINT32_MAX)),
                              max_comparisons);
}

}  // namespace kith
