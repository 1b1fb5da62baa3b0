// What takes part in contact, put together.
#pragma once
#include <string>

#include "supple/contact/contact_surface.h"
#include "supple/mesh/embedding.h"

namespace supple {

// The boundary of some tets of the model, its points the tets' own vertices. Returns the number of the new body.
int add_boundary(ContactSpec& spec, const std::vector<Tet>& tets, const std::string& name);
// A drawn surface that tets of the model carry. Points at one place at rest (seams of a drawing) become one.
int add_surface(ContactSpec& spec, const TriMesh& surface, const Embedding& embedding, const std::vector<Tet>& tets,
                const std::string& name);
// For every point the first one at the same place.
std::vector<int> first_of_place(const Points& points);
// Which vertices of such a surface become points, in the order of the points.
std::vector<int> surface_points(const Points& vertices);
// A mesh that goes its own way.
int add_obstacle(ContactSpec& spec, const TriMesh& mesh, const std::string& name);

}  // namespace supple
