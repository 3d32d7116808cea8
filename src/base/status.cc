#include "kith/status.h"

#include <cstdio>
#include <cstdlib>

namespace kith::internal {

void end_of_wrong_access(const Error* error) {
  if (error != nullptr) {
    std::fprintf(stderr, "kith: the value of a failed Result was taken: %s\n",
                 error->message.c_str());
  } else {
    std::fputs("kith: the error of a successful Result was taken\n", stderr);
  }
  std::abort();
}

}  // namespace kith::internal
