// Damage of the files of a stream is refused and touches nothing; an end that was being written is
// no damage.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kith/stream.h"

#include "base/random.h"
#include "jobs/stream/log.h"
#include "jobs/stream/state.h"
#include "run/stage_files.h"
#include "support/forwarding_file_system.h"
#include "support/temp_dir.h"
#include "unit/jobs/stream/steps.h"

namespace kith::jobs {
namespace {

using Files = std::map<std::string, std::string>;

class LogDamage : public testing::Test {
 protected:
  LogDamage() {
    options_.by = StreamBy::simhash;
    auto stream = Stream::open(folder(), options_);
    for (const Step& step : random_steps(options_, 5, 12)) {
      const StreamAnswer answer = take(*stream, step);
      pages_at_.emplace_back(stream->log_bytes(), stream->counts().pages);
      EXPECT_TRUE(stream->told().is_ok());
      answers_ += answer.size();
    }
    EXPECT_TRUE(stream->flush().is_ok());
    counts_ = stream->counts();
    stream = Stream::make();
    sound_ = test::read_file(log());
  }

  std::string folder() const { return dir_ / "stream"; }
  std::string log() const { return folder() + "/stream.1.log"; }
  Files files() const {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      files[entry.path().filename()] = test::read_file(entry.path());
    }
    return files;
  }
  // The error of opening the stream; empty: it was opened.
  std::string error() const {
    const Status status = Stream::open(folder(), options_).status();
    if (status) return "";
    EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
    return status.error().message;
  }
  void expect_refused() {
    const Files before = files();
    EXPECT_NE(error().find("repair = true"), std::string::npos);
    EXPECT_TRUE(files() == before);
  }
  // The pages of the whole records in the first bytes of the log.
  uint64_t pages_in(size_t bytes) const {
    uint64_t pages = 0;
    for (const auto& [end, count] : pages_at_) pages = end <= bytes ? count : pages;
    return pages;
  }

  test::TempDir dir_{test::Medium::memory};
  StreamOptions options_;
  std::string sound_;
  std::vector<std::pair<uint64_t, uint64_t>>
      pages_at_;  // pages by the end of the last one's record
  StreamCounts counts_;
  uint64_t answers_ = 0;
};

TEST_F(LogDamage, OfAnyByteIsRefusedAndTouchesNothing) {
  ASSERT_GT(sound_.size(), 500u);
  Rng rng(3);
  for (size_t at = 0; at < sound_.size() && !HasFailure(); ++at) {
    SCOPED_TRACE(at);
    std::string damaged = sound_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 + rng.below(255)));
    test::write_file(log(), damaged);
    expect_refused();
  }
}

TEST_F(LogDamage, OfBytesThatCameOrWentIsRefused) {
  Rng rng(4);
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    // Before the last records: what is missing of the last one may never have been written.
    const size_t at = rng.below(sound_.size() - 150);
    SCOPED_TRACE(at);
    const size_t length = 1 + rng.below(39);
    std::string shorter = sound_;
    shorter.erase(at, length);
    std::string longer = sound_;
    longer.insert(at, std::string(length, 'x'));
    std::string zeros = sound_;
    zeros.replace(at, length, std::string(length, '\0'));
    for (const std::string& damaged : {shorter, longer, zeros}) {
      if (damaged == sound_) continue;
      test::write_file(log(), damaged);
      expect_refused();
    }
  }
}

TEST_F(LogDamage, IsNoneWhereTheEndWasBeingWritten) {
  const auto expect_pages = [&](const std::string& torn, uint64_t pages) {
    test::write_file(log(), torn);
    auto stream = Stream::open(folder(), options_);
    ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
    EXPECT_EQ(stream->counts().pages, pages);
    // It goes on after the last whole record.
    ASSERT_TRUE(stream->add({.name = "next", .elements = {}}).is_ok());
    ASSERT_TRUE(stream->flush().is_ok());
    stream = Stream::make();
    stream = Stream::open(folder(), options_);
    ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
    EXPECT_FALSE(stream->progress().was_cut);
    EXPECT_EQ(stream->counts().pages, pages + 1);
  };
  for (size_t size = 16; size < sound_.size() && !HasFailure(); ++size) {
    SCOPED_TRACE(size);
    expect_pages(sound_.substr(0, size), pages_in(size));
    if (size % 5 > 0) continue;
    // With blocks of a disk that were never written; zeros that were to be written are there.
    std::string unwritten = sound_.substr(0, size);
    unwritten.resize(2 * 4096, '\0');
    size_t written = size;
    while (written < sound_.size() && sound_[written] == '\0') ++written;
    expect_pages(unwritten, pages_in(written));
  }
}

TEST_F(LogDamage, IsALogOrASnapshotThatIsMissing) {
  std::filesystem::remove(log());
  expect_refused();
  test::write_file(log(), sound_.substr(0, 9));
  expect_refused();
  test::write_file(log(), sound_);
  std::filesystem::remove(folder() + "/stream.kith");
  const Files before = files();
  EXPECT_NE(error().find("stream.kith is missing"), std::string::npos);
  EXPECT_TRUE(files() == before);
}

TEST_F(LogDamage, IsRepairedWhenThatIsAskedFor) {
  options_.repair = true;
  EXPECT_FALSE(Stream::open(folder(), options_)->progress().lost.has_value());
  for (const size_t at : {size_t{3}, size_t{20}, sound_.size() / 2, sound_.size() - 1}) {
    SCOPED_TRACE(at);
    std::string damaged = sound_;
    damaged[at] ^= 4;
    test::write_file(log(), damaged);
    {
      const auto stream = Stream::open(folder(), options_);
      ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
      const auto& lost = stream->progress().lost;
      ASSERT_TRUE(lost.has_value());
      EXPECT_EQ(stream->counts().pages, at < 16 ? 0 : pages_in(at));
      EXPECT_LE(lost->pages, counts_.pages - stream->counts().pages);
      EXPECT_GE(lost->pages + 1, counts_.pages - stream->counts().pages);
      EXPECT_LE(lost->bytes, sound_.size());
      EXPECT_GT(lost->bytes, 0u);
    }
    StreamOptions again = options_;
    again.repair = false;
    EXPECT_TRUE(Stream::open(folder(), again).is_ok());
  }
  std::filesystem::remove(log());
  const auto stream = Stream::open(folder(), options_);
  ASSERT_TRUE(stream.is_ok());
  EXPECT_EQ(stream->counts().pages, 0u);
  EXPECT_TRUE(stream->progress().lost.has_value());
}

// Checksums that are right say nothing of what a record holds.
TEST_F(LogDamage, OfARecordThatIsNoneIsRefusedAndTouchesNothing) {
  {
    auto writer = LogWriter::reopen(storage::posix_file_system(), log(), sound_.size());
    ASSERT_TRUE(writer.is_ok());
    writer->append("no record");
    ASSERT_TRUE(writer->flush().is_ok());
  }
  const Files before = files();
  EXPECT_NE(error().find("stream.1.log: a record of the log"), std::string::npos);
  EXPECT_TRUE(files() == before);
  // What follows on damage is counted as pages only where it is one.
  std::string damaged = test::read_file(log());
  damaged[sound_.size() / 2] ^= 4;
  test::write_file(log(), damaged);
  options_.repair = true;
  const auto stream = Stream::open(folder(), options_);
  ASSERT_TRUE(stream.is_ok());
  ASSERT_TRUE(stream->progress().lost.has_value());
  EXPECT_LT(stream->progress().lost->pages, counts_.pages - stream->counts().pages + 1);
  EXPECT_EQ(stream->progress().lost->bytes, damaged.size() - stream->log_bytes());
}

TEST_F(LogDamage, IsNotWhatARecipientOfAnswersSays) {
  const StreamRecovery recovery{
      .begin = [](const StreamProgress&) -> Result<uint64_t> { return 0; },
      .take =
          [](const StreamAnswer&) {
            return Status(Error{ErrorKind::io, "the pipe is gone"});
          }};
  const Files before = files();
  const Status status = Stream::open(folder(), options_, recovery).status();
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::io);
  EXPECT_EQ(status.error().message, "the pipe is gone");
  EXPECT_TRUE(files() == before);
}

// The operating system's files, of which one is cut off between the look at its size and reading.
class ShorterFile final : public test::ForwardingFileSystem {
 public:
  explicit ShorterFile(std::string suffix) : suffix_(std::move(suffix)) {}

  Result<std::unique_ptr<storage::ReadableFile>> open(const std::string& path) override {
    KITH_ASSIGN(auto file, test::ForwardingFileSystem::open(path));
    if (!path.ends_with(suffix_)) return file;
    return std::unique_ptr<storage::ReadableFile>(std::make_unique<File>(std::move(file)));
  }

 private:
  class File final : public storage::ReadableFile {
   public:
    explicit File(std::unique_ptr<storage::ReadableFile> file) : file_(std::move(file)) {}
    uint64_t size() const override { return file_->size(); }
    Result<size_t> read_at(uint64_t offset, std::span<std::byte> out) const override {
      const uint64_t end = file_->size() - 5;
      return file_->read_at(offset, out.first(std::min(out.size(), end - std::min(end, offset))));
    }

   private:
    std::unique_ptr<storage::ReadableFile> file_;
  };

  std::string suffix_;
};

TEST_F(LogDamage, OfALogThatBecomesShorterIsRefused) {
  ShorterFile disk(".log");
  const Files before = files();
  const Status status = Opener::open(disk, folder(), options_).status();
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
  EXPECT_TRUE(files() == before);
}

TEST_F(LogDamage, IsNoneOfAFolderThatIsNoStream) {
  std::filesystem::remove_all(folder());
  std::filesystem::create_directories(folder());
  test::write_file(folder() + "/" + std::string(run::manifest_file), "{}");
  const Status status = Stream::open(folder(), options_).status();
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::usage);
  EXPECT_NE(status.error().message.find("is a run directory of kith"), std::string::npos);
  EXPECT_EQ(files().size(), 1u);
}

// A snapshot begins a log of its own before it stands, so that it is never without one.
TEST_F(LogDamage, IsNoLogOfASnapshotThatWasNotFinished) {
  {
    auto stream = Stream::open(folder(), options_);
    ASSERT_TRUE(stream.is_ok());
    ASSERT_TRUE(
        LogWriter::create(storage::posix_file_system(), folder() + "/stream.2.log", 2).is_ok());
  }
  const auto stream = Stream::open(folder(), options_);
  ASSERT_TRUE(stream.is_ok());
  EXPECT_EQ(stream->counts().pages, counts_.pages);
  EXPECT_EQ(stream->progress().answers, answers_);
  EXPECT_EQ(stream->progress().told, answers_);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/stream.2.log"));
}

}  // namespace
}  // namespace kith::jobs
