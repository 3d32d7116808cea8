#include <gtest/gtest.h>

#include "jobs/cluster/cluster_stage.h"

namespace kith::jobs {
namespace {

TEST(LabelWords, SaySomethingAlone) {
  for (const char* const word : {"tree", "sql", "本文", "サーバ", "お知らせ", "한국", "יד"}) {
    EXPECT_TRUE(may_be_label(word)) << word;
  }
  for (const char* const word : {"", "x", "of", "の", "から", "できる", "行", "ア"}) {
    EXPECT_FALSE(may_be_label(word)) << word;
  }
}

}  // namespace
}  // namespace kith::jobs
