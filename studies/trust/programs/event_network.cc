// event_network EVENTS: a discrete event simulation of a network of queues. Prints the mean waiting time.
//
// Stands for 471.omnetpp: a heap of events, and a virtual method of a module for each of them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

namespace {

uint64_t g_seed = 88172645463325252ull;

double Draw() {
  g_seed ^= g_seed << 13;
  g_seed ^= g_seed >> 7;
  g_seed ^= g_seed << 17;
  return static_cast<double>(g_seed >> 11) / 9007199254740992.0;
}

struct Message {
  int hops = 0;
  double born = 0;
  std::string kind;
};

class Module;

struct Event {
  double time;
  uint64_t order;
  Module* module;
  Message* message;
  bool operator<(const Event& other) const { return time > other.time || (time == other.time && order > other.order); }
};

class Simulation {
 public:
  void Schedule(double delay, Module* module, Message* message) {
    events_.push({now_ + delay, order_++, module, message});
  }
  bool Next(Event* event) {
    if (events_.empty()) return false;
    *event = events_.top();
    events_.pop();
    now_ = event->time;
    return true;
  }
  double now() const { return now_; }

 private:
  std::priority_queue<Event> events_;
  double now_ = 0;
  uint64_t order_ = 0;
};

class Module {
 public:
  virtual ~Module() = default;
  virtual void Handle(Simulation*, Message*) = 0;
  void Connect(Module* module) { outputs_.push_back(module); }

 protected:
  Module* Output() const { return outputs_[static_cast<size_t>(Draw() * static_cast<double>(outputs_.size()))]; }
  std::vector<Module*> outputs_;
};

class Source : public Module {
 public:
  void Handle(Simulation* simulation, Message* tick) override {
    static const char* const kKinds[] = {"request", "reply", "a rather long name of a control message"};
    auto* message = new Message;
    message->born = simulation->now();
    message->kind = kKinds[static_cast<size_t>(Draw() * 3)];
    simulation->Schedule(0, Output(), message);
    simulation->Schedule(0.5 + Draw(), this, tick);
  }
};

class Queue : public Module {
 public:
  void Handle(Simulation* simulation, Message* message) override {
    if (message == nullptr) {  // served
      simulation->Schedule(0.01, Output(), waiting_.front());
      waiting_.pop_front();
      if (!waiting_.empty()) simulation->Schedule(0.2 * Draw(), this, nullptr);
      return;
    }
    ++message->hops;
    waiting_.push_back(message);
    if (waiting_.size() == 1) simulation->Schedule(0.2 * Draw(), this, nullptr);
  }

 private:
  std::deque<Message*> waiting_;
};

class Sink : public Module {
 public:
  void Handle(Simulation* simulation, Message* message) override {
    if (message->hops < 6) {
      simulation->Schedule(0.02, Output(), message);
      return;
    }
    total_ += simulation->now() - message->born;
    ++messages_;
    ++by_kind_[message->kind];
    delete message;
  }
  double Mean() const { return messages_ == 0 ? 0 : total_ / static_cast<double>(messages_); }

 private:
  double total_ = 0;
  uint64_t messages_ = 0;
  std::map<std::string, uint64_t> by_kind_;
};

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 10000;
  Simulation simulation;
  Sink sink;
  std::vector<std::unique_ptr<Queue>> queues;
  std::vector<std::unique_ptr<Source>> sources;
  for (int i = 0; i < 24; ++i) queues.push_back(std::make_unique<Queue>());
  for (int i = 0; i < 24; ++i) {
    queues[static_cast<size_t>(i)]->Connect(queues[static_cast<size_t>((i * 7 + 3) % 24)].get());
    queues[static_cast<size_t>(i)]->Connect(&sink);
    sink.Connect(queues[static_cast<size_t>(i)].get());
  }
  for (int i = 0; i < 8; ++i) {
    sources.push_back(std::make_unique<Source>());
    for (int k = 0; k < 3; ++k) sources.back()->Connect(queues[static_cast<size_t>((i * 3 + k) % 24)].get());
    simulation.Schedule(Draw(), sources.back().get(), nullptr);
  }
  Event event;
  for (long i = 0; i < count && simulation.Next(&event); ++i) event.module->Handle(&simulation, event.message);
  std::printf("%.6g\n", sink.Mean());
}
