// How many bits of their fingerprints pages like these should be compared by: fingerprint_bits
// FILE...
#include <kith/stream_job.h>

#include "example.h"

int main(int argc, char** argv) {
  kith::FingerprintBitsOptions options;
  options.inputs.assign(argv + 1, argv + argc);
  options.similarity = 0.5;
  options.documents = 10'000;
  const auto report = value_of(kith::tune_fingerprint_bits(options));
  for (const kith::FingerprintErrors& of : report.errors) {
    if (of.bits % 16 > 0) continue;
    std::printf("%u bits: %llu pages falsely joined, %llu parted\n", of.bits,
                static_cast<unsigned long long>(of.joined),
                static_cast<unsigned long long>(of.parted));
  }
  std::printf("best: %u\n", report.best);
}
