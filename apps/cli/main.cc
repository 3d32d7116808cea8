// kith: the program.
#include "cli/program.h"

int main(int argc, char** argv) {
  return kith::cli::run_program(argc, argv);
}
