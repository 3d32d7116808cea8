// kith help and completions: what --help prints, topics, manual pages, scripts for shells.
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/help/help.h"
#include "cli/output/console.h"

namespace kith::cli {

// kith help: what --help prints, topics that concern several commands, and manual pages.

namespace {

struct HelpFlags {
  std::string topic;
  bool all = false;  // every option of a command
  bool man = false;
};

std::string topic_list() {
  std::string text;
  for (const HelpTopic& topic : help_topics()) {
    text += fmt::format("  {:<24}{}\n", topic.name, topic.summary);
  }
  return text;
}

Error no_topic(const CLI::App& app, const std::string& name) {
  const std::string meant = nearest(name, topic_names(app));
  return {ErrorKind::usage,
          fmt::format("help: there is no topic '{}'{} ('kith help --help' lists them)", name,
                      meant.empty() ? "" : fmt::format("; did you mean {}?", meant))};
}

Status print_help(const CLI::App& app, const HelpFlags& flags) {
  if (flags.all) dynamic_cast<HelpFormat&>(*app.get_formatter()).show_all();
  const std::string name = flags.topic.empty() ? app.get_name() : flags.topic;
  if (name == app.get_name()) {
    const auto format = app.get_formatter();
    // app.help() would be the help of this command.
    write_bytes(stdout, flags.man ? program_manual(app)
                                  : format->make_help(&app, name, CLI::AppFormatMode::Normal));
    return Status::ok();
  }
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto command = std::ranges::find(commands, name, &CLI::App::get_name);
  if (command != commands.end()) {
    write_bytes(stdout, flags.man ? command_manual(**command) : (*command)->help(app.get_name()));
    return Status::ok();
  }
  const auto& topics = help_topics();
  const auto topic = std::ranges::find(topics, name, &HelpTopic::name);
  if (topic == topics.end()) return no_topic(app, name);
  if (flags.man) {
    return Error{ErrorKind::usage,
                 fmt::format("help: --man: {} is a section of kith.1: 'kith help --man'", name)};
  }
  write_text(stdout, topic->text.substr(topic->text.find_first_not_of('\n')));
  return Status::ok();
}

}  // namespace

std::vector<std::string> topic_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* const command :
       program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  for (const HelpTopic& topic : help_topics()) names.emplace_back(topic.name);
  return names;
}

void add_help_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<HelpFlags>();
  CLI::App* const command = app.add_subcommand("help", "The help of a command or of a topic");
  command->add_option("TOPIC", flags->topic, "A command, or one of the topics below")
      ->type_name("");
  command
      ->add_option_function<std::string>(
          "all",
          [flags](const std::string& word) {
            if (word != "all") throw CLI::ExtrasError({word});
            flags->all = true;
          },
          "The word all: every option of the command")
      ->type_name("");
  command->add_flag("--man", flags->man, "Print the manual page, in the macros of man(7)");
  command->footer(fmt::format(R"(
Topics:
{}
Examples:
  kith help cluster
  kith help cluster all
  kith help memory
  kith help --man cluster | man -l -)",
                              topic_list()));
  command->callback([&app, flags, &outcome] {
    if (const Status status = print_help(app, *flags); !status) outcome.fail(status.error());
  });
}

// kith completions: the script that completes kith's commands in a shell.

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
