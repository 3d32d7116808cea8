#include "jobs/cluster/pair_stage.h"

#include <gtest/gtest.h>

namespace kith::jobs {
namespace {

TEST(NeedsPairs, ForNeighboursForDegreesAndForThePaper) {
  for (const EngineChoice engine : {EngineChoice::exact, EngineChoice::lsh, EngineChoice::paper}) {
    for (const Order order : {Order::automatic, Order::degree, Order::mass, Order::inlinks,
                              Order::url, Order::random}) {
      ClusterOptions options;
      options.order = order;
      EXPECT_TRUE(needs_pairs(engine, options));
      options.neighbours = 0;
      const bool by_degree =
          order == Order::degree || (order == Order::automatic && engine == EngineChoice::exact);
      EXPECT_EQ(needs_pairs(engine, options), by_degree || engine == EngineChoice::paper)
          << name(engine) << ' ' << name(order);
    }
  }
}

}  // namespace
}  // namespace kith::jobs
