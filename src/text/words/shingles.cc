#include "text/words/shingles.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"

namespace kith::text {
namespace {

constexpr size_t block = 512;  // tokens read at a time
// The polynomial of a window is sum t_i B^(w-1-i) mod 2^64. B - 1 is 2 mod 4, so that windows of
// the same tokens in another order do not lose more than a few bits.
constexpr uint64_t base = 0xd1342543de82ef97;
static_assert(base % 4 == 3);

uint64_t power(uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent > 0; --exponent) result *= base;
  return result;
}

// Of equal values, which stand together, the second and later ones become others.
void number_repetitions(std::vector<uint64_t>& sorted) {
  uint64_t number = 0;
  uint64_t before = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const uint64_t shingle = sorted[i];
    number = i > 0 && shingle == before ? number + 1 : 0;
    before = shingle;
    if (number > 0) sorted[i] = mix64(shingle + number * golden);
  }
}

}  // namespace

// The tokens of a block behind the last `width` ones before it, and the polynomial of the window.
struct Shingler::Window {
  explicit Window(uint32_t w) : width(w), leaving(power(w)) {}

  uint32_t width;
  uint64_t leaving;  // the factor of the token that leaves the window
  uint64_t value = 0;
  std::array<uint64_t, ShingleOptions::max_width + block> tokens;
  std::array<uint32_t, block> offsets;

  uint64_t* fresh() { return tokens.data() + width; }

  void reset() {
    value = 0;
    std::fill_n(tokens.begin(), width, uint64_t{0});
  }

  // Rolls over `count` fresh tokens; out[i] is the shingle that ends with the i-th.
  void roll(size_t count, uint64_t* out) {
    uint64_t v = value;
    for (size_t i = 0; i < count; ++i) {
      v = v * base + tokens[width + i] - tokens[i] * leaving;
      out[i] = mix64(v);
    }
    value = v;
    std::copy_n(tokens.begin() + count, width, tokens.begin());
  }
};

Shingler::Shingler(const ShingleOptions& options)
    : options_(options),
      tokens_(make_token_reader(options.tokens)),
      window_(std::make_unique<Window>(options.width)) {
  KITH_CHECK(options.width >= 1 && options.width <= ShingleOptions::max_width);
}
Shingler::~Shingler() = default;
Shingler::Shingler(Shingler&&) noexcept = default;
Shingler& Shingler::operator=(Shingler&&) noexcept = default;

size_t Shingler::count_tokens(std::string_view text) {
  tokens_->reset(text);
  size_t sum = 0;
  for (size_t count = block; count == block; sum += count) {
    count = tokens_->read({{window_->fresh(), block}, window_->offsets});
  }
  return sum;
}

void Shingler::read(std::string_view text, std::vector<uint64_t>& shingles,
                    std::vector<uint32_t>* token_offsets) {
  shingles.clear();
  if (token_offsets != nullptr) token_offsets->clear();
  window_->reset();
  tokens_->reset(text);
  for (size_t count = block; count == block;) {
    count = tokens_->read({{window_->fresh(), block}, window_->offsets});
    if (token_offsets != nullptr) {
      const auto first = window_->offsets.begin();
      token_offsets->insert(token_offsets->end(), first, first + static_cast<ptrdiff_t>(count));
    }
    const size_t before = shingles.size();
    shingles.resize(before + count);
    window_->roll(count, shingles.data() + before);
  }
  // Those that end with the first width - 1 tokens are no shingles, unless there are no others.
  const size_t unfinished = std::min<size_t>(options_.width, shingles.size());
  if (unfinished > 1) {
    shingles.erase(shingles.begin(), shingles.begin() + static_cast<ptrdiff_t>(unfinished - 1));
  }
}

void Shingler::read(std::string_view text, std::vector<uint64_t>& shingles) {
  read(text, shingles, nullptr);
}
void Shingler::read(std::string_view text, std::vector<uint64_t>& shingles,
                    std::vector<uint32_t>& token_offsets) {
  read(text, shingles, &token_offsets);
}

void Shingler::make_elements(std::vector<uint64_t>& shingles) {
  sorter_.sort(shingles);
  if (options_.bag) {
    number_repetitions(shingles);
    sorter_.sort(shingles);
  }
  shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
}

void Shingler::elements(std::string_view text, std::vector<uint64_t>& elements) {
  read(text, elements);
  make_elements(elements);
}

uint64_t hash_of_text(std::span<const uint64_t> shingles) {
  return shingles.empty() ? 0 : hash64(std::as_bytes(shingles));
}

void remove_common(std::vector<uint64_t>& elements, std::span<const uint64_t> common) {
  size_t next = 0;
  std::erase_if(elements, [&](uint64_t element) {
    // Strides that double, and then the place between the last two.
    size_t end = next;
    for (size_t stride = 1; end < common.size() && common[end] < element; stride *= 2) {
      next = end + 1;
      end += stride;
    }
    const auto from = common.subspan(next, std::min(end, common.size()) - next);
    next += static_cast<size_t>(std::ranges::lower_bound(from, element) - from.begin());
    return next < common.size() && common[next] == element;
  });
}

}  // namespace kith::text
