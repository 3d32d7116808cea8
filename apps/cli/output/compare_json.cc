#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/dedup.h"
#include "kith/escape.h"

#include "cli/output/compare_output.h"

namespace kith::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return escaped_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json document_json(const Document& document, const DocumentSize& size) {
  return {{"name", document.name},     {"html", document.html},    {"charset", document.charset},
          {"bytes", document.bytes},   {"words", size.words},      {"tokens", size.tokens},
          {"shingles", size.shingles}, {"elements", size.elements}};
}

Json estimates_json(const std::vector<SketchEstimate>& estimates) {
  Json rows = Json::array();
  for (const SketchEstimate& row : estimates) {
    rows.push_back({{"sketch", row.sketch},
                    {"of", name(row.measure)},
                    {"exact", row.exact},
                    {"estimate", row.value},
                    {"lower", row.lower},
                    {"upper", row.upper},
                    {"bytes_a", row.bytes_a},
                    {"bytes_b", row.bytes_b}});
  }
  return rows;
}

// 64 bits do not fit the numbers of every reader of JSON.
std::string hex(uint64_t fingerprint) {
  return fmt::format("{:016x}", fingerprint);
}

Json simhash_json(uint64_t a, uint64_t b, uint32_t distance, double cosine) {
  return {{"a", hex(a)}, {"b", hex(b)}, {"distance", distance}, {"cosine", cosine}};
}

// The place and the text of each side that has some.
Json passage_json(const Document& a, const Document& b, const Passage& passage) {
  Json json = {{"kind", name(passage.kind)},
               {"a", {passage.a.begin, passage.a.end}},
               {"b", {passage.b.begin, passage.b.end}}};
  if (passage.a.tokens > 0) json["text_a"] = part_of(a, passage.a);
  if (passage.b.tokens > 0) json["text_b"] = part_of(b, passage.b);
  return json;
}

Json options_json(const CompareOptions& options) {
  return {{"unit", options.characters ? "characters" : "words"},
          {"width", options.width},
          {"bag", options.bag},
          {"normalize", options.normalize},
          {"numbers", name(options.numbers)},
          {"confidence", options.confidence}};
}

void add_shingles(const ShingleComparison& comparison, Json& json) {
  json["options"] = options_json(comparison.options);
  json["common"] = comparison.common;
  json["resemblance"] = comparison.resemblance;
  json["containment_of_a"] = comparison.containment_of_a;
  json["containment_of_b"] = comparison.containment_of_b;
}

Json simhash_of_shingles(const ShingleComparison& comparison) {
  return simhash_json(comparison.shingle_fingerprint_a, comparison.shingle_fingerprint_b,
                      comparison.shingle_distance, comparison.shingle_cosine);
}

}  // namespace

std::string comparison_json(const Document& a, const Document& b, const Comparison& comparison) {
  Json json;
  json["a"] = document_json(a, comparison.a);
  json["b"] = document_json(b, comparison.b);
  add_shingles(comparison, json);
  json["bag_similarity"] = comparison.bag_similarity;
  json["simhash_of_words"] =
      simhash_json(comparison.word_fingerprint_a, comparison.word_fingerprint_b,
                   comparison.word_distance, comparison.word_cosine);
  json["simhash_of_shingles"] = simhash_of_shingles(comparison);
  json["estimates"] = estimates_json(comparison.estimates);
  json["passages"] = Json::array();
  for (const Passage& passage : comparison.passages) {
    json["passages"].push_back(passage_json(a, b, passage));
  }
  return line_of(json);
}

std::string shingle_comparison_json(std::string_view name_a, std::string_view name_b,
                                    const ShingleComparison& comparison) {
  Json json;
  json["a"] = {{"name", name_a}, {"elements", comparison.a.elements}};
  json["b"] = {{"name", name_b}, {"elements", comparison.b.elements}};
  add_shingles(comparison, json);
  json["simhash_of_shingles"] = simhash_of_shingles(comparison);
  json["estimates"] = estimates_json(comparison.estimates);
  return line_of(json);
}

std::string bag_comparison_json(std::string_view url_a, std::string_view url_b,
                                const BagComparison& comparison, const CompareOptions& options) {
  Json json;
  json["a"] = {{"url", url_a}};
  json["b"] = {{"url", url_b}};
  json["options"] = {{"confidence", options.confidence}};
  json["bag_similarity"] = comparison.bag_similarity;
  json["simhash"] = {{"distance", comparison.distance}, {"cosine", comparison.cosine}};
  json["estimates"] = estimates_json(comparison.estimates);
  json["terms"] = Json::array();
  for (const TermPair& term : comparison.terms) {
    json["terms"].push_back({{"term", term.term}, {"a", term.weight_a}, {"b", term.weight_b}});
  }
  return line_of(json);
}

}  // namespace kith::cli
