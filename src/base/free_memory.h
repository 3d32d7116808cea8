// Freeing what a container holds, as assigning an empty one does not.
#pragma once

namespace kith {

// Leaves the container empty and without room. A string to which an empty one is assigned keeps its
// room, and so does a vector after `= {}`.
template <class Container>
void free_memory(Container& container) {
  Container().swap(container);
}

}  // namespace kith
