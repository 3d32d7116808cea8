// The errors that are made in many places.
#pragma once

#include <string>
#include <utility>

#include "kith/status.h"

namespace kith {

inline Error usage_error(std::string message) {
  return {ErrorKind::usage, std::move(message)};
}

}  // namespace kith
