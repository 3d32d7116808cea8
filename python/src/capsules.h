// Arrow structs in capsules, as the Arrow PyCapsule interface hands them over.
#pragma once

#include <nanobind/nanobind.h>

namespace kith::python {

// A capsule that owns `value` (made by new), and releases what nobody has taken out of it.
template <class Struct>
nanobind::object capsule_of(Struct* value, const char* name) {
  PyObject* const capsule = PyCapsule_New(value, name, [](PyObject* self) {
    auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw nanobind::python_error();
  return nanobind::steal(capsule);
}

}  // namespace kith::python
