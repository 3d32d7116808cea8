#include "bindings.h"

#include <exception>

namespace kith::python {
namespace {

namespace nb = nanobind;

// The class of kith/_errors.py.
const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::not_found:
      return "NotFoundError";
    case ErrorKind::io:
      return "FileError";
    case ErrorKind::corrupt:
      return "CorruptError";
    case ErrorKind::memory:
      return "MemoryLimitError";
    case ErrorKind::cancelled:  // what the callable has raised comes out instead
    case ErrorKind::internal:
      break;
  }
  return "Error";
}

}  // namespace

void add_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*payload*/) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Raised& raised) {
      const nb::object errors = nb::module_::import_("kith._errors");
      PyErr_SetString(errors.attr(class_of(raised.error.kind)).ptr(), raised.error.message.c_str());
    }
  });
}

}  // namespace kith::python
