#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "server/api.h"
#include "server/serve.h"

namespace kith::server {
namespace {

using namespace std::chrono_literals;
// For both texts of a question. A client that asks again goes on.
constexpr auto reading_time = 3s;
constexpr auto waiting_time = 1s;
// Of a text that is compared: it takes some 100 bytes of memory a word.
constexpr size_t longest_text = 1 << 20;

Json overlap_json(const DocumentOverlap& overlap) {
  return {{"resemblance", overlap.resemblance},
          {"containment_of_a", overlap.containment_of_a},
          {"containment_of_b", overlap.containment_of_b},
          {"common", overlap.common},
          {"elements_a", overlap.elements_a},
          {"elements_b", overlap.elements_b}};
}

Json no_texts(std::string_view state, std::string_view reason) {
  return {{"state", state}, {"reason", reason}};
}

// Waits for so long at most. A std::timed_mutex would do, but ThreadSanitizer does not see it.
std::unique_lock<std::mutex> lock_within(std::mutex& mutex, std::chrono::milliseconds most) {
  constexpr auto between_looks = 5ms;
  const auto end = std::chrono::steady_clock::now() + most;
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(between_looks);
    lock = std::unique_lock(mutex, std::try_to_lock);
  }
  return lock;
}

CompareOptions compare_options(const DedupOptions& made) {
  CompareOptions options;
  options.characters = made.shingles == ShingleUnit::characters;
  options.width = made.width;
  options.bag = made.bag;
  options.normalize = made.normalize;
  options.numbers = made.numbers;
  return options;
}

}  // namespace

Result<DedupApi> DedupApi::open(const std::string& directory) {
  KITH_ASSIGN(DedupRun run, DedupRun::open(directory));
  return DedupApi(std::move(run));
}

Result<DocumentId> DedupApi::find(const Target& target, std::string_view name,
                                  std::string_view id) const {
  const Parameters parameters(target);
  if (target.find(id) == nullptr) {
    KITH_ASSIGN(const std::string asked, parameters.text(name));
    Result<DocumentId> found = run_.find(asked);
    if (!found && found.error().kind == ErrorKind::not_found) {
      return Error{ErrorKind::not_found, fmt::format("the run has no document named {}", asked)};
    }
    return found;
  }
  if (target.find(name) != nullptr) {
    return Error{ErrorKind::usage, fmt::format("{} and {}: give one of them", name, id)};
  }
  KITH_ASSIGN(const uint64_t number, parameters.number(id, 0, 0, UINT32_MAX));
  if (number < run_.documents()) return static_cast<DocumentId>(number);
  return Error{ErrorKind::not_found, fmt::format("the run has no document {}", number)};
}

Result<uint64_t> DedupApi::find_group(const Target& target) const {
  const Parameters parameters(target);
  if (target.find("number") == nullptr) {
    KITH_ASSIGN(const DocumentId id, find(target, "name", "id"));
    KITH_ASSIGN(const DocumentFacts facts, run_.document(id));
    if (facts.group) return *facts.group;
    return Error{ErrorKind::not_found,
                 fmt::format("{} is in no group: it is like no other document", facts.name)};
  }
  if (target.find("name") != nullptr || target.find("id") != nullptr) {
    return Error{ErrorKind::usage, "number, name and id: give one of them"};
  }
  KITH_ASSIGN(const uint64_t number, parameters.number("number", 1, 1, UINT32_MAX));
  if (number <= run_.groups()) return number - 1;
  return Error{ErrorKind::not_found, fmt::format("the run has no group {}", number)};
}

Result<Json> DedupApi::name_json(DocumentId id) const {
  KITH_ASSIGN(const std::string_view name, run_.name(id));
  return Json{{"id", id}, {"name", name}};
}

Result<Json> DedupApi::document_json(DocumentId id) const {
  KITH_ASSIGN(const DocumentFacts facts, run_.document(id));
  KITH_ASSIGN(const auto earlier, run_.earlier(id));
  Json json{{"id", id}, {"name", facts.name}};
  json["role"] = earlier || facts.kept != id ? "removed" : "kept";
  if (facts.group) json["group"] = *facts.group + 1;
  json["bytes"] = facts.text_bytes;
  json["elements"] = facts.with_kept.elements_a;
  // Where the input lies is nothing that a client should be told.
  json["file"] = file_name_of(facts.file);
  json["record"] = facts.record;
  if (!facts.date.empty()) json["date"] = facts.date;
  if (facts.group) {
    json["resemblance"] = facts.with_kept.resemblance;
    json["containment"] = facts.with_kept.containment_of_a;
    json["containment_of_kept"] = facts.with_kept.containment_of_b;
  }
  KITH_ASSIGN(const DocumentId own, run_.equal_to(id));
  if (own != id) {
    KITH_ASSIGN(json["equal_to"], name_json(own));
  }
  if (earlier) {
    json["earlier"] = {{"name", earlier->name},
                       {"run", file_name_of(run_.report().options.against[earlier->run])},
                       {"resemblance", earlier->overlap.resemblance},
                       {"containment", earlier->overlap.containment_of_a},
                       {"containment_of_match", earlier->overlap.containment_of_b}};
  }
  return json;
}

Result<Json> DedupApi::group_head(uint64_t number) const {
  const std::span<const DocumentId> documents = run_.group(number);
  KITH_ASSIGN(Json kept, name_json(documents.front()));
  return Json{{"number", number + 1}, {"size", documents.size()}, {"kept", std::move(kept)}};
}

Result<Json> DedupApi::groups(const Target& target) const {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"sort", "page", "size", "run"}));
  KITH_ASSIGN(const std::string sort, parameters.choice("sort", {"largest", "smallest"}));
  KITH_ASSIGN(const Slice slice, slice_of(target, run_.groups()));
  Json rows = Json::array();
  for (uint64_t i = slice.begin; i < slice.end; ++i) {
    KITH_ASSIGN(Json row, group_head(sort == "largest" ? i : run_.groups() - 1 - i));
    rows.push_back(std::move(row));
  }
  return Json{{"groups", std::move(rows)}, {"list", slice.json()}};
}

Result<Json> DedupApi::group(const Target& target) const {
  KITH_TRY(Parameters(target).check_names({"number", "name", "id", "page", "size", "run"}));
  KITH_ASSIGN(const uint64_t number, find_group(target));
  const std::span<const DocumentId> documents = run_.group(number);
  KITH_ASSIGN(const Slice slice, slice_of(target, documents.size()));
  Json rows = Json::array();
  for (uint64_t i = slice.begin; i < slice.end; ++i) {
    KITH_ASSIGN(Json row, document_json(documents[i]));
    rows.push_back(std::move(row));
  }
  KITH_ASSIGN(Json head, group_head(number));
  return Json{{"group", std::move(head)}, {"documents", std::move(rows)}, {"list", slice.json()}};
}

Result<Json> DedupApi::pairs_json(const std::vector<DocumentPair>& pairs) const {
  Json rows = Json::array();
  for (const DocumentPair& pair : pairs) {
    Json row = Json::object();
    KITH_ASSIGN(row["a"], name_json(pair.a));
    KITH_ASSIGN(row["b"], name_json(pair.b));
    row.update(overlap_json(pair.overlap));
    rows.push_back(std::move(row));
  }
  return rows;
}

// How many rows there are is known only when they are counted.
Result<Json> DedupApi::pairs(const Target& target) const {
  KITH_TRY(Parameters(target).check_names({"number", "name", "id", "page", "size", "run"}));
  KITH_ASSIGN(const uint64_t number, find_group(target));
  std::optional<DocumentId> of;
  if (target.find("number") == nullptr) {
    KITH_ASSIGN(of, find(target, "name", "id"));
  }
  KITH_ASSIGN(const Slice wanted, slice_of(target, UINT64_MAX));
  KITH_ASSIGN(const DedupRun::PairsPart part,
              run_.pairs_of_group(number, wanted.begin, wanted.end, of));
  KITH_ASSIGN(const Slice slice, slice_of(target, part.all));
  KITH_ASSIGN(Json rows, pairs_json(part.pairs));
  KITH_ASSIGN(Json head, group_head(number));
  return Json{{"group", std::move(head)}, {"pairs", std::move(rows)}, {"list", slice.json()}};
}

Result<Json> DedupApi::document(const Target& target) const {
  KITH_TRY(Parameters(target).check_names({"name", "id", "run"}));
  KITH_ASSIGN(const DocumentId id, find(target, "name", "id"));
  KITH_ASSIGN(Json document, document_json(id));
  return Json{{"document", std::move(document)}};
}

Result<Json> DedupApi::overlap(const Target& target) const {
  KITH_TRY(Parameters(target).check_names({"a", "a_id", "b", "b_id", "run"}));
  KITH_ASSIGN(const DocumentId a, find(target, "a", "a_id"));
  KITH_ASSIGN(const DocumentId b, find(target, "b", "b_id"));
  KITH_ASSIGN(const DocumentOverlap overlap, run_.overlap(a, b));
  Json answer = Json::object();
  KITH_ASSIGN(answer["a"], document_json(a));
  KITH_ASSIGN(answer["b"], document_json(b));
  answer["overlap"] = overlap_json(overlap);
  KITH_ASSIGN(answer["texts"], texts_json(a, b));
  return answer;
}

// Reading and comparing take time and memory: one question at a time does.
Result<Json> DedupApi::texts_json(DocumentId a, DocumentId b) const {
  const std::unique_lock<std::mutex> lock = lock_within(*reading_, waiting_time);
  if (!lock) {
    return no_texts("busy", "Other documents are being read from the input; ask again.");
  }
  return texts_side_by_side(a, b);
}

Result<Json> DedupApi::texts_side_by_side(DocumentId a, DocumentId b) const {
  const auto end = std::chrono::steady_clock::now() + reading_time;
  Document documents[2];
  for (const auto& [id, document] : {std::pair(a, &documents[0]), std::pair(b, &documents[1])}) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    KITH_ASSIGN(DocumentText text, run_.text(id, std::max(left, 0ms)));
    if (text.state == DocumentText::State::unfinished) {
      return no_texts("unfinished", "The input is still being searched; ask again.");
    }
    if (text.state == DocumentText::State::none) return no_texts("none", text.reason);
    if (text.text.size() > longest_text) {
      return no_texts("none", "The texts are too long to be shown side by side.");
    }
    document->text = std::move(text.text);
  }
  const Result<Comparison> comparison =
      compare(documents[0], documents[1], compare_options(run_.report().options));
  if (!comparison) return no_texts("none", "One of the documents has no words.");
  return Json{{"state", "found"},
              {"bag_similarity", comparison->bag_similarity},
              {"word_cosine", comparison->word_cosine},
              {"word_distance", comparison->word_distance},
              {"shingle_distance", comparison->shingle_distance},
              {"passages", passages_json(documents[0], documents[1], comparison->passages)}};
}

Result<Json> DedupApi::search(const Target& target) const {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"q", "n", "run"}));
  KITH_ASSIGN(const std::string asked, parameters.text("q"));
  constexpr uint64_t usual = 5;
  constexpr uint64_t most = 100;
  KITH_ASSIGN(const uint64_t n, parameters.number("n", usual, 1, most));
  std::string part;
  std::string folded;
  make_ascii_lower(asked, part);
  Json results = Json::array();
  const auto look = [&](uint64_t number) -> Result<bool> {
    const auto id = static_cast<DocumentId>(number);
    KITH_ASSIGN(const std::string_view name, run_.name(id));
    make_ascii_lower(name, folded);
    if (folded.find(part) == std::string::npos) return true;
    KITH_ASSIGN(Json row, document_json(id));
    row["kind"] = "document";
    results.push_back(std::move(row));
    return results.size() < n;
  };
  KITH_ASSIGN(const bool seen_all, look_through(run_.documents(), look));
  return Json{{"results", results}, {"complete", seen_all || results.size() == n}};
}

Result<Json> DedupApi::report() const {
  KITH_ASSIGN(Json distributions, distributions_of(run_));
  DedupReport report = run_.report();
  // Where files lie no client is told.
  for (StageReport& stage : report.stages) stage.damage.clear();
  DedupOptions& options = report.options;
  for (std::string* const path : {&options.output, &options.write}) {
    if (!path->empty()) *path = file_name_of(*path);
  }
  hide_folders(options);
  constexpr std::string_view source = "source:";
  for (std::string& rule : options.keep) {
    if (rule.starts_with(source))
      rule = std::string(source) + file_name_of(rule.substr(source.size()));
  }
  for (std::vector<DedupLoss>* const losses : {&report.losses, &report.over_max_loss}) {
    for (DedupLoss& loss : *losses) {
      if (loss.part == "source") loss.name = file_name_of(loss.name);
    }
  }
  for (std::string& run : options.against) run = file_name_of(run);
  for (AgainstRun& run : report.against.runs) run.path = file_name_of(run.path);
  for (SkippedRecord& record : report.crawl.examples) record.file = file_name_of(record.file);
  return Json{{"report", Json::parse(to_json(report))},
              {"distributions", std::move(distributions)}};
}

}  // namespace kith::server
