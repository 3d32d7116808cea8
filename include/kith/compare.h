// Two documents beside each other: how similar they are, what every sketch would have said, and
// which passages they share (docs/algorithms/compare.md).
//
//   auto a = kith::read_document("old.html");
//   auto b = kith::read_document("new.html");
//   auto comparison = kith::compare(*a, *b, {});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/run.h"
#include "kith/shingles.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// What the bytes of a document are taken for.
enum class DocumentFormat : uint8_t {
  automatic,  // HTML by the name of the file or by its first tag, else text
  text,
  html,
};

struct Document {
  std::string name;     // as it was called: a path, or "-"
  std::string text;     // valid UTF-8; of HTML what a crawl would read in it
  std::string charset;  // that it was decoded from, by its WHATWG name
  bool html = false;
  uint64_t bytes = 0;  // as they were read
};

// The largest file that is read, in bytes.
inline constexpr uint64_t max_document_bytes = uint64_t{256} << 20;

// The document in a file, or in standard input ("-"). Errors: no such file, one above
// max_document_bytes, one that is compressed, an archive of a crawl (WARC) or binary.
Result<Document> read_document(const std::string& path,
                               DocumentFormat format = DocumentFormat::automatic);

// The same from bytes in memory; `name` is what messages call them.
Result<Document> make_document(std::string_view name, std::string_view bytes,
                               DocumentFormat format = DocumentFormat::automatic);

struct CompareOptions {
  bool characters = false;          // shingles of characters instead of words
  uint32_t width = 5;               // words or characters of a shingle, [1, 256]
  bool bag = false;                 // a shingle that occurs n times counts n times
  bool normalize = true;            // letters, numbers and symbols, case-folded; else as it stands
  Numbers numbers = Numbers::keep;  // with normalize

  // Of the sketches.
  uint32_t lanes = 128;         // m, minima of MinHash: a multiple of 16 in [16, 1024]
  uint32_t smallest = 100;      // s of MIN_s, [1, 65536]
  uint32_t super_shingle = 14;  // minima of a super-shingle, [1, lanes]
  double confidence = 0.95;     // of the bounds, (0, 1)
};

// The first field that is out of range, as an error of kind usage.
Status validate(const CompareOptions& options);

struct DocumentSize {
  uint64_t words = 0;     // as --raw says
  uint64_t tokens = 0;    // words or characters, as the options say
  uint64_t shingles = 0;  // repetitions and all
  uint64_t elements = 0;  // of the set or bag of shingles
};

enum class Measure : uint8_t {
  resemblance,       // |A n B| / |A u B|, of shingles
  containment_of_a,  // |A n B| / |A|
  containment_of_b,  // |A n B| / |B|
  word_cosine,       // of the vectors of word counts
  shingle_cosine,    // |A n B| / sqrt(|A| |B|)
  bag_similarity,    // sum of minima / sum of maxima of weights
};

// What a sketch says about a measure. The truth lies below `lower` with a probability of at most
// (1 - confidence) / 2, and above `upper` likewise.
struct SketchEstimate {
  std::string sketch;  // "MinHash, 128 lanes"
  Measure measure = Measure::resemblance;
  double exact = 0;
  double lower = 0;
  double value = 0;
  double upper = 0;
  uint64_t bytes_a = 0;  // of the sketch of either document
  uint64_t bytes_b = 0;
};

enum class PassageKind : uint8_t {
  shared,  // the same tokens, in the same order of passages
  only_a,  // nothing of B covers it
  only_b,
  elsewhere_a,  // in A here; B has it too, at another place or less often
  elsewhere_b,
};

// Bytes [begin, end) of Document::text, and how many tokens they hold.
struct TextRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t tokens = 0;
};

// A passage of A, of B, or of both. Where one text does not take part its range is empty, at the
// place where the passage would stand; of kinds `elsewhere` at the place where it does stand first.
struct Passage {
  PassageKind kind = PassageKind::shared;
  TextRange a;
  TextRange b;
};

// What the shingles of two documents tell.
struct ShingleComparison {
  CompareOptions options;
  DocumentSize a;  // of a run of dedup() only the elements are known
  DocumentSize b;
  uint64_t common = 0;          // elements that both have
  double resemblance = 0;       // of the elements; correctly rounded quotients
  double containment_of_a = 0;  // how much of A is in B
  double containment_of_b = 0;
  double shingle_cosine = 0;
  uint64_t shingle_fingerprint_a = 0;  // SimHash of the elements
  uint64_t shingle_fingerprint_b = 0;
  uint32_t shingle_distance = 0;  // bits in which they differ, 0 to 64
  std::vector<SketchEstimate> estimates;
};

struct Comparison : ShingleComparison {
  double bag_similarity = 0;  // sum of smaller / sum of larger word counts
  double word_cosine = 0;
  uint64_t word_fingerprint_a = 0;  // SimHash of the words, weighted by their counts
  uint64_t word_fingerprint_b = 0;
  uint32_t word_distance = 0;
  // In the order of the texts, of A before B where both differ. The ranges of a text cover it from
  // end to end, each byte once, but for those of kind `elsewhere` in the other text.
  std::vector<Passage> passages;
};

// The same documents and options give the same comparison. Errors: an option out of range, a
// document without any words. Thread-safe. Takes some 100 bytes of memory a token.
Result<Comparison> compare(const Document& a, const Document& b, const CompareOptions& options);

// Two documents of a run of dedup(), by their names in its lists; of several of a name the first.
// The run keeps shingles, as its options say, and no texts: those options replace these but for
// lanes, smallest, super_shingle and confidence. Errors: an option out of range, no finished run of
// dedup(), damage, a name that the run does not have, a document without shingles.
Result<ShingleComparison> compare_in_dedup(const std::string& directory, const std::string& a,
                                           const std::string& b, const CompareOptions& options);

// A term of either bag, with its weight in both; weights of a bag add up to 100.
struct TermPair {
  std::string term;
  double weight_a = 0;
  double weight_b = 0;
  std::string word = {};  // TermWeight::word
};

// Two URLs of a run. A run keeps bags, not texts: there are no shingles and no passages.
struct BagComparison {
  double bag_similarity = 0;    // exact, as in Run::related
  double cosine = 0;            // of the weights
  uint32_t distance = 0;        // of their SimHash fingerprints
  std::vector<TermPair> terms;  // of both; most shared weight first, then by term
  std::vector<SketchEstimate> estimates;
};

// Uses lanes and confidence of the options. REQUIRES: ids below run.urls(). An error when an
// option is out of range or a bag is empty.
Result<BagComparison> compare_bags(const Run& run, UrlId a, UrlId b, const CompareOptions& options);

// The word of JSON output: "resemblance", "only_a".
std::string_view name(Measure value);
std::string_view name(PassageKind value);
std::string_view name(DocumentFormat value);  // "auto", "text", "html"

// Whether passages of a kind have text of A, of B.
bool stands_in_a(PassageKind kind);
bool stands_in_b(PassageKind kind);

// By the number of a passage that of the passage in which it stands in the other text; of kinds
// that are in one text only its own. Of Comparison::passages.
std::vector<size_t> twins_of(const std::vector<Passage>& passages);

}  // namespace kith

#pragma GCC visibility pop
