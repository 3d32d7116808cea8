// What ICU says of a call that fails for want of memory only.
#pragma once

#include <new>

#include <unicode/unorm2.h>
#include <unicode/utypes.h>

#include "base/check.h"

namespace kith::text {

// Throws std::bad_alloc where there was none; any other error is a mistake of kith.
inline void check_icu(UErrorCode error) {
  if (error == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  KITH_CHECK(U_SUCCESS(error));
}

// Lives as long as the program.
inline const UNormalizer2* nfc_form() {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* const form = unorm2_getNFCInstance(&error);
  check_icu(error);
  return form;
}

}  // namespace kith::text
