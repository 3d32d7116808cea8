// kith completions: the script that completes kith's commands in a shell.
#include <cstdio>
#include <memory>

#include "cli/commands/command.h"
#include "cli/help/completions.h"
#include "cli/output/console.h"

namespace kith::cli {

void add_completions_command(CLI::App& app, Outcome&) {
  const auto shell = std::make_shared<Shell>(Shell::bash);
  CLI::App* const command = app.add_subcommand(
      "completions", "The script by which a shell completes commands, options and their values");
  add_choice<Shell>(*command, "SHELL", *shell,
                    {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}},
                    "The shell that reads it");
  command->get_option("SHELL")->required()->default_str("");
  command->footer(R"(
The Debian package installs these scripts. Without it, for the own account:

Examples:
  kith completions bash > ~/.local/share/bash-completion/completions/kith
  kith completions zsh > ~/.zfunc/_kith         # with fpath+=~/.zfunc before compinit in ~/.zshrc
  kith completions fish > ~/.config/fish/completions/kith.fish)");
  command->callback([&app, shell] { write_bytes(stdout, completions(app, *shell)); });
}

}  // namespace kith::cli
