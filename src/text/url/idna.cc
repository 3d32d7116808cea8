#include "text/url/idna.h"

#include <array>
#include <cstdint>
#include <new>

#include <unicode/uidna.h>

#include "base/check.h"
#include "text/words/icu_error.h"

namespace kith::text {
namespace {

constexpr size_t max_domain_bytes = 1024;

// What UTS #46 reports although the options of the URL standard switch its check off.
constexpr uint32_t tolerated_errors =
    UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |
    UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

// Lives as long as the program; immutable, so shared by all threads.
const UIDNA* uts46() {
  static const UIDNA* const instance = [] {
    UErrorCode error = U_ZERO_ERROR;
    const UIDNA* idna =
        uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
                            UIDNA_NONTRANSITIONAL_TO_UNICODE,
                        &error);
    check_icu(error);
    return idna;
  }();
  return instance;
}

}  // namespace

bool append_ascii_domain(std::string_view domain, std::string& out) {
  if (domain.size() > max_domain_bytes) return false;
  // Punycode of n code points has at most some 7 n characters (RFC 3492: 21 bits per code point
  // in base 36, and the delta of the position), so this always suffices.
  std::array<char, max_domain_bytes * 8> ascii;
  UErrorCode error = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  const int32_t length =
      uidna_nameToASCII_UTF8(uts46(), domain.data(), static_cast<int32_t>(domain.size()),
                             ascii.data(), static_cast<int32_t>(ascii.size()), &info, &error);
  if (error == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (U_FAILURE(error) || (info.errors & ~tolerated_errors) != 0 || length <= 0) return false;
  out.append(ascii.data(), static_cast<size_t>(length));
  return true;
}

}  // namespace kith::text
