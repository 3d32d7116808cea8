// Two documents beside each other.
#include <kith/compare.h>

#include "example.h"

int main() {
  const kith::Document a = value_of(kith::make_document("a", "one two three four five six"));
  const kith::Document b = value_of(kith::make_document("b", "one two three four five seven"));
  const kith::Comparison both = value_of(kith::compare(a, b, {.width = 2}));
  std::printf("%llu common shingles: resemblance %.2f\n",
              static_cast<unsigned long long>(both.common), both.resemblance);
}
