// What may fail in the jobs of this program: memory, threads and files, once each.
#pragma once

#include "support/fault_loop.h"

namespace kith::test {

// Whether memory and threads can fail here: sanitizers have an operator new, and a beginning of
// threads, of their own.
bool can_fail();

// One that asks for memory gets none.
Attempt with_failing_allocation(const FaultyJob& job, const std::string& output, uint64_t n);
// A thread cannot be started.
Attempt with_failing_thread(const FaultyJob& job, const std::string& output, uint64_t n);
// An operation of storage::posix_file_system() is an error.
Attempt with_failing_file(const FaultyJob& job, const std::string& output, uint64_t n);

}  // namespace kith::test
