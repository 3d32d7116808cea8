// What a measured recall says about the true one.
#include <kith/sketches.h>

#include "example.h"

int main() {
  const kith::Estimate recall = value_of(kith::estimate_share(190, 200));
  std::printf("found 190 of 200: a recall of %.3f, with confidence 0.95 from %.3f to %.3f\n",
              recall.value, recall.lower, recall.upper);
}
