#include "topics/classify/separator.h"

#include <memory>

#include <linear.h>

#include "base/check.h"

namespace kith::topics {
namespace {

// LIBLINEAR prints how it is doing, unless it is told how to print.
void silence() {
  static const bool done = [] {
    set_print_string_function([](const char*) {});
    return true;
  }();
  KITH_CHECK(done);
}

struct DestroyModel {
  void operator()(model* trained) const { free_and_destroy_model(&trained); }
};

}  // namespace

Separator train_separator(const ExampleVectors& vectors, std::span<const uint32_t> rows,
                          uint32_t class_number) {
  Separator separator;
  separator.weights.resize(vectors.terms());
  std::vector<double> targets;
  std::vector<feature_node*> nodes;
  size_t members = 0;
  for (const uint32_t row : rows) {
    const bool is_member = vectors.class_of(row) == class_number;
    members += is_member ? 1 : 0;
    targets.push_back(is_member ? 1 : -1);
    nodes.push_back(vectors.row(row));
  }
  if (members == 0 || members == rows.size()) return separator;
  silence();
  problem examples{};
  examples.l = static_cast<int>(rows.size());
  examples.n = static_cast<int>(vectors.terms()) + 1;
  examples.y = targets.data();
  examples.x = nodes.data();
  examples.bias = 1;
  parameter options{};
  options.solver_type = L2R_L2LOSS_SVC;
  options.C = 1;
  options.eps = 0.01;
  KITH_CHECK(check_parameter(&examples, &options) == nullptr);
  const std::unique_ptr<model, DestroyModel> trained(train(&examples, &options));
  // The weights are those of the target that the model names first.
  const float sign = trained->label[0] > 0 ? 1 : -1;
  for (size_t term = 0; term < vectors.terms(); ++term) {
    separator.weights[term] = sign * static_cast<float>(trained->w[term]);
  }
  separator.constant = sign * static_cast<float>(trained->w[vectors.terms()]);
  return separator;
}

uint64_t separator_bytes(uint64_t rows, uint64_t terms) {
  // Twelve vectors over the terms are in the hands of the solver, seven over the rows.
  return terms * (12 * sizeof(double) + sizeof(float)) + rows * 7 * sizeof(double);
}

}  // namespace kith::topics
