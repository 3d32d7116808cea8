// One piece of work that goes on while its caller does something else.
#pragma once

#include <functional>
#include <future>
#include <system_error>

#include "kith/status.h"

namespace kith {

// Where there is one thread only, or none can be started, the work is done when it is waited for:
// the sequential twin. Not thread-safe; what the work uses must stay until it has been waited for,
// or until the destructor, which waits too.
class Background {
 public:
  // threads: as many as its caller may use, > 0.
  explicit Background(unsigned threads)
      : policy_(threads > 1 ? std::launch::async : std::launch::deferred) {}

  // Starts the next work. REQUIRES: the one before has been waited for.
  void start(const std::function<Status()>& work) {
    try {
      done_ = std::async(policy_, work);
    } catch (const std::system_error&) {
      policy_ = std::launch::deferred;
      done_ = std::async(policy_, work);
    }
  }
  // What the last work returned; ok when none was started since.
  Status wait() { return done_.valid() ? done_.get() : Status::ok(); }

 private:
  std::launch policy_;
  std::future<Status> done_;
};

}  // namespace kith
