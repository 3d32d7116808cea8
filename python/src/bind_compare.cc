// kith.compare: two documents beside each other.
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "kith/compare.h"

#include "bindings.h"
#include "options.h"
#include "texts.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

// kith.Comparison: the documents, too, since passages are ranges of their texts.
struct PythonComparison {
  Document a;
  Document b;
  Comparison comparison;
};

DocumentFormat format_named(const std::string& word) {
  for (const DocumentFormat format :
       {DocumentFormat::automatic, DocumentFormat::text, DocumentFormat::html}) {
    if (word == name(format)) return format;
  }
  throw Raised{{ErrorKind::usage, fmt::format("input: '{}' is not one of auto, text, html", word)}};
}

// A str or bytes is the document itself, a path a file that has it.
Document document_of(nb::handle object, const char* name, DocumentFormat format) {
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    const Texts texts = take_texts(object, name);
    return value_or_raise(make_document(name, texts.views[0], format));
  }
  if (!nb::hasattr(object, "__fspath__")) {
    throw nb::type_error(fmt::format("{}: of type {}, not str, bytes or a path", name,
                                     nb::type_name(object.type()).c_str())
                             .c_str());
  }
  return value_or_raise(read_document(nb::cast<std::filesystem::path>(object).string(), format));
}

Table estimates_of(const Comparison& comparison) {
  Table table{{{"sketch", ColumnType::text},
               {"measure", ColumnType::text},
               {"exact", ColumnType::number},
               {"lower", ColumnType::number},
               {"value", ColumnType::number},
               {"upper", ColumnType::number},
               {"bytes_a", ColumnType::count},
               {"bytes_b", ColumnType::count}}};
  for (const SketchEstimate& estimate : comparison.estimates) {
    table.columns[0].add(std::string_view(estimate.sketch));
    table.columns[1].add(name(estimate.measure));
    table.columns[2].add(estimate.exact);
    table.columns[3].add(estimate.lower);
    table.columns[4].add(estimate.value);
    table.columns[5].add(estimate.upper);
    table.columns[6].add(estimate.bytes_a);
    table.columns[7].add(estimate.bytes_b);
  }
  return table;
}

std::string_view text_in(const Document& document, const TextRange& range) {
  return std::string_view(document.text).substr(range.begin, range.end - range.begin);
}

Table passages_of(const PythonComparison& self) {
  Table table{{{"kind", ColumnType::text},
               {"text_a", ColumnType::text},
               {"text_b", ColumnType::text},
               {"tokens_a", ColumnType::count},
               {"tokens_b", ColumnType::count}}};
  for (const Passage& passage : self.comparison.passages) {
    table.columns[0].add(name(passage.kind));
    table.columns[1].add(text_in(self.a, passage.a));
    table.columns[2].add(text_in(self.b, passage.b));
    table.columns[3].add(passage.a.tokens);
    table.columns[4].add(passage.b.tokens);
  }
  return table;
}

PythonComparison compare_documents(nb::handle a, nb::handle b, const std::string& input,
                                   const CompareOptions& options) {
  raise_error(validate(options));
  const DocumentFormat format = format_named(input);
  Document first = document_of(a, "a", format);
  Document second = document_of(b, "b", format);
  auto comparison = [&] {
    const nb::gil_scoped_release released;
    return compare(first, second, options);
  }();
  return {std::move(first), std::move(second), value_or_raise(std::move(comparison))};
}

// A property that is a field of the comparison.
template <class Owner, class Field>
auto field(Field Owner::*member) {
  return [member](const PythonComparison& self) { return self.comparison.*member; };
}

void add_comparison(nb::module_& module) {
  nb::class_<PythonComparison>(module, "Comparison",
                               "Two documents compared: the result of compare().")
      .def_prop_ro("resemblance", field(&Comparison::resemblance),
                   "Shared shingles by all shingles of either, [0, 1], exact.")
      .def_prop_ro("containment_of_a", field(&Comparison::containment_of_a),
                   "How much of the shingles of a is in b, [0, 1].")
      .def_prop_ro("containment_of_b", field(&Comparison::containment_of_b),
                   "How much of the shingles of b is in a, [0, 1].")
      .def_prop_ro("common", field(&Comparison::common), "The number of shingles that both have.")
      .def_prop_ro("shingle_cosine", field(&Comparison::shingle_cosine),
                   "Shared shingles by the geometric mean of both numbers, [0, 1].")
      .def_prop_ro("shingle_distance", field(&Comparison::shingle_distance),
                   "Bits in which the SimHash fingerprints of the shingles differ, 0 to 64.")
      .def_prop_ro("bag_similarity", field(&Comparison::bag_similarity),
                   "The sum of the smaller by that of the larger word counts, [0, 1].")
      .def_prop_ro("word_cosine", field(&Comparison::word_cosine),
                   "The cosine of the word counts, [0, 1].")
      .def_prop_ro("word_distance", field(&Comparison::word_distance),
                   "Bits in which the SimHash fingerprints of the words differ, 0 to 64.")
      .def_prop_ro(
          "text_a", [](const PythonComparison& self) { return std::string_view(self.a.text); },
          "The text of a that was compared; of HTML what a crawl would read in it.")
      .def_prop_ro(
          "text_b", [](const PythonComparison& self) { return std::string_view(self.b.text); },
          "The text of b that was compared.")
      .def(
          "estimates",
          [](const PythonComparison& self) {
            return make_table([&] { return estimates_of(self.comparison); });
          },
          "What each sketch would have said: sketch, measure, exact, lower, value, upper, "
          "bytes_a,\n"
          "bytes_b (of the sketch of either).")
      .def(
          "passages",
          [](const PythonComparison& self) {
            return make_table([&] { return passages_of(self); });
          },
          "The passages of both in the order of the texts: kind (shared, only_a, only_b; \n"
          "elsewhere_a and elsewhere_b for those that the other one has at another place), "
          "text_a,\n"
          "text_b, tokens_a, tokens_b (words or characters). The texts of a, one behind the "
          "other,\n"
          "are text_a except for those of kind elsewhere_b, and likewise those of b.")
      .def("__repr__", [](const PythonComparison& self) {
        return fmt::format("<kith.Comparison: resemblance {:.3f}>", self.comparison.resemblance);
      });
}

}  // namespace

void add_compare(nb::module_& module) {
  add_comparison(module);
  module.def(
      "compare",
      [](nb::handle a, nb::handle b, const std::string& unit, uint32_t width, bool bag,
         bool normalize, const std::string& numbers, const std::string& input, uint32_t lanes,
         uint32_t smallest, uint32_t super_shingle, double confidence) {
        return compare_documents(
            a, b, input,
            {unit_named(unit) == ShingleUnit::characters, width, bag, normalize,
             numbers_named(numbers), lanes, smallest, super_shingle, confidence});
      },
      "a"_a, "b"_a, nb::kw_only(), "unit"_a = "words", "width"_a = 5, "bag"_a = false,
      "normalize"_a = true, "numbers"_a = "keep", "input"_a = "auto", "lanes"_a = 128,
      "smallest"_a = 100, "super_shingle"_a = 14, "confidence"_a = 0.95,
      nb::sig("def compare(a: str | bytes | os.PathLike[str], b: str | bytes | os.PathLike[str], "
              "*, unit: str = 'words', width: int = 5, bag: bool = False, normalize: bool = True, "
              "numbers: str = 'keep', "
              "input: str = 'auto', lanes: int = 128, smallest: int = 100, super_shingle: int = "
              "14, confidence: float = 0.95) -> Comparison"),
      "Compares two documents, as `kith compare` does.\n\n"
      "a, b: the text itself as str or bytes (of any character set), or a pathlib.Path of a file\n"
      "with it. unit, width, bag, normalize, numbers: the shingles, as of shingles(). input: text, "
      "html or\n"
      "auto, which looks at the name and the first tag. Of the estimates: lanes of MinHash, a\n"
      "multiple of 16 in [16, 1024]; smallest, s of MIN_s, [1, 65536]; super_shingle, minima of \n"
      "one, [1, lanes]; confidence of the bounds, (0, 1). Raises kith.Error for a document "
      "without\n"
      "words, a file that does not exist or is no document, an option out of range.\n\n"
      "    >>> found = kith.compare('a rose is a rose', 'a rose is a lily', width=3)\n"
      "    >>> found.common, round(found.resemblance, 2)\n"
      "    (2, 0.5)\n"
      "    >>> [row['text_a'] for row in found.passages().rows() if row['kind'] == 'shared']\n"
      "    ['a rose is a ']\n");
}

}  // namespace kith::python
