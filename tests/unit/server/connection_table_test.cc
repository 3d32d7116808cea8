#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/http_server.h"

namespace kith::server {
namespace {

class Connections {
 public:
  std::optional<ConnectionTable::Id> enter(const std::string& address) {
    const size_t number = dropped_.size();
    dropped_.push_back(false);
    return table.enter(address, [this, number] { dropped_[number] = true; });
  }
  std::vector<size_t> dropped() const {
    std::vector<size_t> numbers;
    for (size_t i = 0; i < dropped_.size(); ++i) {
      if (dropped_[i]) numbers.push_back(i);
    }
    return numbers;
  }

  ConnectionTable table{4, 2};

 private:
  std::vector<bool> dropped_;
};

TEST(ConnectionTable, TheOneThatHasWaitedLongestGoes) {
  Connections all;
  const auto first = all.enter("a");
  EXPECT_TRUE(all.enter("a"));
  EXPECT_TRUE(all.dropped().empty());
  EXPECT_TRUE(all.enter("b"));
  // Has asked something, and waits again: the second one of its address has waited longer.
  all.table.set_waiting(*first, false);
  all.table.set_waiting(*first, true);
  EXPECT_TRUE(all.enter("a"));
  EXPECT_EQ(all.dropped(), std::vector<size_t>{1});
  EXPECT_TRUE(all.enter("c"));
  // Four are there: the longest of all goes.
  EXPECT_TRUE(all.enter("c"));
  EXPECT_EQ(all.dropped(), (std::vector<size_t>{1, 2}));
  all.table.drop_oldest();
  EXPECT_EQ(all.dropped(), (std::vector<size_t>{0, 1, 2}));
}

TEST(ConnectionTable, NoneGoesThatIsAnswered) {
  Connections all;
  for (int i = 0; i < 2; ++i) all.table.set_waiting(*all.enter("a"), false);
  EXPECT_FALSE(all.enter("a"));
  const auto other = all.enter("b");
  all.table.set_waiting(*other, false);
  EXPECT_TRUE(all.enter("c"));
  EXPECT_TRUE(all.enter("d"));
  EXPECT_FALSE(all.enter("a"));
  EXPECT_EQ(all.dropped(), std::vector<size_t>{4});
  all.table.leave(*other);
  EXPECT_TRUE(all.enter("b"));
  EXPECT_EQ(all.dropped(), std::vector<size_t>{4});
}

TEST(Budget, IsSharedAndGivenBack) {
  Budget budget(100);
  {
    Charge first(budget);
    Charge second(budget);
    EXPECT_TRUE(first.set(60));
    EXPECT_FALSE(second.set(41));
    EXPECT_TRUE(second.set(40));
    EXPECT_FALSE(second.set(UINT64_MAX));
    EXPECT_TRUE(first.set(10));
    EXPECT_TRUE(second.set(90));
    EXPECT_EQ(budget.taken(), 100u);
  }
  EXPECT_EQ(budget.taken(), 0u);
}

}  // namespace
}  // namespace kith::server
