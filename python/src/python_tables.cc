#include "python_tables.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
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

// Hands the bytes that Python gives to a function of kith, until it is closed: a file
// that was not finished, Python may still want to end.
class Sink {
 public:
  explicit Sink(WriteBytes write) : state_(std::make_shared<State>()) {
    state_->write = std::move(write);
  }
  ~Sink() { close(); }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  std::function<void(nb::bytes)> function() const {
    return [state = state_](const nb::bytes& bytes) {
      if (!state->write) return;
      const Status written = state->write({bytes.c_str(), bytes.size()});
      if (written) return;
      state->failure = written.error();
      throw Raised{written.error()};
    };
  }

  void close() { state_->write = {}; }

  // What has happened: of a full disk nothing may be lost on the way through Python.
  Status result_of(Status status) const {
    return state_->failure ? Status(*state_->failure) : std::move(status);
  }

 private:
  struct State {
    WriteBytes write;
    std::optional<Error> failure;
  };
  std::shared_ptr<State> state_;
};

std::vector<std::pair<std::string, std::string>> names_and_types(
    const std::vector<RowColumn>& columns) {
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.reserve(columns.size());
  for (const RowColumn& column : columns) pairs.emplace_back(column.name, name(column.type));
  return pairs;
}

// kith._tables.ListFile as the library sees it.
class PythonListFile : public ListFile {
 public:
  // option: what errors name.
  PythonListFile(std::string option, WriteBytes write)
      : option_(std::move(option)), sink_(std::move(write)) {}
  ~PythonListFile() override {
    const nb::gil_scoped_acquire gil;
    sink_.close();
    file_.reset();
  }

  Status begin(const nb::object& tables, const RowFormat& format) {
    return call([&] {
      file_ = tables.attr("create")(std::string(name(format.format())),
                                    names_and_types(format.columns()), sink_.function());
    });
  }
  Status append(std::string_view lines) override {
    return call([&] { file_.attr("append")(nb::bytes(lines.data(), lines.size())); });
  }
  Status finish() override {
    return call([&] { file_.attr("finish")(); });
  }

 private:
  template <class Call>
  Status call(const Call& of) {
    return sink_.result_of(guarded_call(option_, [&] {
      of();
      return Status::ok();
    }));
  }

  std::string option_;
  Sink sink_;
  nb::object file_;
};

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
                          const AddedColumns& added, const WriteBytes& write) {
  Sink sink(write);
  return sink.result_of(guarded_call(input, [&] {
    // The added fields of rows, a line each.
    const std::function<nb::bytes(uint64_t, uint64_t)> lines = [&](uint64_t begin, uint64_t end) {
      std::string text;
      for (uint64_t row = begin; row < end; ++row) {
        const std::string values = added.values(row);
        text += values.empty() ? "{}" : values;
        text += '\n';
      }
      return nb::bytes(text.data(), text.size());
    };
    tables_.attr("copy")(input, std::vector<uint64_t>(removed.begin(), removed.end()),
                         sink.function(), names_and_types(added.columns), lines);
    return Status::ok();
  }));
}

Result<std::unique_ptr<ListFile>> PythonTables::create(const RowFormat& format,
                                                       const WriteBytes& write) {
  const std::string option = fmt::format("--format {}", name(format.format()));
  auto file = std::make_unique<PythonListFile>(option, write);
  KITH_TRY(file->begin(tables_, format));
  return std::unique_ptr<ListFile>(std::move(file));
}

std::shared_ptr<TableFiles> tables_of(const nb::object& tables) {
  if (tables.is_none()) return nullptr;
  return std::make_shared<PythonTables>(tables);
}

}  // namespace kith::python
