#include "jobs/contaminated/test_sets.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kith/table_files.h"

#include "base/hash.h"
#include "crawl/read/file_names.h"
#include "crawl/read/inputs.h"
#include "crawl/read/page_reader.h"
#include "run/pages.h"

namespace kith::jobs {
namespace {

namespace stdfs = std::filesystem;

// What is looked for in rows without one of the usual fields of documents: of those that a row has
// the first. A question comes before the passage that it is about, which may be from the web.
constexpr std::array<std::string_view, 19> usual_item_fields = {
    "question", "prompt",    "problem", "input",     "query",   "instruction", "ctx",
    "goal",     "sentence",  "premise", "sentence1", "stem",    "task",        "title",
    "passage",  "paragraph", "context", "article",   "document"};

// Empty where it is none of them.
std::string usual_field(const std::vector<std::string>& names) {
  for (const std::string_view field : usual_item_fields) {
    if (std::ranges::find(names, field) != names.end()) return std::string(field);
  }
  return {};
}

// The paths of the suites of `evals`, by name.
class SuitePaths {
 public:
  Status add(const std::string& path) {
    std::error_code error;
    if (!stdfs::is_directory(path, error)) {
      enter(path);
      return Status::ok();
    }
    std::vector<stdfs::path> entries;
    for (auto entry = stdfs::directory_iterator(path, error);
         !error && entry != stdfs::directory_iterator(); entry.increment(error)) {
      entries.push_back(entry->path());
    }
    if (error) {
      return Error{ErrorKind::io, fmt::format("{}: {}", path, error.message())};
    }
    std::ranges::sort(entries);
    const size_t before = paths_.size();
    for (const stdfs::path& entry : entries) {
      const bool is_folder = stdfs::is_directory(entry, error);
      if (is_folder || crawl::format_by_name(entry.string()) ||
          crawl::is_text_name(entry.string())) {
        enter(entry.string());
      } else {
        ++left_out_;
      }
    }
    if (paths_.size() > before) return Status::ok();
    return Error{ErrorKind::usage,
                 fmt::format("evals {}: holds no test set: a file of JSON lines, CSV or a table, "
                             "or a folder of such",
                             path)};
  }

  // Names of different paths are different.
  std::map<std::string, std::string> by_name() const {
    std::map<std::string, uint32_t> count;
    for (const std::string& path : paths_) ++count[name_of(path)];
    std::map<std::string, std::string> named;
    for (const std::string& path : paths_) {
      const std::string name = name_of(path);
      named.emplace(count[name] > 1 ? path : name, path);
    }
    return named;
  }
  uint64_t left_out() const { return left_out_; }

 private:
  void enter(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (std::ranges::find(paths_, path) == paths_.end()) paths_.push_back(std::move(path));
  }

  static std::string name_of(const std::string& path) {
    std::string name = path.substr(path.rfind('/') + 1);
    std::error_code error;
    if (stdfs::is_directory(path, error)) return name;
    if (crawl::codec_by_name(name)) name.resize(name.rfind('.'));
    const bool has_extension = crawl::format_by_name(name) || crawl::is_text_name(name);
    if (has_extension && name.rfind('.') > 0) name.resize(name.rfind('.'));
    return name;
  }

  std::vector<std::string> paths_;
  uint64_t left_out_ = 0;
};

// Reads the files of one suite after the other.
class SuiteReader {
 public:
  SuiteReader(const ContaminationOptions& options, const Budget& memory, TestSets& sets)
      : options_(options), memory_(memory), sets_(sets) {}

  Status read(const std::string& name, const std::string& path);

 private:
  ReadOptions reading(const std::string& path, const std::string& field) const;
  Result<std::string> choose_field(const std::string& path);
  Result<std::string> choose_column(const std::string& path, const crawl::RowFields& fields);
  Error no_text(const std::string& path, const std::string& field) const;
  Status read_file(const std::string& path, const std::string& field);
  void add_item(std::string_view name, std::string_view text);
  uint32_t find_text();
  std::string settings_field() const { return settings_ != nullptr ? settings_->field : ""; }

  const ContaminationOptions& options_;
  const Budget& memory_;
  TestSets& sets_;
  const SuiteSettings* settings_ = nullptr;
  Suite suite_;
  boost::unordered_flat_map<uint64_t, uint32_t> texts_;  // of the suite, by the hash of their ids
  run::PageText page_text_;
  TokenHashes hashes_;
  TokenTexts words_;
  std::vector<uint32_t> ids_;
  std::vector<std::string> seen_;  // the fields of rows without text
};

Status SuiteReader::read(const std::string& name, const std::string& path) {
  const auto settings = std::ranges::find(options_.suites, name, &SuiteSettings::name);
  settings_ = settings == options_.suites.end() ? nullptr : &*settings;
  suite_ = {};
  texts_.clear();
  seen_.clear();
  ContaminatedSuite& counts = suite_.counts;
  counts.name = name;
  counts.width = options_.rule.width;
  counts.containment = options_.rule.containment;
  if (settings_ != nullptr) {
    counts.width = settings_->width.value_or(counts.width);
    counts.containment = settings_->containment.value_or(counts.containment);
  }
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(reading(path, "")));
  crawl.nameless = true;
  KITH_ASSIGN(const crawl::Listing listing, crawl::list_inputs(crawl));
  const std::string given = settings_field().empty() ? options_.eval_field : settings_field();
  for (const crawl::ListedFile& file : listing.files) {
    std::string field = given;
    if (field.empty()) {
      KITH_ASSIGN(field, choose_field(file.path));
    }
    KITH_TRY(read_file(file.path, field));
  }
  if (counts.items == 0) return no_text(path, given);
  sets_.suites.push_back(std::move(suite_));
  return Status::ok();
}

Error SuiteReader::no_text(const std::string& path, const std::string& field) const {
  return {ErrorKind::usage,
          fmt::format("{}: no item of the test set has a text{}{}", path,
                      field.empty() ? "" : fmt::format(" in the field `{}`", field),
                      seen_.empty() ? ""
                                    : fmt::format("; its fields are {}: name that of the items "
                                                  "with `eval_field`",
                                                  fmt::join(seen_, ", ")))};
}

ReadOptions SuiteReader::reading(const std::string& path, const std::string& field) const {
  ReadOptions read;
  read.inputs = {path};
  read.max_page = options_.max_page;
  read.strict = options_.strict;
  read.text_field = field;
  read.tables = options_.tables;
  return read;
}

// Empty: one of the usual fields of documents. Looks at the first rows.
Result<std::string> SuiteReader::choose_field(const std::string& path) {
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(reading(path, "")));
  crawl.nameless = true;
  const bool is_table = crawl::format_by_name(path) == crawl::FileFormat::table;
  if (is_table && options_.tables) return choose_column(path, crawl.fields);
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, {}));
  crawl::PageBatch batch;
  for (bool more = true; more;) {
    KITH_ASSIGN(more, reader.next(batch));
    for (const crawl::Page& page : batch.pages) {
      if (!page.body.empty()) return std::string();
    }
    const std::vector<std::string> seen = reader.report().rows.seen;
    if (!seen.empty()) return usual_field(seen);
  }
  return std::string();
}

// Of a table, which has to be opened by the column that is read.
Result<std::string> SuiteReader::choose_column(const std::string& path,
                                               const crawl::RowFields& fields) {
  ArrowSchema schema{};
  KITH_TRY(options_.tables->schema(path, schema));
  std::vector<std::string> names;
  for (int64_t i = 0; i < schema.n_children; ++i) names.emplace_back(schema.children[i]->name);
  if (schema.release != nullptr) schema.release(&schema);
  if (std::ranges::any_of(
          names, [&](const std::string& name) { return fields.is_body(fields.find(name)); })) {
    return std::string();
  }
  const std::string field = usual_field(names);
  seen_ = std::move(names);
  if (field.empty()) return no_text(path, field);
  return field;
}

Status SuiteReader::read_file(const std::string& path, const std::string& field) {
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(reading(path, field)));
  crawl.nameless = true;
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, {}));
  crawl::PageBatch batch;
  for (bool more = true; more;) {
    KITH_ASSIGN(more, reader.next(batch));
    for (const crawl::Page& page : batch.pages) {
      if (page.kind == crawl::PageKind::redirect) continue;
      add_item(page.url, page_text_.read(page).text);
    }
    KITH_TRY(memory_.check(sets_.bytes(), "the test sets"));
  }
  const CrawlCounts counts = run::counts_of(reader.report());
  ++suite_.counts.files;
  for (const FieldCount& read : counts.rows.fields) {
    if (read.part != "text" && read.part != "html") continue;
    std::vector<std::string>& fields = suite_.counts.fields;
    if (std::ranges::find(fields, read.field) == fields.end()) fields.push_back(read.field);
  }
  if (seen_.empty()) seen_ = counts.rows.seen;
  return Status::ok();
}

void SuiteReader::add_item(std::string_view name, std::string_view text) {
  hashes_.read(text);
  if (hashes_.size() == 0) {
    ++suite_.counts.without_text;
    return;
  }
  ++suite_.counts.items;
  if (hashes_.size() < options_.min_words) {
    ++suite_.counts.too_short;
    return;
  }
  words_.read(text);
  ids_.clear();
  for (size_t i = 0; i < hashes_.size(); ++i) {
    ids_.push_back(sets_.dictionary.add(words_[i], hashes_.hashes()[i]));
  }
  suite_.items.push_back({std::string(name), find_text()});
}

// The number of the text that has the tokens ids_.
uint32_t SuiteReader::find_text() {
  const auto next = static_cast<uint32_t>(sets_.texts.size());
  const auto [place, is_new] = texts_.try_emplace(hash64(std::as_bytes(std::span(ids_))), next);
  // Others that share the hash by chance stay texts of their own.
  if (!is_new && std::ranges::equal(sets_.tokens_of(sets_.texts[place->second]), ids_)) {
    ++suite_.counts.equal;
    return place->second;
  }
  sets_.texts.push_back({static_cast<uint32_t>(sets_.suites.size()),
                         static_cast<uint32_t>(ids_.size()), sets_.tokens.size()});
  sets_.tokens.insert(sets_.tokens.end(), ids_.begin(), ids_.end());
  return next;
}

Status check_settings(const ContaminationOptions& options,
                      const std::map<std::string, std::string>& paths) {
  for (const SuiteSettings& settings : options.suites) {
    if (paths.contains(settings.name)) continue;
    std::vector<std::string> names;
    names.reserve(paths.size());
    for (const auto& [name, path] : paths) names.push_back(name);
    return Error{ErrorKind::usage, fmt::format("suite {}: is none of the test sets, which are {}",
                                               settings.name, fmt::join(names, ", "))};
  }
  return Status::ok();
}

}  // namespace

uint64_t TestSets::bytes() const {
  uint64_t sum = tokens.capacity() * sizeof(uint32_t) + texts.capacity() * sizeof(ItemText) +
                 dictionary.bytes();
  for (const Suite& suite : suites) sum += suite.items.capacity() * 2 * sizeof(Item);
  return sum;
}

Result<TestSets> read_test_sets(const ContaminationOptions& options, const Budget& memory,
                                const ProgressCallback& progress) {
  SuitePaths paths;
  for (const std::string& path : options.evals) KITH_TRY(paths.add(path));
  const std::map<std::string, std::string> by_name = paths.by_name();
  KITH_TRY(check_settings(options, by_name));
  TestSets sets;
  sets.left_out = paths.left_out();
  SuiteReader reader(options, memory, sets);
  double done = 0;
  for (const auto& [name, path] : by_name) {
    if (progress) progress({"evals", done++, static_cast<double>(by_name.size()), "test sets"});
    KITH_TRY(reader.read(name, path));
  }
  return sets;
}

}  // namespace kith::jobs
