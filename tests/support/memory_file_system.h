// Files in memory, under the name that tests and fuzz targets know.
#pragma once

#include "storage/memory_file_system.h"

namespace kith::test {

using storage::MemoryFileSystem;

}  // namespace kith::test
