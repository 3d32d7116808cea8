// What all examples share: how they end when something fails.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <kith/status.h>

// The value of a result; the program ends with the message where there is none.
template <class T>
T value_of(kith::Result<T> result) {
  if (result) return std::move(result).value();
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

inline void check(const kith::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}
