#include "synthetic/collection.h"

#include <array>
#include <chrono>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bags/merge.h"
#include "bags/run.h"
#include "bags/tables.h"
#include "bags/vocabulary/dictionary.h"
#include "base/check.h"
#include "base/machine.h"
#include "base/parallel/thread_pool.h"
#include "jobs/cluster/run_directory.h"
#include "text/url/url.h"

namespace kith::synthetic {
namespace {

constexpr unsigned threads = 1;  // that write a collection

using jobs::RunDirectory;

// A line of the truth; its columns are in collection.h.
void append_truth(std::string& out, std::string_view url, const Page& page,
                  std::span<const uint32_t> groups) {
  const auto end = std::back_inserter(out);
  fmt::format_to(end, "{}\t{}\t", url, page.site);
  for (const uint32_t count : groups) fmt::format_to(end, "{}/", page.topic % count);
  fmt::format_to(end, "{}/{}\t", page.topic, page.subtopic);
  if (page.family == Page::no_family) {
    out += '-';
  } else {
    fmt::format_to(end, "{}/{}", page.family_site, page.family);
  }
  if (page.source == page.id) {
    out += "\t-\n";
  } else {
    fmt::format_to(end, "\t{}\n", page.source);
  }
}

Status write_truth(storage::FileSystem& fs, const std::string& path, const Model& model) {
  KITH_ASSIGN(const auto file, fs.create(path));
  std::string buffer = "url\tpackage\ttopic\tfamily\tcopy_of\n";
  std::string url;
  for (uint32_t id = 0; id < model.urls(); ++id) {
    const Page page = model.page(id);
    model.url(page, url);
    append_truth(buffer, url, page, model.groups());
    constexpr size_t block = 1 << 20;
    if (buffer.size() < block) continue;
    KITH_TRY(file->append(as_bytes(buffer)));
    buffer.clear();
  }
  KITH_TRY(file->append(as_bytes(buffer)));
  return file->close();
}

// What the first pass over the model leaves: a run of raw bags, and what the dictionary needs.
struct RawBags {
  std::string path;
  bags::DocumentFrequencies frequencies;
  uint64_t with_terms = 0;
  uint64_t fetched = 0;
};

Result<RawBags> write_raw_bags(storage::FileSystem& fs, const std::string& path, Model& model) {
  RawBags raw;
  raw.path = path;
  raw.frequencies = {model.vocabulary(), bags::Slots()};
  KITH_ASSIGN(auto run, bags::RunWriter::create(fs, path));
  bags::RawBag bag;
  std::string url;
  for (uint32_t id = 0; id < model.urls(); ++id) {
    const Page page = model.page(id);
    model.url(page, url);
    text::surt_of_url(url, bag.surt);
    model.words(page, bag.terms);
    bag.facts = page.fetched ? bags::byte_of({}) : 0;
    bag.inlinks = page.inlinks;
    std::array<bool, bags::max_parts> has_part;
    KITH_CHECK(raw.frequencies.add(bag.terms, has_part));
    raw.with_terms += !bag.terms.empty();
    raw.fetched += page.fetched;
    KITH_TRY(run.add(bag));
  }
  KITH_TRY(run.finish());
  return raw;
}

// The spelling of every word of the vocabulary: all in one string, and views of it.
class SpelledWords {
 public:
  explicit SpelledWords(uint32_t vocabulary) {
    std::vector<size_t> begin;
    std::string word;
    for (uint32_t term = 0; term < vocabulary; ++term) {
      begin.push_back(letters_.size());
      spell(term, word);
      letters_ += word;
    }
    begin.push_back(letters_.size());
    words_.reserve(vocabulary);
    for (uint32_t term = 0; term < vocabulary; ++term) {
      words_.push_back(
          std::string_view(letters_).substr(begin[term], begin[term + 1] - begin[term]));
    }
  }
  SpelledWords(const SpelledWords&) = delete;
  SpelledWords& operator=(const SpelledWords&) = delete;

  std::span<const std::string_view> words() const { return words_; }

 private:
  std::string letters_;
  std::vector<std::string_view> words_;
};

Result<bags::Dictionary> write_dictionary(storage::FileSystem& fs, const std::string& path,
                                          const ClusterOptions& options, const RawBags& raw) {
  const SpelledWords spelling(static_cast<uint32_t>(raw.frequencies.terms()));
  bags::Dictionary dictionary =
      bags::make_dictionary({options.weighting, options.min_df, options.max_df}, spelling.words(),
                            raw.frequencies, {raw.with_terms});
  const std::vector<uint32_t>& ids = dictionary.provisional_id;
  KITH_TRY(bags::write_terms(fs, path, ids.size(), [&](size_t i) -> bags::TermRow {
    const std::string_view word = spelling.words()[ids[i]];
    return {word, word, raw.frequencies.of_part(ids[i], 0)};
  }));
  return dictionary;
}

Status write_bags(storage::FileSystem& fs, RunDirectory& run, Model& model) {
  const ClusterOptions& options = run.report().options;
  KITH_ASSIGN(const RawBags raw, write_raw_bags(fs, run.scratch() + "/run-0000", model));
  KITH_ASSIGN(const bags::Dictionary dictionary,
              write_dictionary(fs, run.file(run::terms_file), options, raw));
  constexpr uint64_t read_buffers = 1 << 20;
  const std::string runs[] = {raw.path};
  ThreadPool pool(threads);
  BagsCounts& counts = run.report().bags;
  KITH_TRY(bags::merge_runs(fs, runs, run.file(""), dictionary, {options.weighting}, {},
                            read_buffers, pool, counts));
  counts.fetched = raw.fetched;
  counts.vocabulary = dictionary.terms() + dictionary.dropped_rare;
  counts.terms = dictionary.terms();
  counts.frequent_terms = dictionary.frequent;
  return Status::ok();
}

// What the bags stage is in a real run.
Status run_stage(storage::FileSystem& fs, RunDirectory& run, Model& model) {
  const auto start = std::chrono::steady_clock::now();
  KITH_TRY(write_bags(fs, run, model));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  run.report().threads = threads;
  return run.commit({"bags", time.count(), peak_memory(), false});
}

}  // namespace

Result<Report> write_collection(storage::FileSystem& fs, const std::string& directory,
                                const ModelOptions& options, const std::string& truth_path) {
  KITH_TRY(validate(options));
  ClusterOptions run_options;
  run_options.bags = BagKind::anchor;
  // The model in the place of the crawl: another model in the same folder is another input.
  run_options.inputs = {describe(options)};
  run_options.output = directory;
  KITH_ASSIGN(RunDirectory run, RunDirectory::create_for_bags(fs, run_options));
  const auto work = [&]() -> Status {
    Model model(options);
    if (!run.has("bags")) KITH_TRY(run_stage(fs, run, model));
    if (!truth_path.empty()) KITH_TRY(write_truth(fs, truth_path, model));
    return run.finish();
  };
  if (const Status status = work(); !status) {
    run.abandon();
    return status.error();
  }
  return run.report();
}

}  // namespace kith::synthetic
