// Memory that runs out is an error, wherever it does. tests/unit/faults has the same of jobs and
// runs.
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kith/bags.h"
#include "kith/cluster_bags.h"
#include "kith/compare.h"
#include "kith/extract.h"
#include "kith/index.h"
#include "kith/shingles.h"
#include "kith/sketches.h"
#include "kith/tables.h"
#include "kith/text_dedup.h"
#include "kith/tune.h"

namespace {

// How many more times this thread gets memory before it once gets none; below 0: without an end.
thread_local long allocations_left = -1;

}  // namespace

// The library that detects languages does not free what it has where it gets no more.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:CLD2::";
}

// Not inlined: GCC would take memory of new that free() gets for a mistake. Every form of new that
// the library calls is here: AddressSanitizer ends a program whose new is its own and whose delete
// is not.
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
  if (allocations_left == 0) {
    allocations_left = -1;
    return nullptr;
  }
  if (allocations_left > 0) --allocations_left;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}

namespace kith::api {
namespace {

// Calls it once, since libraries make tables of their own at the first call, and then again and
// again, until it has got all the memory it asks for. In between it returns an error, or does
// without, as std::stable_sort can.
template <class Call>
void expect_errors(const Call& call) {
  ASSERT_TRUE(call().is_ok());
  size_t errors = 0;
  for (long allocations = 0;; allocations += 1 + allocations / 16) {
    allocations_left = allocations;
    const auto outcome = call();
    const bool has_run_out = allocations_left < 0;
    allocations_left = -1;
    if (!has_run_out) {
      EXPECT_TRUE(outcome.is_ok());
      break;
    }
    if (outcome.is_ok()) continue;
    EXPECT_EQ(outcome.error().kind, ErrorKind::memory)
        << allocations << ": " << outcome.error().message;
    ++errors;
  }
  EXPECT_GT(errors, 0u);
}

const std::vector<std::string_view> two_texts = {
    "one text of a few words which stand in it in some order, and that is all there is",
    "another text of a few words which stand in it in some order, and that is all there is"};

TEST(NoMemory, IsAnErrorOfWhatMakesParts) {
  expect_errors([] { return MinHasher::make(); });
  expect_errors([] { return BagSketcher::make(); });
  expect_errors([] { return SetIndex::make(); });
  expect_errors([] { return BagIndex::make(); });
  const auto plan = plan_tables(0.8, 0.9, 128, 64);
  ASSERT_TRUE(plan.is_ok());
  expect_errors([&] { return Tables::make(*plan); });
}

TEST(NoMemory, IsAnErrorOfBatches) {
  expect_errors([] { return shingles(two_texts, {}, 1); });
  const auto sets = shingles(two_texts);
  const auto hasher = MinHasher::make({.hashed = false});
  std::vector<uint16_t> rows(2 * hasher->lanes());
  expect_errors([&] { return hasher->signatures(*sets, rows, 1); });
  expect_errors(
      [] { return extract({.bytes = "<p>Some <a href=x>words</a>", .url = "http://a.example/"}); });
}

TEST(NoMemory, IsAnErrorOfWhatComparesAndGroups) {
  expect_errors([] { return make_document("a", two_texts[0]); });
  const auto a = make_document("a", two_texts[0]);
  const auto b = make_document("b", two_texts[1]);
  expect_errors([&] { return compare(*a, *b, {}); });
  expect_errors([] { return dedup_texts(two_texts, {}, {}, {.threads = 1}); });
  const std::vector<uint64_t> offsets = {0, 2, 4};
  const std::vector<uint32_t> terms = {1, 2, 1, 3};
  const std::vector<double> weights(4, 1.0);
  const auto bags = Bags::make({offsets, terms, weights}, 1);
  ASSERT_TRUE(bags.is_ok());
  expect_errors([&] { return cluster_bags(*bags, {.similarity = 0.3}, 1); });
}

}  // namespace
}  // namespace kith::api
