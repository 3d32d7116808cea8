// A stream whose disk is full at any moment, or whose answers do not arrive.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/stream/job.h"
#include "jobs/stream/state.h"
#include "support/forwarding_file_system.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

// The operating system's files, but for one operation that changes the disk: of an append half is
// written, of another operation nothing is done. Everything after it works again.
class FailsOnce : public test::ForwardingFileSystem {
 public:
  explicit FailsOnce(int operation) : left_(operation) {}

  bool has_failed() const { return left_ < 0; }

  Status step() {
    if (left_-- != 0) return Status::ok();
    return Error{ErrorKind::io, "cannot write: No space left on device"};
  }

  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
  Result<std::unique_ptr<storage::WritableFile>> reopen(const std::string& path) override;
  Status truncate(const std::string& path, uint64_t bytes) override {
    KITH_TRY(step());
    return test::ForwardingFileSystem::truncate(path, bytes);
  }
  Status make_directories(const std::string& path) override {
    KITH_TRY(step());
    return test::ForwardingFileSystem::make_directories(path);
  }
  Status rename(const std::string& from, const std::string& to) override {
    KITH_TRY(step());
    return test::ForwardingFileSystem::rename(from, to);
  }

 private:
  int left_;
};

class File final : public storage::WritableFile {
 public:
  File(FailsOnce& disk, std::unique_ptr<storage::WritableFile> file)
      : disk_(disk), file_(std::move(file)) {}

  Status append(Bytes bytes) override {
    const Status status = disk_.step();
    KITH_TRY(file_->append(status ? bytes : bytes.first(bytes.size() / 2)));
    return status;
  }
  Status sync() override {
    KITH_TRY(disk_.step());
    return file_->sync();
  }
  Status close() override {
    KITH_TRY(disk_.step());
    return file_->close();
  }

 private:
  FailsOnce& disk_;
  std::unique_ptr<storage::WritableFile> file_;
};

Result<std::unique_ptr<storage::WritableFile>> FailsOnce::create(const std::string& path) {
  KITH_TRY(step());
  KITH_ASSIGN(auto file, test::ForwardingFileSystem::create(path));
  return std::unique_ptr<storage::WritableFile>(std::make_unique<File>(*this, std::move(file)));
}

Result<std::unique_ptr<storage::WritableFile>> FailsOnce::reopen(const std::string& path) {
  KITH_TRY(step());
  KITH_ASSIGN(auto file, test::ForwardingFileSystem::reopen(path));
  return std::unique_ptr<storage::WritableFile>(std::make_unique<File>(*this, std::move(file)));
}

void expect_full(const Status& status) {
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::io);
  EXPECT_NE(status.error().message.find("No space left on device"), std::string::npos);
}

std::string row_of(const StreamDecision& of) {
  return of.document + " " + std::to_string(of.cluster) + " " + std::string(name(of.role)) + "\n";
}

std::string rows_of(const std::vector<StreamDecision>& decisions) {
  std::string rows;
  for (const StreamDecision& of : decisions) rows += row_of(of);
  return rows;
}

// Under half as many names, so that some are updates and leaders change.
constexpr size_t page_count = 60;
StreamPage page(size_t number, std::string& name) {
  static const std::vector<uint64_t> elements = [] {
    std::vector<uint64_t> all(page_count);
    for (size_t i = 0; i < page_count; ++i) all[i] = (i * 37 % 7) << 56 | 1ull << (i % 5);
    return all;
  }();
  name = "page " + std::to_string(number * 11 % (page_count / 2));
  return {.name = name,
          .elements = {&elements[number], 1},
          .time_ms = static_cast<int64_t>(number),
          .source = "pages",
          .next = number + 1};
}

StreamOptions fingerprints() {
  StreamOptions options;
  options.by = StreamBy::simhash;
  return options;
}

// Adds a page, and prints what is decided as the job does: nothing before the log has it. What
// fails is tried again, for which there is room.
class Printer {
 public:
  explicit Printer(Stream& stream) : stream_(stream) {}

  void print_next(size_t number) {
    std::string name;
    std::string rows;
    again([&]() -> Status {
      KITH_ASSIGN(const StreamAnswer answer, stream_.add(page(number, name)));
      rows = rows_of(answer.decisions);
      return Status::ok();
    });
    bool is_lost = false;
    again([&] {
      if (number % 3 != 0) return stream_.flush();
      return std::exchange(is_lost, true) ? stream_.snapshot() : stream_.sync();
    });
    printed += rows;
    again([&] { return stream_.told(); });
    if (number % 7 == 6) again([&] { return stream_.snapshot(); });
  }

  std::string printed;

 private:
  template <class Call>
  void again(Call&& call) {
    const Status first = call();
    if (first) return;
    expect_full(first);
    const Status second = call();
    EXPECT_TRUE(second.is_ok()) << second.error().message;
  }

  Stream& stream_;
};

// A sync that failed says nothing of what is on the disk: only a snapshot does.
TEST(StreamFullDisk, LosesNothingThatWasPrintedAndGoesOn) {
  auto undisturbed = Stream::make(fingerprints());
  Printer expected(*undisturbed);
  for (size_t at = 0; at < page_count; ++at) expected.print_next(at);
  const test::TempDir dir(test::Medium::memory);
  const std::string folder = dir / "stream";
  int operation = 0;
  for (;; ++operation) {
    SCOPED_TRACE(operation);
    std::filesystem::remove_all(folder);
    FailsOnce disk(operation);
    std::string printed;
    size_t at = 0;
    StreamCounts counts;
    {
      auto stream = Opener::open(disk, folder, fingerprints());
      if (!stream) {
        expect_full(stream.status());
        stream = Opener::open(disk, folder, fingerprints());
      }
      ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
      Printer printer(*stream);
      for (; at < page_count && !HasFailure(); ++at) printer.print_next(at);
      printed = printer.printed;
      counts = stream->counts();
      if (!disk.has_failed()) break;
    }
    ASSERT_EQ(printed, expected.printed);
    // What is counted is what survives.
    auto stream = Stream::open(folder, fingerprints());
    ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
    EXPECT_EQ(stream->counts().documents, counts.documents);
    EXPECT_EQ(stream->counts().pages, counts.pages);
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      const std::string name = file.path().filename();
      EXPECT_TRUE(name == "stream.kith" || name.ends_with(".log")) << name;
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(operation, 100);
}

// What was written to a file, or did not arrive there.
class Rows {
 public:
  // The call of that number fails, once, and what it was to write is lost.
  explicit Rows(int failing) : left_(failing) {}

  StreamReceiver receiver() {
    return {.begin = [this](const StreamProgress&) -> Result<uint64_t> { return rows_.size(); },
            .resume =
                [this](const StreamProgress& progress) {
                  EXPECT_LE(rows_.size(), progress.answers);
                  return step();
                },
            .take =
                [this](const StreamAnswer& answer) {
                  for (const StreamDecision& of : answer.decisions) taken_.push_back(row_of(of));
                  return step();
                },
            .flush = [this]() -> Status {
              KITH_TRY(step());
              std::ranges::move(taken_, std::back_inserter(rows_));
              taken_.clear();
              return Status::ok();
            },
            .settle = [this] { return step(); }};
  }
  const std::vector<std::string>& rows() const { return rows_; }

 private:
  Status step() {
    if (left_-- != 0) return Status::ok();
    taken_.clear();
    return Error{ErrorKind::io, "cannot write rows: No space left on device"};
  }

  int left_;
  std::vector<std::string> taken_;
  std::vector<std::string> rows_;
};

class StreamJobFullDisk : public testing::Test {
 protected:
  StreamJobFullDisk() {
    std::string lines;
    for (int i = 0; i < 30; ++i) {
      const std::string number = std::to_string(i % 9);
      lines += R"({"id": ")" + number + R"(", "text": "some words and )";
      lines += std::string(1, static_cast<char>('a' + i % 4)) + "\", \"time\": 7}\n";
    }
    test::write_file(dir_ / "pages.jsonl", lines);
    options_.inputs = {dir_ / "pages.jsonl"};
    options_.directory = dir_ / "stream";
    options_.durable = Durable::page;
    Rows undisturbed(-1);
    EXPECT_TRUE(run_stream(options_, undisturbed.receiver()).is_ok());
    expected_ = undisturbed.rows();
    EXPECT_GE(expected_.size(), 30u);
  }

  // Runs with every operation of the disk, or every call for rows, failing in turn, and then once
  // more without. Returns how many there are.
  int expect_same_rows(bool disk_fails) {
    for (int turn = 0;; ++turn) {
      SCOPED_TRACE(turn);
      std::filesystem::remove_all(options_.directory);
      FailsOnce disk(disk_fails ? turn : -1);
      Rows rows(disk_fails ? -1 : turn);
      const Status status = run(disk, options_, rows.receiver()).status();
      if (status) {
        EXPECT_EQ(rows.rows(), expected_);
        return turn;
      }
      expect_full(status);
      const Status again = run_stream(options_, rows.receiver()).status();
      EXPECT_TRUE(again.is_ok()) << again.error().message;
      EXPECT_EQ(rows.rows(), expected_);
      if (HasFailure()) return turn;
    }
  }

  test::TempDir dir_{test::Medium::memory};
  StreamJobOptions options_;
  std::vector<std::string> expected_;
};

TEST_F(StreamJobFullDisk, RowsAreThoseOfARunWithoutIt) {
  EXPECT_GT(expect_same_rows(true), 10);
}

TEST_F(StreamJobFullDisk, RowsThatDidNotArriveComeAgain) {
  EXPECT_GT(expect_same_rows(false), 5);
}

}  // namespace
}  // namespace kith::jobs
