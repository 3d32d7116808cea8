// What `kith evaluate` prints: text for people, and JSON.
#pragma once

#include <string>

#include "kith/evaluate.h"

#include "cli/output/output.h"

namespace kith::cli {

void print_evaluation(const EvaluateOptions& options, const ClusterEvaluation& evaluation,
                      Output& out);
void print_evaluation(const EvaluateOptions& options, const DedupEvaluation& evaluation,
                      Output& out);

// One line; the keys are the names of the fields of kith/evaluate.h, and "job".
std::string evaluation_json(const EvaluateOptions& options, const ClusterEvaluation& evaluation);
std::string evaluation_json(const EvaluateOptions& options, const DedupEvaluation& evaluation);

}  // namespace kith::cli
