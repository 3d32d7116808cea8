// Comparisons, of two documents and of a run with labels: for people, for programs and for a
// browser.
#pragma once

#include <string>
#include <string_view>

#include "kith/compare.h"
#include "kith/evaluate.h"

#include "cli/output/output.h"

namespace kith::cli {

// A comparison for people, for programs and for a browser.

// How much of the passages is printed.
enum class DiffLength { none, brief, full };

// The numbers and the estimators, as aligned tables.
void print_comparison(const Document& a, const Document& b, const Comparison& comparison,
                      Output& out);

// Two documents of a run of `kith dedup`: the same of what shingles tell.
void print_shingle_comparison(std::string_view name_a, std::string_view name_b,
                              const ShingleComparison& comparison, Output& out);

// The passages, one line each, behind a sign: "=" shared, "-" only in A, "+" only in B, "<" in A
// and elsewhere in B, ">" in B and elsewhere in A. `brief` leaves out the middle of long ones.
// Control characters are printed as blanks.
void print_diff(const Document& a, const Document& b, const Comparison& comparison,
                DiffLength length, Output& out);

// Two URLs of a run: numbers, estimators and the words they share.
void print_bag_comparison(std::string_view url_a, std::string_view url_b,
                          const BagComparison& comparison, const CompareOptions& options,
                          Output& out);

// One JSON object, on one line.
std::string comparison_json(const Document& a, const Document& b, const Comparison& comparison);
std::string shingle_comparison_json(std::string_view name_a, std::string_view name_b,
                                    const ShingleComparison& comparison);
std::string bag_comparison_json(std::string_view url_a, std::string_view url_b,
                                const BagComparison& comparison, const CompareOptions& options);

// A page that needs nothing but itself: no script, no network. The texts stand side by side;
// a shared passage leads to its twin.
std::string comparison_html(const Document& a, const Document& b, const Comparison& comparison);

// "containment of A"
std::string_view measure_text(Measure measure);

inline std::string_view part_of(const Document& document, const TextRange& range) {
  return std::string_view(document.text).substr(range.begin, range.end - range.begin);
}

// What `kith evaluate` prints: text for people, and JSON.

void print_evaluation(const EvaluateOptions& options, const ClusterEvaluation& evaluation,
                      Output& out);
void print_evaluation(const EvaluateOptions& options, const DedupEvaluation& evaluation,
                      Output& out);

// One line; the keys are the names of the fields of kith/evaluate.h, and "job".
std::string evaluation_json(const EvaluateOptions& options, const ClusterEvaluation& evaluation);
std::string evaluation_json(const EvaluateOptions& options, const DedupEvaluation& evaluation);

}  // namespace kith::cli
