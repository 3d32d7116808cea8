#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "topics/classify/classifier.h"

namespace kith::topics {
namespace {

TEST(Calibration, WithoutTrialsNothingIsSure) {
  const Calibration none({}, 0.5);
  EXPECT_FALSE(none.is_sure(1e30f));
  EXPECT_EQ(none.confidence(1), 0);
}

TEST(Calibration, KeepsAsManyAsReachTheAccuracy) {
  const std::vector<Trial> trials{{5, true}, {4, true}, {3, false}, {2, true}, {1, false}};
  const Calibration calibration(trials, 0.75);
  EXPECT_EQ(calibration.sure_margin(), 2);
  EXPECT_EQ(calibration.sure(), 4u);
  EXPECT_EQ(calibration.sure_and_right(), 3u);
  EXPECT_EQ(calibration.right(), 3u);
  EXPECT_EQ(Calibration(trials, 1).sure_margin(), 4);
  EXPECT_EQ(Calibration(trials, 0.6).sure_margin(), 1);
}

TEST(Calibration, EqualMarginsAreSureTogether) {
  const std::vector<Trial> trials{{1, true}, {1, false}, {1, false}};
  EXPECT_EQ(Calibration(trials, 0.5).sure(), 0u);
  const Calibration all(trials, 0.3);
  EXPECT_EQ(all.sure(), 3u);
  EXPECT_DOUBLE_EQ(all.confidence(1), 1.0 / 3);
  EXPECT_DOUBLE_EQ(all.confidence(9), 1.0 / 3);
}

// The isotonic regression at a margin: the least, over those above, of the greatest, over those
// below, of the means between.
double plain_confidence(std::vector<Trial> trials, float margin) {
  std::ranges::sort(trials, {}, &Trial::margin);
  double least = 2;
  for (const Trial& above : trials) {
    if (above.margin < margin) continue;
    double greatest = -1;
    for (const Trial& below : trials) {
      if (below.margin > margin) continue;
      double right = 0;
      double all = 0;
      for (const Trial& between : trials) {
        if (between.margin < below.margin || between.margin > above.margin) continue;
        right += between.is_right ? 1 : 0;
        all += 1;
      }
      greatest = std::max(greatest, right / all);
    }
    least = std::min(least, greatest);
  }
  return least;
}

RC_GTEST_PROP(Calibration, ConfidenceIsTheIsotonicRegression, ()) {
  const auto size = *rc::gen::inRange<size_t>(1, 30);
  std::vector<Trial> trials;
  for (size_t i = 0; i < size; ++i) {
    trials.push_back({static_cast<float>(*rc::gen::inRange(0, 12)), *rc::gen::arbitrary<bool>()});
  }
  const Calibration calibration(trials, 0.8);
  for (const Trial& trial : trials) {
    RC_ASSERT(std::abs(calibration.confidence(trial.margin) -
                       plain_confidence(trials, trial.margin)) < 1e-12);
  }
}

}  // namespace
}  // namespace kith::topics
