// Working space of a thread in SupernodalFactor. Inside the room only.
#pragma once
#include "supple/linalg/front.h"
#include "supple/linalg/supernodal.h"

namespace supple {

template <typename T>
struct SupernodalFactor<T>::Workspace {
  Front<T> front;
  LineBuffer<T> arena;
  std::vector<Extension<T>> extensions;  // of the children of the front
  LineBuffer<T> local;                   // solves: the values of a front
};

template <typename T>
class SupernodalFactor<T>::Lease {
 public:
  explicit Lease(SupernodalFactor& owner) : owner_(owner) {
    const std::lock_guard lock(owner_.spare_mutex_);
    if (owner_.spare_.empty()) {
      space_ = std::make_unique<Workspace>();
    } else {
      space_ = std::move(owner_.spare_.back());
      owner_.spare_.pop_back();
    }
  }
  ~Lease() {
    const std::lock_guard lock(owner_.spare_mutex_);
    owner_.spare_.push_back(std::move(space_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Workspace& operator*() { return *space_; }

 private:
  SupernodalFactor& owner_;
  std::unique_ptr<Workspace> space_;
};

}  // namespace supple
