// A discrete event simulation of a network of queues, as 471.omnetpp does: virtual calls, a heap of events, allocation
// of messages.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

namespace {

struct Message {
  int hops;
  int size;
};

class Node;
struct Event {
  double time;
  uint64_t number;
  Node* node;
  Message* message;  // nullptr: the node's own timer
  bool operator<(const Event& other) const { return time != other.time ? time > other.time : number > other.number; }
};

class Simulation {
 public:
  void Schedule(double after, Node* node, Message* message) { events_.push({now_ + after, number_++, node, message}); }
  long Run(long limit);
  double Draw() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 40) / (1 << 24);
  }

 private:
  std::priority_queue<Event> events_;
  double now_ = 0;
  uint64_t number_ = 0;
  uint64_t state_ = 7;
};

class Node {
 public:
  Node(Simulation* simulation, std::vector<Node*> next) : simulation_(simulation), next_(std::move(next)) {}
  virtual ~Node() = default;
  virtual void Handle(Message* message) = 0;
  std::vector<Node*> next_;

 protected:
  void Send(Message* message, double after) {
    simulation_->Schedule(after, next_[static_cast<size_t>(simulation_->Draw() * static_cast<double>(next_.size()))],
                          message);
  }
  Simulation* simulation_;
};

class Source : public Node {
 public:
  using Node::Node;
  void Handle(Message* message) override {
    delete message;
    Send(new Message{0, 64 + static_cast<int>(simulation_->Draw() * 1400)}, 0.1);
    simulation_->Schedule(0.2 + simulation_->Draw(), this, nullptr);
  }
};

class Router : public Node {
 public:
  using Node::Node;
  void Handle(Message* message) override {
    if (message != nullptr) {
      if (++message->hops > 12) {
        delete message;
      } else {
        waiting_.push_back(message);
      }
    } else {
      is_busy_ = false;
    }
    if (is_busy_ || waiting_.empty()) return;
    Message* first = waiting_.front();
    waiting_.pop_front();
    is_busy_ = true;
    simulation_->Schedule(first->size * 1e-5, this, nullptr);
    Send(first, 0.01);
  }

 private:
  std::deque<Message*> waiting_;
  bool is_busy_ = false;
};

class Sink : public Node {
 public:
  using Node::Node;
  void Handle(Message* message) override {
    if (message != nullptr) bytes_ += message->size;
    delete message;
  }

 private:
  long bytes_ = 0;
};

long Simulation::Run(long limit) {
  long handled = 0;
  for (; handled < limit && !events_.empty(); ++handled) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    event.node->Handle(event.message);
  }
  return handled + static_cast<long>(now_);
}

}  // namespace

int main(int argc, char** argv) {
  const long limit = argc > 1 ? std::atol(argv[1]) : 3000000;
  Simulation simulation;
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 64; ++i) {
    if (i % 8 == 0) {
      nodes.push_back(std::make_unique<Source>(&simulation, std::vector<Node*>()));
    } else if (i % 8 == 7) {
      nodes.push_back(std::make_unique<Sink>(&simulation, std::vector<Node*>()));
    } else {
      nodes.push_back(std::make_unique<Router>(&simulation, std::vector<Node*>()));
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const size_t step : {size_t{1}, size_t{5}, size_t{11}}) {
      Node* next = nodes[(i + step) % nodes.size()].get();
      if (dynamic_cast<Source*>(next) == nullptr) nodes[i]->next_.push_back(next);
    }
    if (i % 8 == 0) simulation.Schedule(0.01 * static_cast<double>(i), nodes[i].get(), nullptr);
  }
  std::printf("%ld\n", simulation.Run(limit));
  return 0;
}
