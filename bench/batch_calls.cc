// The calls that bench/python_batches.py makes from Python, on the same arrays, on one thread:
//
//   bench_batch_calls FOLDER
//
// prints the seconds of processor time of each, a line "NAME SECONDS", the second time that it
// makes them: then the heap has its pages, as that of the script has. The script writes the folder:
// NAME.bytes and NAME.offsets of pages and texts, and the three arrays of the bags.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/bags.h"
#include "kith/extract.h"
#include "kith/index.h"
#include "kith/shingles.h"
#include "kith/sketches.h"

namespace {

using kith::Status;

template <class T>
std::vector<T> read_array(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<T> values(static_cast<size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return values;
}

struct Strings {
  explicit Strings(const std::string& path) : bytes(read_array<char>(path + ".bytes")) {
    const auto offsets = read_array<uint64_t>(path + ".offsets");
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
      views.emplace_back(bytes.data() + offsets[i], offsets[i + 1] - offsets[i]);
    }
  }
  std::vector<char> bytes;
  std::vector<std::string_view> views;
};

template <class T>
T value_of(kith::Result<T> result) {
  if (result) return std::move(result).value();
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

// Where it is false, nothing is printed.
bool prints = false;

// Of a call and of freeing what it returns.
template <class Call>
void timed(const char* name, const Call& call) {
  const std::clock_t start = std::clock();
  call();
  const std::clock_t end = std::clock();
  if (!prints) return;
  std::printf("%s %.6f\n", name, static_cast<double>(end - start) / CLOCKS_PER_SEC);
}

template <class Value, class Call>
void timed_rows(const char* name, size_t values, const Call& call) {
  timed(name, [&] {
    std::vector<Value> rows(values);
    if (const Status status = call(rows); !status) std::exit(1);
  });
}

void run_pages(const std::string& folder) {
  const Strings html(folder + "/html");
  std::vector<kith::PageBytes> pages;
  for (const std::string_view view : html.views) pages.push_back({view, "https://a.example/", ""});
  timed("extract", [&] { value_of(kith::extract(pages, {.words = false}, 1)); });
}

void run_sets(const std::string& folder) {
  const Strings texts(folder + "/text");
  timed("shingles", [&] { value_of(kith::shingles(texts.views, {}, 1)); });
  const kith::Sets sets = value_of(kith::shingles(texts.views, {}, 1));
  const auto minhash = value_of(kith::MinHasher::make());
  timed_rows<uint16_t>(
      "MinHasher", sets.size() * minhash.lanes(),
      [&](std::vector<uint16_t>& rows) { return minhash.signatures(sets, rows, 1); });
  const kith::SimHasher simhash;
  timed_rows<uint64_t>("SimHasher", sets.size(), [&](std::vector<uint64_t>& values) {
    return simhash.fingerprints(sets, values, 1);
  });
  auto index = value_of(kith::SetIndex::make());
  timed("Index.add", [&] { value_of(index.add(sets, 1)); });
  timed("Index.query", [&] { value_of(index.query(sets, 1)); });
  timed("Index.pairs", [&] { value_of(index.pairs(1)); });
}

void run_bags(const std::string& folder) {
  const auto offsets = read_array<uint64_t>(folder + "/offsets");
  const auto terms = read_array<uint32_t>(folder + "/terms");
  const auto weights = read_array<double>(folder + "/weights");
  const auto sketcher = value_of(kith::BagSketcher::make());
  timed_rows<uint16_t>("BagSketcher", (offsets.size() - 1) * sketcher.lanes(),
                       [&](std::vector<uint16_t>& rows) {
                         return sketcher.signatures(
                             value_of(kith::Bags::make({offsets, terms, weights}, 1)), rows, 1);
                       });
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: bench_batch_calls FOLDER\n");
    return 2;
  }
  for (const bool is_last : {false, true}) {
    prints = is_last;
    run_pages(arguments[1]);
    run_sets(arguments[1]);
    run_bags(arguments[1]);
  }
}
