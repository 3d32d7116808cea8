#include "kith/version.h"

namespace kith {

std::string_view version() {
  return KITH_VERSION;
}

}  // namespace kith
