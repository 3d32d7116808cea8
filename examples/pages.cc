// The pages of crawl files, one by one: pages FILE...
#include <kith/pages.h>

#include "example.h"

int main(int argc, char** argv) {
  kith::ReadOptions options;
  options.inputs.assign(argv + 1, argv + argc);
  kith::PageReader reader = value_of(kith::PageReader::open(options));
  for (auto page = value_of(reader.next()); page; page = value_of(reader.next())) {
    std::printf("%s\t%s\t%zu words\n", page->url.c_str(), page->title.c_str(), page->words.size());
  }
}
