// kith help: what --help prints, topics that concern several commands, and manual pages.
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/help/completions.h"
#include "cli/help/help_format.h"
#include "cli/help/help_topics.h"
#include "cli/help/manual.h"
#include "cli/help/usage.h"
#include "cli/output/console.h"

namespace kith::cli {
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

}  // namespace kith::cli
