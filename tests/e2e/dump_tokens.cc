// Prints the tokens of each line of standard input, for token_twin.py: joined by tabs, a line each.
#include <iostream>
#include <string>

#include "text/words/tokens.h"

int main() {
  kith::text::TokenSplitter splitter(kith::Numbers::keep);
  std::string line;
  while (std::getline(std::cin, line)) {
    kith::text::Token token;
    bool is_first = true;
    bool continues = false;
    for (splitter.reset(line); splitter.next(token);) {
      if (!is_first && !continues) std::cout << '\t';
      std::cout << token.text;
      is_first = false;
      continues = token.continues;
    }
    std::cout << '\n';
  }
}
