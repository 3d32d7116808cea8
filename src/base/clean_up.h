// What is tidied up after an error, or in a destructor, where nothing can be done if that fails,
// too.
#pragma once

namespace kith {

// Calls work(), drops the error that it returns, and what it throws, such as std::bad_alloc.
template <class Work>
void clean_up(Work&& work) noexcept {
  try {
    static_cast<void>(work());
  } catch (...) {
    return;
  }
}

}  // namespace kith
