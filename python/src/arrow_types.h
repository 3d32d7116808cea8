// Types of Arrow columns, in words for messages.
#pragma once

#include <string>

#include "arrow_abi.h"

namespace kith::python {

// "float64", "list", "dictionary (categorical)"; the format itself where it has no word here.
std::string type_of(const ArrowSchema& column);

}  // namespace kith::python
