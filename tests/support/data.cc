#include "support/data.h"

namespace kith::test {

std::string test_data(std::string_view path) {
  return std::string(KITH_TEST_DATA "/").append(path);
}

}  // namespace kith::test
