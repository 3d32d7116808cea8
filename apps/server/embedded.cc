#include "embedded.h"

#include <cstddef>

extern "C" const char kith_openapi_begin[];
extern "C" const char kith_openapi_end[];

namespace kith::server {

std::string_view embedded_openapi() {
  return {kith_openapi_begin, static_cast<std::size_t>(kith_openapi_end - kith_openapi_begin)};
}

}  // namespace kith::server
