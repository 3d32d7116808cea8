#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/dedup.h"
#include "kith/rows.h"

#include "cli/output/comparison.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

// Characters of a passage that are printed in front of what is left out, and behind it.
constexpr size_t shared_ends = 60;
constexpr size_t different_ends = 400;
constexpr size_t max_terms = 12;

std::string_view unit_of(const CompareOptions& options) {
  return options.characters ? "characters" : "words";
}

std::string document_line(char letter, const Document& document, const DocumentSize& size,
                          const CompareOptions& options) {
  return fmt::format("{}  {} ({}, {}): {} bytes, {} words, {} shingles of {} {}, {} {}", letter,
                     printable(document.name), document.html ? "HTML" : "text", document.charset,
                     with_commas(document.bytes), with_commas(size.words),
                     with_commas(size.shingles), options.width, unit_of(options),
                     with_commas(size.elements), options.bag ? "counted" : "different");
}

void print_estimates(const std::vector<SketchEstimate>& estimates, double confidence, Output& out) {
  const std::string bounds = fmt::format("{:.4g} % bounds", 100 * confidence);
  out.line(fmt::format("{:<32} {:<18} {:>6}  {:>8}  {:<16}  {:>15}", "estimator", "of", "exact",
                       "estimate", bounds, "bytes of A, B"));
  size_t outside = 0;
  for (const SketchEstimate& row : estimates) {
    const bool inside = row.lower <= row.exact && row.exact <= row.upper;
    if (!inside) ++outside;
    out.line(fmt::format("{:<32} {:<18} {:.4f}  {:>8.4f}  {:.4f} to {:.4f} {} {:>7} {:>7}",
                         row.sketch, measure_text(row.measure), row.exact, row.value, row.lower,
                         row.upper, inside ? ' ' : '!', row.bytes_a, row.bytes_b));
  }
  if (outside > 0) {
    out.line(
        fmt::format("! the exact value lies outside the bounds, as it may in {:.2g} % of cases",
                    100 * (1 - confidence)));
  }
}

// The start of the character number `count` of valid UTF-8, counted from the front or the back.
size_t characters_from_front(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
    --count;
  }
  return at;
}
size_t characters_from_back(std::string_view text, size_t count) {
  size_t at = text.size();
  while (at > 0 && count > 0) {
    --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
    --count;
  }
  return at;
}

// Stretches of blanks and line ends as single blanks.
std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string shortened(const std::string& line, size_t ends, const TextRange& range,
                      std::string_view unit) {
  const size_t front = characters_from_front(line, ends);
  const size_t back = characters_from_back(line, ends);
  constexpr size_t min_gain = 40;  // bytes that must go to make a gap worth it
  if (back < front + min_gain) return line;
  std::string_view head = std::string_view(line).substr(0, front);
  std::string_view tail = std::string_view(line).substr(back);
  // Whole words where there are blanks.
  if (const size_t blank = head.rfind(' '); blank != std::string_view::npos) {
    head = head.substr(0, blank);
  }
  if (const size_t blank = tail.find(' '); blank != std::string_view::npos) {
    tail = tail.substr(blank + 1);
  }
  return fmt::format("{} [... {} {} in all ...] {}", head, with_commas(range.tokens), unit, tail);
}

std::string number(std::string_view what, double value, const std::string& why) {
  return fmt::format("{:<22} {:.6f}  {}", what, value, why);
}

void print_shingles(const ShingleComparison& comparison, Output& out) {
  const std::string common = with_commas(comparison.common);
  const uint64_t all = comparison.a.elements + comparison.b.elements - comparison.common;
  out.line(number("resemblance", comparison.resemblance,
                  fmt::format("{} of {} shingles are in both", common, with_commas(all))));
  out.line(number("containment of A in B", comparison.containment_of_a,
                  fmt::format("{} of {}", common, with_commas(comparison.a.elements))));
  out.line(number("containment of B in A", comparison.containment_of_b,
                  fmt::format("{} of {}", common, with_commas(comparison.b.elements))));
}

}  // namespace

std::string_view measure_text(Measure measure) {
  constexpr std::array<std::string_view, 6> texts{"resemblance",        "containment of A",
                                                  "containment of B",   "cosine of words",
                                                  "cosine of shingles", "bag similarity"};
  return texts[static_cast<size_t>(measure)];
}

void print_comparison(const Document& a, const Document& b, const Comparison& comparison,
                      Output& out) {
  const CompareOptions& options = comparison.options;
  out.line(document_line('A', a, comparison.a, options));
  out.line(document_line('B', b, comparison.b, options));
  out.line("");
  print_shingles(comparison, out);
  out.line(number("bag similarity", comparison.bag_similarity, "smaller / larger counts of words"));
  out.line(fmt::format("{:<22} {:<8}  of words ({:016x}, {:016x})", "SimHash distance",
                       fmt::format("{} bits", comparison.word_distance),
                       comparison.word_fingerprint_a, comparison.word_fingerprint_b));
  out.line(fmt::format("{:<22} {:<8}  of shingles ({:016x}, {:016x})", "",
                       fmt::format("{} bits", comparison.shingle_distance),
                       comparison.shingle_fingerprint_a, comparison.shingle_fingerprint_b));
  out.line("");
  print_estimates(comparison.estimates, options.confidence, out);
}

void print_shingle_comparison(std::string_view name_a, std::string_view name_b,
                              const ShingleComparison& comparison, Output& out) {
  const CompareOptions& options = comparison.options;
  for (const auto& [letter, name, size] :
       {std::tuple('A', name_a, &comparison.a), std::tuple('B', name_b, &comparison.b)}) {
    out.line(fmt::format("{}  {}: {} {} shingles of {} {}", letter, printable(name),
                         with_commas(size->elements), options.bag ? "counted" : "different",
                         options.width, unit_of(options)));
  }
  out.line("");
  print_shingles(comparison, out);
  out.line(fmt::format("{:<22} {:<8}  of shingles ({:016x}, {:016x})", "SimHash distance",
                       fmt::format("{} bits", comparison.shingle_distance),
                       comparison.shingle_fingerprint_a, comparison.shingle_fingerprint_b));
  out.line("");
  print_estimates(comparison.estimates, options.confidence, out);
  out.line("");
  out.line("A run of kith dedup keeps no texts: for passages compare two files.");
}

void print_diff(const Document& a, const Document& b, const Comparison& comparison,
                DiffLength length, Output& out) {
  if (length == DiffLength::none) return;
  out.line("");
  out.line("= in both   - only in A   + only in B   < in A, elsewhere in B   > the reverse");
  for (const Passage& passage : comparison.passages) {
    constexpr std::string_view signs = "=-+<>";
    const char sign = signs[static_cast<size_t>(passage.kind)];
    const bool of_b =
        passage.kind == PassageKind::only_b || passage.kind == PassageKind::elsewhere_b;
    const TextRange& range = of_b ? passage.b : passage.a;
    std::string line = one_line(part_of(of_b ? b : a, range));
    if (line.empty()) continue;  // a blank between words is a character, too
    if (length == DiffLength::brief) {
      line = shortened(line, sign == '=' ? shared_ends : different_ends, range,
                       unit_of(comparison.options));
    }
    out.line(fmt::format("{} {}", sign, printable(line)));
    if (!out.good()) return;
  }
}

void print_bag_comparison(std::string_view url_a, std::string_view url_b,
                          const BagComparison& comparison, const CompareOptions& options,
                          Output& out) {
  out.line(fmt::format("A  {}", printable(url_a)));
  out.line(fmt::format("B  {}", printable(url_b)));
  out.line("A run keeps bags of words and no texts: no shingles and no passages can be compared.");
  out.line("");
  out.line(fmt::format("{:<22} {:.6f}  smaller / larger weights", "bag similarity",
                       comparison.bag_similarity));
  out.line(fmt::format("{:<22} {} bits", "SimHash distance", comparison.distance));
  out.line("");
  print_estimates(comparison.estimates, options.confidence, out);
  out.line("");
  out.line(fmt::format("{:>8} {:>8}  term", "A", "B"));
  const size_t shown = std::min(max_terms, comparison.terms.size());
  for (size_t i = 0; i < shown; ++i) {
    const TermPair& term = comparison.terms[i];
    out.line(
        fmt::format("{:>8.4f} {:>8.4f}  {}", term.weight_a, term.weight_b, printable(term.term)));
  }
  if (shown < comparison.terms.size()) {
    out.line(fmt::format("and {} more; --json has all of them",
                         with_commas(comparison.terms.size() - shown)));
  }
}

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
