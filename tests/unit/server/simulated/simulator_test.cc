// A server with clients of all kinds, on a machine that fails in any way, from one seed: every
// answer is what the handler has said, that is what a model of the stream and a second site of the
// same runs say, and nothing is kept or waited for in the end. KITH_SIMULATE=SEED runs one seed,
// KITH_SIMULATE=FROM-TO several.
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/stream/state.h"
#include "server/site.h"
#include "support/served_run.h"
#include "unit/jobs/stream/simulated_disk.h"
#include "unit/server/simulated/client.h"
#include "unit/server/simulated/machine.h"
#include "unit/server/simulated/requests.h"
#include "unit/server/simulated/server.h"
#include "unit/server/simulated/stream_model.h"

namespace kith::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string stream_folder = "/simulated/stream";

StreamOptions any_options(Rng& rng) {
  const std::vector<StreamOptions> all = jobs::all_options();
  StreamOptions options = all[rng.below(all.size())];
  options.shingles.width = 1;
  return options;
}

class Simulation : public Handler {
 public:
  // directories: of the runs; reference: a site of these.
  Simulation(uint64_t seed, const std::vector<std::string>& directories, Site& reference)
      : rng_(seed),
        disk_(seed),
        machine_(disk_, stream_folder),
        options_(any_options(rng_)),
        reference_(reference),
        model_(options_),
        requests_(seed, server_options().header_bytes, memory / 4),
        is_scarce_(rng_.below(4) == 0) {
    site_options_.directories = directories;
    site_options_.hosts = {"localhost"};
    site_options_.memory = memory;
    site_options_.stream = stream_folder;
    site_options_.stream_memory = 512 << 20;
    const auto made = jobs::Opener::open(disk_, stream_folder, options_);
    EXPECT_TRUE(made.is_ok()) << made.status().error().message;
  }

  void run() {
    start();
    for (int steps = 0; steps < 600 && !testing::Test::HasFailure(); ++steps) step();
    if (!testing::Test::HasFailure()) finish();
  }

  Needs needs(const Request& head) const override { return site_->needs(head); }
  Response answer(const Request& request) override;

 private:
  static constexpr uint64_t memory = 1 << 20;
  static constexpr uint64_t max_answer = memory / 32;

  static ServerOptions server_options() {
    ServerOptions options;
    options.most_connections = 6;
    options.most_per_address = 6;
    options.timeout_seconds = 20;
    return options;
  }

  // Of the server.
  void start();
  void stop();
  void die(bool loses_power);
  void reopen(uint64_t least, uint64_t most);
  Response ask_stream();
  // Of an answer.
  SentRequest* find(const Request& request);
  void expect_decisions(const SentRequest& sent, const Response& response);
  void expect_counts();
  // Of clients.
  void step();
  void connect();
  void send();
  void leave();
  void advance();
  void disturb();
  void finish();
  SimulatedClient* any_client();

  Rng rng_;
  jobs::SimulatedDisk disk_;
  Machine machine_;
  const StreamOptions options_;
  Site& reference_;
  StreamModel model_;
  RequestMaker requests_;
  const bool is_scarce_;  // the memory
  SiteOptions site_options_;
  std::unique_ptr<Site> site_;
  std::optional<SimulatedServer> server_;
  std::vector<std::unique_ptr<SimulatedClient>> clients_;
  std::map<std::string, std::shared_ptr<SentRequest>> sent_;  // by its id
  uint64_t synced_ = 0;  // pages that survive the end of the machine
  // How many pages there were when, since the start.
  std::vector<std::pair<std::chrono::steady_clock::time_point, uint64_t>> answered_;
  // The request in which the process was killed; null: not in one.
  const SentRequest* last_words_ = nullptr;
};

// The server.

void Simulation::start() {
  ASSERT_FALSE(server_);
  for (int attempt = 0; attempt < 10 && !site_; ++attempt) {
    if (attempt == 5) disk_.is_full = disk_.syncs_fail = false;
    auto opened = Site::open(site_options_);
    if (opened) {
      site_ = std::move(*opened);
    } else {
      ASSERT_EQ(opened.status().error().kind, ErrorKind::io) << opened.status().error().message;
      disk_.is_dead = false;
    }
  }
  ASSERT_TRUE(site_);
  ServerOptions options = server_options();
  options.memory = is_scarce_ ? 300 << 10 : 32 << 20;
  server_.emplace(machine_, *this, options);
}

Response Simulation::ask_stream() {
  Request request;
  request.target = "/api/stream";
  request.host = "localhost";
  return site_->answer(request);
}

// As by SIGTERM: what is being answered is, except where the rest of a request does not come.
void Simulation::stop() {
  server_->begin_end();
  for (const auto& client : clients_) client->allow_end();
  for (int turn = 0; turn < 100 && server_->answering() > 0; ++turn) {
    server_->settle();
    for (const auto& client : clients_) client->receive(1 << 20);
  }
  if (disk_.is_dead) return die(rng_.below(2) == 0);
  server_.reset();
  if (site_->close()) synced_ = model_.pages();
  if (disk_.is_dead) return die(rng_.below(2) == 0);
  site_.reset();
  const bool loses_power = rng_.below(4) == 0;
  if (loses_power) disk_.lose_power();
  reopen(loses_power ? synced_ : model_.pages(), model_.pages());
}

// The process is killed, or the machine goes down.
void Simulation::die(bool loses_power) {
  disk_.is_dead = true;
  for (const auto& client : clients_) client->allow_end();
  server_.reset();
  site_.reset();
  uint64_t most = model_.pages();
  if (last_words_ != nullptr) {
    for (const Line& line : last_words_->lines) most += line.step ? 1 : 0;
  }
  disk_.is_dead = false;
  // Again while it starts, perhaps.
  disk_.dies_at = rng_.below(8) == 0 ? 1 + rng_.below(10) : 0;
  if (loses_power) disk_.lose_power();
  reopen(loses_power ? synced_ : model_.pages(), most);
}

void Simulation::reopen(uint64_t least, uint64_t most) {
  start();
  if (!site_) return;
  const auto pages = Json::parse(ask_stream().body)["pages"].get<uint64_t>();
  ASSERT_GE(pages, least);
  ASSERT_LE(pages, most);
  if (pages > model_.pages()) {
    model_.take_up_to(pages, last_words_->lines, 0, machine_.date_ms());
  } else {
    model_.cut(pages);
  }
  synced_ = std::min(synced_, pages);
  answered_ = {{machine_.now(), pages}};
  last_words_ = nullptr;
  expect_counts();
}

void Simulation::expect_counts() {
  const Json counts = Json::parse(ask_stream().body);
  ASSERT_EQ(counts["pages"], model_.pages());
  ASSERT_EQ(counts["documents"], model_.documents());
  ASSERT_EQ(counts["clusters"], model_.clusters());
}

// An answer.

// Null: a client has sent something else.
SentRequest* Simulation::find(const Request& request) {
  const auto at = sent_.find(request.if_none_match);
  if (at == sent_.end() || at->second->is_garbled) return nullptr;
  SentRequest& sent = *at->second;
  const Request& right = sent.request;
  EXPECT_FALSE(sent.is_asked) << sent.bytes.substr(0, 500);
  EXPECT_FALSE(sent.is_refused() || !sent.has_end) << sent.bytes.substr(0, 500);
  EXPECT_EQ(request.method, right.method);
  EXPECT_EQ(request.target, right.target);
  EXPECT_EQ(request.body, right.body);
  EXPECT_EQ(request.host, right.host);
  EXPECT_EQ(request.content_type, right.content_type);
  EXPECT_EQ(request.origin, right.origin);
  EXPECT_EQ(request.accept_encoding, right.accept_encoding);
  sent.is_asked = true;
  return &sent;
}

Response Simulation::answer(const Request& request) {
  SentRequest* const sent = find(request);
  const bool was_dead = disk_.is_dead;
  Response response = site_->answer(request);
  if (sent != nullptr) {
    for (const auto& client : clients_) {
      if (client->has(sent)) client->note_answer(machine_.now());
    }
    sent->answer = response;
  }
  if (disk_.is_dead) {
    if (!was_dead) last_words_ = sent;
    return response;
  }
  const bool gives_pages = sent != nullptr && request.target == "/api/documents" &&
                           request.method == Method::post && response.status != 415 &&
                           response.status != 403;
  if (gives_pages) {
    expect_decisions(*sent, response);
  } else if (request.target.starts_with("/api/documents?dry_run=1")) {
    EXPECT_TRUE(response.status == 200 || response.status == 415 || response.status == 403 ||
                response.status == 405)
        << response.body;
  } else if (request.target == "/api/stream" && response.status == 200) {
    expect_counts();
  } else if (request.target != "/metrics" && !request.target.starts_with("/api/stream") &&
             request.method != Method::post) {
    const Response right = reference_.answer(request);
    EXPECT_EQ(response.status, right.status);
    EXPECT_EQ(response.body, right.body);
    EXPECT_EQ(response.fields, right.fields);
  }
  return response;
}

// Lines are taken in their order; how many depends on the disk.
void Simulation::expect_decisions(const SentRequest& sent, const Response& response) {
  const bool is_troubled = disk_.is_full || disk_.syncs_fail;
  const Json answer = Json::parse(response.body, nullptr, false);
  ASSERT_TRUE(answer.is_object() && answer.contains("taken")) << response.body;
  const auto taken = answer["taken"]["lines"].get<size_t>();
  ASSERT_LE(taken, sent.lines.size());
  StreamAnswer said;
  uint64_t skipped = 0;
  for (size_t at = 0; at < taken; ++at) {
    StreamAnswer of = model_.take(sent.lines[at], machine_.date_ms());
    std::ranges::move(of.decisions, std::back_inserter(said.decisions));
    std::ranges::move(of.pairs, std::back_inserter(said.pairs));
    skipped += sent.lines[at].is_broken ? 1 : 0;
  }
  ASSERT_EQ(jobs::text_of(answer_of(answer)), jobs::text_of(said));
  ASSERT_EQ(answer["skipped"]["lines"], skipped);
  if (response.status == 200) {
    ASSERT_EQ(taken, sent.lines.size());
    // The first answer a second later means that what came before is on the disk.
    for (const auto& [time, pages] : answered_) {
      if (machine_.now() - time >= seconds(1)) synced_ = std::max(synced_, pages);
    }
    answered_.emplace_back(machine_.now(), model_.pages());
    return;
  }
  if (response.status == 413) {
    ASSERT_GE(response.body.size(), max_answer);
    return;
  }
  // The part that failed may be in the stream, where only its sync has failed.
  ASSERT_EQ(response.status, 500u) << response.body;
  ASSERT_TRUE(is_troubled) << response.body;
  const auto pages = Json::parse(ask_stream().body)["pages"].get<uint64_t>();
  model_.take_up_to(pages, sent.lines, taken, machine_.date_ms());
}

// The clients.

SimulatedClient* Simulation::any_client() {
  return clients_.empty() ? nullptr : clients_[rng_.below(clients_.size())].get();
}

void Simulation::connect() {
  if (clients_.size() >= 8) return;
  // There may be no place, or none for one of the others.
  const bool is_full = server_->connections() >= server_options().most_connections;
  if (is_full) {
    for (const auto& client : clients_) client->allow_end();
  }
  clients_.push_back(std::make_unique<SimulatedClient>(server_->connect(), machine_.now()));
  if (is_full) clients_.back()->allow_end();
  if (is_scarce_) clients_.back()->allow_lack_of_memory();
}

void Simulation::send() {
  SimulatedClient* const client = any_client();
  if (client == nullptr) return connect();
  for (uint64_t left = rng_.below(3); left > 0 && client->takes_requests(); --left) {
    std::shared_ptr<SentRequest> request = requests_.next(machine_.date_ms());
    if (!request->request.if_none_match.empty()) sent_[request->request.if_none_match] = request;
    client->add(std::move(request));
  }
  client->send(rng_.below(4) == 0 ? 1 + rng_.below(40) : 1 << 20);
}

void Simulation::leave() {
  SimulatedClient* const client = any_client();
  if (client == nullptr) return;
  if (rng_.below(3) == 0) return client->stop_sending();
  std::erase_if(clients_, [&](const auto& of) { return of.get() == client; });
}

void Simulation::advance() {
  const bool is_long = rng_.below(30) == 0;
  const milliseconds time(1 + rng_.below(is_long ? 60'000 : 1500));
  const ServerOptions options = server_options();
  for (const auto& client : clients_) {
    client->allow_end_after(machine_.now() + time, seconds(options.timeout_seconds - 1));
  }
  server_->advance(time);
  if (rng_.below(20) == 0) machine_.jump(milliseconds(rng_.below(20'000)) - seconds(10));
}

void Simulation::disturb() {
  const uint64_t choice = rng_.below(16);
  if (choice < 4) disk_.is_full = !disk_.is_full;
  if (choice == 4) disk_.syncs_fail = !disk_.syncs_fail;
  if (choice == 5) die(rng_.below(2) == 0);
  if (choice == 6) stop();
  if (choice == 7) disk_.dies_at = 1 + rng_.below(20);
}

void Simulation::step() {
  const uint64_t choice = rng_.below(64);
  if (choice < 4) connect();
  if (choice >= 4 && choice < 20) send();
  if (choice >= 20 && choice < 30) {
    if (SimulatedClient* const client = any_client()) {
      client->receive(rng_.below(4) == 0 ? 1 + rng_.below(300) : 1 << 20);
    }
  }
  if (choice >= 30 && choice < 46) server_->step();
  if (choice >= 46 && choice < 54) server_->work(static_cast<Lane>(1 + rng_.below(3)));
  if (choice >= 54 && choice < 57) server_->settle();
  if (choice >= 57 && choice < 60) advance();
  if (choice == 60) leave();
  if (choice == 61) disturb();
  if (disk_.is_dead) die(rng_.below(2) == 0);
  std::erase_if(clients_, [](const auto& client) { return client->has_ended(); });
}

// All that was sent is answered; who says nothing more has to go.
void Simulation::finish() {
  disk_.is_full = disk_.syncs_fail = false;
  disk_.dies_at = 0;
  for (int turn = 0; turn < 200; ++turn) {
    server_->settle();
    for (const auto& client : clients_) {
      client->send(1 << 20);
      client->receive(1 << 20);
    }
  }
  for (const auto& client : clients_) client->expect_answered();
  for (const auto& client : clients_) client->allow_end();
  server_->advance(seconds(server_options().timeout_seconds + 1));
  server_->advance(seconds(2));
  for (const auto& client : clients_) {
    for (int turn = 0; turn < 100; ++turn) client->receive(1 << 20);
    EXPECT_TRUE(client->has_ended()) << "the connection does not end";
  }
  server_->expect_idle();
  clients_.clear();
  server_.reset();
  EXPECT_TRUE(site_->close().is_ok());
  site_.reset();
  const auto stream = jobs::Opener::open(disk_, stream_folder, options_);
  ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
  EXPECT_EQ(jobs::clusters_of(*stream), jobs::clusters_of(model_.model()));
}

TEST(ServeSimulation, AnswersAsTheModelDoesWhateverHappens) {
  uint64_t from = 1;
  uint64_t to = 100;
  if (const char* const asked = std::getenv("KITH_SIMULATE")) {
    char* end = nullptr;
    from = to = std::strtoull(asked, &end, 10);
    if (*end == '-') to = std::strtoull(end + 1, nullptr, 10);
  }
  test::ServedRun runs;
  ASSERT_TRUE(runs.make().is_ok());
  SiteOptions options;
  options.directories = {runs.path("run"), runs.path("copies")};
  options.hosts = {"localhost"};
  const auto reference = Site::open(options);
  ASSERT_TRUE(reference.is_ok());
  for (uint64_t seed = from; seed <= to; ++seed) {
    SCOPED_TRACE("again by KITH_SIMULATE=" + std::to_string(seed));
    Simulation(seed, options.directories, **reference).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace kith::server
