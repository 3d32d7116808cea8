// A program of another project, which knows of kith only what is installed.
#include <cstdio>
#include <vector>

#include <kith/kith.h>

int main() {
  const std::vector<uint16_t> a(128, 7);
  const auto estimate = kith::estimate_similarity(a, a);
  if (!estimate || estimate->value != 1) return 1;

  // Errors are values, also those of jobs.
  const auto run = kith::Run::open("no-such-run");
  if (run || run.error().kind != kith::ErrorKind::not_found) return 1;

  const auto plan = kith::plan_tables(0.8, 0.99, 128, 512);
  if (!plan || kith::recall_at(*plan, 0.8) < 0.99) return 1;

  std::printf("kith %s\n", std::string(kith::version()).c_str());
}
