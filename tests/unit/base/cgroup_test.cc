#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/machine.h"
#include "support/temp_dir.h"

namespace kith {
namespace {

class CgroupTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = dir_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root() const { return dir_.path(); }

 private:
  test::TempDir dir_;
};

TEST_F(CgroupTest, WithoutGroupsThereIsNoLimit) {
  EXPECT_EQ(memory_limit(root()), std::nullopt);
  EXPECT_EQ(processor_limit(root()), std::nullopt);
}

TEST_F(CgroupTest, TakesTheLeastOfTheGroupsOfVersion2) {
  write("proc/self/cgroup", "0::/jobs/job-7/step\n");
  write("sys/fs/cgroup/jobs/job-7/step/memory.max", "max\n");
  write("sys/fs/cgroup/jobs/job-7/memory.max", "4294967296\n");
  write("sys/fs/cgroup/jobs/memory.max", "8589934592\n");
  write("sys/fs/cgroup/jobs/job-7/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/jobs/cpu.max", "max 100000\n");
  EXPECT_EQ(memory_limit(root()), uint64_t{4} << 30);
  EXPECT_EQ(processor_limit(root()), 1.5);
}

TEST_F(CgroupTest, ReadsVersion1) {
  write("proc/self/cgroup",
        "12:cpuset:/\n5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n1:name=systemd:/x\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "1073741824\n");
  write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "200000\n");
  write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(memory_limit(root()), uint64_t{1} << 30);
  EXPECT_EQ(processor_limit(root()), 2.0);
}

// A container sees its own group as the root.
TEST_F(CgroupTest, ReadsTheRootWhereThePathIsNotVisible) {
  write("proc/self/cgroup", "0::/../../elsewhere\n");
  write("sys/fs/cgroup/memory.max", "123456789\n");
  EXPECT_EQ(memory_limit(root()), 123456789u);
}

TEST_F(CgroupTest, PassesOverWhatItCannotRead) {
  write("proc/self/cgroup", "\nno colons\n0::\n0::/a\n:::\n");
  write("sys/fs/cgroup/a/memory.max", "");
  write("sys/fs/cgroup/a/cpu.max", "100000\n");
  write("sys/fs/cgroup/memory.max", "99999999999999999999999999\n");
  EXPECT_EQ(memory_limit(root()), std::nullopt);
  EXPECT_EQ(processor_limit(root()), std::nullopt);
}

}  // namespace
}  // namespace kith
