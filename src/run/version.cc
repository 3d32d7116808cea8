#include "kith/version.h"

#include "sketch/simd.h"

namespace kith {

std::string_view version() {
  return KITH_VERSION;
}

std::string_view commit() {
  return KITH_COMMIT;
}

std::string_view commit_date() {
  return KITH_COMMIT_DATE;
}

std::string_view simd_path() {
  switch (sketch::best_simd_level()) {
    case sketch::SimdLevel::avx512:
      return "AVX-512";
    case sketch::SimdLevel::avx2:
      return "AVX2";
    case sketch::SimdLevel::scalar:
      break;
  }
  return "scalar";
}

}  // namespace kith
