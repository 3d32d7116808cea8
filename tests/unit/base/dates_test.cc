#include "base/dates.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kith::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr int64_t noon = 1'795'521'600'000;  // 2026-11-24T12:00:00Z

TEST(Dates, AreDigitsAsInArchives) {
  EXPECT_EQ(parse_date("20261124120000"), noon);
  EXPECT_EQ(parse_date("202611241200"), noon);
  EXPECT_EQ(parse_date("20261124120000500"), noon + 500);
  EXPECT_EQ(parse_date("20261124"), noon - 12 * 3'600'000);
  EXPECT_EQ(parse_date("2026-11-24T12:00:00Z"), noon);
  EXPECT_EQ(parse_date("2026-11-24T13:00:00.5+01:00"), noon + 500);
  for (const char* const text : {"", "1", "2026", "2026112412", "2026112412000", "202611241200000",
                                 "20261324", "20261124250000", "20261124126000", "18261124",
                                 "1700000000", "2026112x", "202611241200000000"}) {
    EXPECT_EQ(parse_date(text), std::nullopt) << text;
  }
}

TEST(Dates, OfDigitsTakeAsManyAsThereAre) {
  EXPECT_EQ(parse_digits("2026112412"), noon);
  EXPECT_EQ(parse_digits("2026112412000"), noon);
  EXPECT_EQ(parse_digits("20261124120000xyz"), noon);
  EXPECT_EQ(parse_digits("202611241200001234567"), noon + 123);
  EXPECT_EQ(parse_digits("2026112"), std::nullopt);
  EXPECT_EQ(parse_digits("2026-11-24"), std::nullopt);
}

TEST(Dates, AreSecondsOrMillisecondsInJson) {
  EXPECT_EQ(parse_any_time("1795521600"), noon);
  EXPECT_EQ(parse_any_time("1795521600000"), noon);
  EXPECT_EQ(parse_any_time("1795521600.5"), noon + 500);
  EXPECT_EQ(parse_any_time("20261124120000"), noon);
  EXPECT_EQ(parse_any_time("2026-11-24"), noon - 12 * 3'600'000);
  EXPECT_EQ(parse_any_time("253402300800000"), std::nullopt);
  EXPECT_EQ(parse_any_time("yesterday"), std::nullopt);
  EXPECT_EQ(parse_any_time(""), std::nullopt);
}

TEST(Dates, AreWrittenAsTheyAreRead) {
  EXPECT_EQ(date_text(no_time), "");
  EXPECT_EQ(date_text(noon), "2026-11-24T12:00:00Z");
  EXPECT_EQ(date_text(noon + 50), "2026-11-24T12:00:00.050Z");
  EXPECT_EQ(date_text(-1), "1969-12-31T23:59:59.999Z");
  for (const char* const text : {"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
                                 "2024-02-29T00:00:00Z", "1900-03-01T23:59:59Z"}) {
    EXPECT_EQ(date_text(*parse_time(text)), text);
  }
}

TEST(MonthCounts, AreOfMonthsThatHaveSome) {
  MonthCounts counts;
  EXPECT_THAT(counts.list(), IsEmpty());
  for (const char* const text :
       {"2024-03-01", "2024-02-29T23:59:59.999Z", "2024-02-01", "1969-12-31", "2023-02-01"}) {
    counts.add(*parse_time(text));
  }
  counts.add(no_time);
  EXPECT_THAT(counts.list(), ElementsAre(Pair("1969-12", 1), Pair("2023-02", 1), Pair("2024-02", 2),
                                         Pair("2024-03", 1)));
}

}  // namespace
}  // namespace kith::test
