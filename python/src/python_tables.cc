#include "python_tables.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace kith::python {
namespace {

namespace nb = nanobind;

ErrorKind kind_of(const nb::python_error& error) {
  const nb::module_ errors = nb::module_::import_("kith._errors");
  constexpr std::pair<const char*, ErrorKind> kinds[] = {{"UsageError", ErrorKind::usage},
                                                         {"NotFoundError", ErrorKind::not_found},
                                                         {"FileError", ErrorKind::io},
                                                         {"CorruptError", ErrorKind::corrupt}};
  for (const auto& [name, kind] : kinds) {
    if (error.matches(errors.attr(name))) return kind;
  }
  return ErrorKind::io;
}

// What was raised, as an error; of another class than those of kith it names the input.
Error error_of(const std::string& input, nb::python_error& error) {
  const nb::module_ errors = nb::module_::import_("kith._errors");
  const auto text = nb::cast<std::string>(nb::str(error.value()));
  if (error.matches(errors.attr("Error"))) return {kind_of(error), text};
  return {ErrorKind::io,
          fmt::format("{}: {}: {}", input, nb::type_name(error.type()).c_str(), text)};
}

template <class Call>
Status guarded_call(const std::string& input, const Call& call) {
  const nb::gil_scoped_acquire gil;
  try {
    return call();
  } catch (nb::python_error& error) {
    return error_of(input, error);
  } catch (const nb::cast_error&) {
    return Error{ErrorKind::io, fmt::format("{}: the opener of tables gave no table", input)};
  }
}

// Moves the struct out of the capsule that a method returns.
template <class Struct>
Status take_capsule(nb::handle object, const char* method, const char* name, Struct& out) {
  const nb::object capsule = object.attr(method)();
  auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (held == nullptr) throw nb::python_error();
  out = std::exchange(*held, Struct{});
  return Status::ok();
}

}  // namespace

PythonTables::~PythonTables() {
  const nb::gil_scoped_acquire gil;
  begun_.reset();
  tables_.reset();
}

bool PythonTables::has(const std::string& input) const {
  const nb::gil_scoped_acquire gil;
  return nb::cast<bool>(tables_.attr("has")(input));
}

Status PythonTables::schema(const std::string& input, ArrowSchema& schema) {
  return guarded_call(input, [&]() -> Status {
    if (!begun_) {
      const nb::object given = tables_.attr("schema")(input);
      if (nb::hasattr(given, "__arrow_c_schema__")) {
        return take_capsule(given, "__arrow_c_schema__", "arrow_schema", schema);
      }
      // The rows of a table in memory, which may be given once only.
      ArrowArrayStream rows{};
      KITH_TRY(take_capsule(given, "__arrow_c_stream__", "arrow_array_stream", rows));
      begun_ = std::make_unique<ArrowStream>(rows);
    }
    return begun_->schema(schema);
  });
}

Status PythonTables::read(const std::string& input, const std::vector<std::string>& columns,
                          ArrowArrayStream& rows) {
  return guarded_call(input, [&]() -> Status {
    if (begun_) {
      rows = begun_->take();
      begun_.reset();
      return Status::ok();
    }
    return take_capsule(tables_.attr("read")(input, columns), "__arrow_c_stream__",
                        "arrow_array_stream", rows);
  });
}

Status PythonTables::copy(const std::string& input, std::span<const uint64_t> removed,
                          const std::function<Status(std::string_view bytes)>& write) {
  std::optional<Error> failure;
  Status status = guarded_call(input, [&] {
    const std::function<void(nb::bytes)> sink = [&](const nb::bytes& bytes) {
      const Status written = write({bytes.c_str(), bytes.size()});
      if (written) return;
      failure = written.error();
      throw Raised{written.error()};
    };
    tables_.attr("copy")(input, std::vector<uint64_t>(removed.begin(), removed.end()), sink);
    return Status::ok();
  });
  // Of a full disk nothing may be lost on the way through Python.
  if (failure) return *failure;
  return status;
}

std::shared_ptr<TableFiles> tables_of(const nb::object& tables) {
  if (tables.is_none()) return nullptr;
  return std::make_shared<PythonTables>(tables);
}

}  // namespace kith::python
