// A program of another project, which knows of kith only what is installed.
#include <cstdio>
#include <string>

#include <kith/kith.h>

#include "parts.h"

int main() {
  if (!text_works() || !sketches_work() || !groups_work()) return 1;

  // Errors are values, also those of jobs.
  const auto run = kith::Run::open("no-such-run");
  if (run || run.error().kind != kith::ErrorKind::not_found) return 1;

  std::printf("kith %s\n", std::string(kith::version()).c_str());
}
