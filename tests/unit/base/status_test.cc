#include "kith/status.h"

#include <string>

#include <gtest/gtest.h>

namespace kith {
namespace {

TEST(Status, HoldsAnErrorOrNone) {
  EXPECT_TRUE(Status::ok().is_ok());
  const Status failed = Error{ErrorKind::io, "disk"};
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "disk");
}

TEST(Result, HoldsAValueOrAnError) {
  Result<std::string> good = std::string("value");
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, "value");
  EXPECT_EQ(good->size(), 5u);
  EXPECT_EQ(std::move(good).value(), "value");
  const Result<int> bad = Error{ErrorKind::usage, "why"};
  EXPECT_EQ(bad.error().kind, ErrorKind::usage);
  EXPECT_EQ(bad.status().error().message, "why");
}

TEST(ResultDeathTest, EndsTheProgramWithTheMessageInEveryBuild) {
  const Result<int> bad = Error{ErrorKind::usage, "no such file: x"};
  EXPECT_DEATH(static_cast<void>(bad.value()), "no such file: x");
  const Result<int> good = 1;
  EXPECT_DEATH(static_cast<void>(good.error()), "error of a successful Result");
  EXPECT_DEATH(static_cast<void>(Status::ok().error()), "error of a successful Result");
}

}  // namespace
}  // namespace kith
