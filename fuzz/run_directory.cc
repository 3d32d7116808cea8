// The manifest and the report of a run, of any bytes: opened to be read and to go on with, shown,
// and taken as the plan by which pairs are computed. The report follows the first NUL.
#include "jobs/cluster/run_directory.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "answers/all_pairs.h"
#include "cli/output/summary.h"
#include "jobs/cluster/pair_stage.h"
#include "run/json.h"
#include "support/memory_file_system.h"

namespace {

constexpr uint32_t lanes = 16;
const std::string report_path = "run/report.json";
const std::string signatures_path = "run/signatures.kith";

void require(bool condition) {
  if (!condition) __builtin_trap();
}

kith::ThreadPool& one_thread() {
  static kith::ThreadPool pool(1);
  return pool;
}

// Four bags: two equal, one near them, one empty.
kith::sketch::BagCollection few_bags() {
  static const std::vector<uint64_t> offsets{0, 2, 4, 7, 7};
  static const std::vector<kith::sketch::BagEntry> entries{
      {1, kith::sketch::bag_total / 2}, {2, kith::sketch::bag_total / 2},
      {1, kith::sketch::bag_total / 2}, {2, kith::sketch::bag_total / 2},
      {1, kith::sketch::bag_total / 2}, {2, kith::sketch::bag_total / 4},
      {3, kith::sketch::bag_total / 4}};
  return {offsets, entries};
}

// The file of signatures, made once.
const std::string& signatures() {
  static const std::string bytes = [] {
    kith::test::MemoryFileSystem fs;
    const kith::sketch::SketchOptions options{.lanes = lanes};
    require(kith::jobs::write_signatures(fs, signatures_path, few_bags(), options, one_thread())
                .is_ok());
    return kith::storage::read_file(fs, signatures_path).value();
  }();
  return bytes;
}

void use(kith::storage::FileSystem& fs, const kith::Report& report) {
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  kith::cli::print_info(report, nowhere);
  require(kith::run::report_from_json(kith::to_json(report)).is_ok());
  // The only way to fail is that the signatures are not of these lanes.
  static_cast<void>(kith::answers::for_each_pair(
      few_bags(), report, signatures_path, {fs, "tmp", 0, one_thread()},
      [](const kith::SimilarPair& pair) { return pair.a < pair.b && pair.b < 3; }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using kith::jobs::RunDirectory;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t split = std::min(input.find('\0'), input.size());
  kith::test::MemoryFileSystem fs;
  fs.put("run/manifest.json", input.substr(0, split));
  // A report whose checksum is wrong is never looked at.
  const std::string_view report_text = input.substr(std::min(split + 1, input.size()));
  const bool is_object = kith::run::parse_json(report_text).is_object();
  fs.put(report_path, is_object ? kith::run::with_checksum(report_text) : report_text);
  fs.put(signatures_path, signatures());
  if (const auto run = RunDirectory::open(fs, "run")) {
    use(fs, run->report());
  } else {
    require(run.error().message.starts_with("run"));
  }
  // The same command again, as far as the report knows what that was.
  const auto report =
      kith::run::report_from_json(kith::storage::read_file(fs, report_path).value());
  kith::ClusterOptions options = report ? report->options : kith::ClusterOptions();
  options.inputs = {"no such file"};
  options.output = "run";
  if (auto run = RunDirectory::create(fs, options)) {
    use(fs, run->report());
    require(run->commit({"another", 0, 0, false}).is_ok());
    require(run->finish().is_ok());
  }
  return 0;
}
