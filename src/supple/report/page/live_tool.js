// The instrument: a rod whose tip goes where the pointer is and pushes what it meets.
//
// What is under the tip is a patch of vertices, as one point: their mean place, weighted by how near the middle they
// are. The tip must not be inside of it. With e the gap along the rod, negative inside, a force f >= 0 is sought so
// that at the end of the step e + dt v >= 0: v is the speed there that a free step would leave, plus f sum_i b_i
// phi_i^2 / m_i with b_i the speed that a force of 1 on mode i adds over the step. For one mode of angular frequency w
// this dies out as long as tan(w dt / 2) < w dt: up to 70 Hz at the 200 steps a second that the page takes. A patch
// rather than many vertices because a few modes cannot take the shape of the tip, and would go to great lengths to try.
'use strict';
const live_tool = (() => {
  const LARGEST = 0.07;  // of a part's size: the farthest that a push moves anything

  class Rod {
    constructor(THREE, size) {
      const steel = new THREE.MeshPhongMaterial({color: 0xaeb6bf, specular: 0xffffff, shininess: 90});
      this.THREE = THREE;
      this.radius = 0.03 * size;
      this.object = new THREE.Group();
      const long = 0.9 * size,
            shaft =
                new THREE.Mesh(new THREE.CylinderBufferGeometry(0.6 * this.radius, 0.6 * this.radius, long, 24), steel);
      const tip = new THREE.Mesh(new THREE.SphereBufferGeometry(this.radius, 32, 24), steel);
      const grip = new THREE.Mesh(
          new THREE.CylinderBufferGeometry(1.1 * this.radius, 1.1 * this.radius, 0.5 * long, 24),
          new THREE.MeshPhongMaterial({color: 0x2d6cdf, specular: 0x333333, shininess: 40}));
      tip.position.y = this.radius;
      shaft.position.y = this.radius + long / 2;
      grip.position.y = this.radius + 0.85 * long;
      for (const part of [shaft, tip, grip]) part.castShadow = true, this.object.add(part);
      this.object.visible = false;
      this.pressed = false;
      this.depth = 0.06 * size;
      this.hover = 0.05 * size;
      this.follower = new live_motion.Follower(18);
      this.axis = new THREE.Vector3(0, 1, 0);
      this.wanted = null;  // {point, axis} on the undisturbed surface
      this.force = 0;      // [N]
    }
    aim(hit, eye, live) {
      if (!hit) return void (this.wanted = null);
      const towards = eye.clone().sub(hit.point).normalize();
      const axis = hit.normal.clone().multiplyScalar(0.8).addScaledVector(towards, 0.2).normalize();
      const first = !this.wanted && !this.object.visible;
      const patch = this.patch(hit), row = this.row(live, patch, axis);
      this.wanted = {point: hit.point, axis, patch, most: this.deepest(live, patch, row)};
      this.object.visible = true;
      if (first) {
        this.axis.copy(axis);
        this.follower.value = hit.point.clone().addScaledVector(axis, this.hover).toArray();
        this.follower.speed = [0, 0, 0];
      }
    }
    // Vertices around a place of the surface as last updated, and their weights.
    patch({shape, point}) {
      const x = shape.world, r = Math.max(this.radius, 1.5 * edge(shape)), vertices = [], weights = [];
      for (let v = 0; v < shape.count; ++v) {
        const d = ((x[3 * v] - point.x) ** 2 + (x[3 * v + 1] - point.y) ** 2 + (x[3 * v + 2] - point.z) ** 2) / (r * r);
        if (d < 1) vertices.push(v), weights.push((1 - d) ** 2);
      }
      const sum = weights.reduce((a, b) => a + b, 0);
      return {shape, vertices, weights: weights.map(w => w / sum), radius: r};
    }
    // What a weight of 1 of each mode, all parts in turn, does to a patch along a direction [m].
    row(live, {shape, vertices, weights}, direction) {
      return live.parts.map(part => {
        const out = new Float64Array(part.modes.length);
        vertices.forEach((v, j) => {
          const phi = live.motion(part, shape.mesh, v);
          for (let i = 0; i < out.length; ++i)
            out[i] +=
                weights[j] * (phi[3 * i] * direction.x + phi[3 * i + 1] * direction.y + phi[3 * i + 2] * direction.z);
        });
        return out;
      });
    }
    // How deep a steady push there may go: no weight beyond its pack's limit, and nothing, wherever it is, by more than
    // a share of the part; a place that few modes move is held by what they do elsewhere.
    deepest(live, {shape, vertices}, row) {
      let gives = 0, worst = 0;  // [m/N], and what counts against the limits for a force of 1
      const far = new Float32Array(shape.base.length);  // mesh units
      live.parts.forEach((part, n) => {
        const at = part.meshes.find(m => m.mesh === shape.mesh);
        if (!at || !vertices.length) return;
        part.modes.forEach((mode, i) => {
          if (!(mode.mass > 0)) return;
          const bend = row[n][i] / (mode.mass * (2 * Math.PI * mode.frequency_hz * part.settings.frequency) ** 2);
          const target = shape.targets[at.first + i];
          gives += row[n][i] * bend;
          if (part.data.weight_limit > 0) worst = Math.max(worst, Math.abs(bend) / (0.6 * part.data.weight_limit));
          for (let k = 0; k < target.length; ++k) far[k] += bend * target[k];
        });
        const unit = live.metres() * Math.cbrt(Math.abs(live.skin(shape.mesh, vertices[0]).determinant()));
        for (let k = 0; k < far.length; k += 3)
          worst = Math.max(worst, unit * Math.hypot(far[k], far[k + 1], far[k + 2]) / (LARGEST * part.data.size));
      });
      return gives > 0 && worst > 0 ? gives / (worst * live.metres()) : Infinity;
    }
    // Moves the tip, then pushes. dt [s].
    step(dt, live) {
      this.force = 0;
      if (!this.object.visible) return;
      if (this.wanted) {
        const away = this.pressed ? -Math.min(this.depth, this.wanted.most) : this.hover;
        this.follower.target = this.wanted.point.clone().addScaledVector(this.wanted.axis, away).toArray();
        this.axis.lerp(this.wanted.axis, 1 - Math.exp(-18 * dt)).normalize();
      }
      const tip = new this.THREE.Vector3().fromArray(this.follower.step(dt));
      this.object.position.copy(tip);
      this.object.quaternion.setFromUnitVectors(new this.THREE.Vector3(0, 1, 0), this.axis);
      if (dt > 0 && this.wanted) this.push(dt, tip, live);
    }

    push(dt, tip, live) {
      const {patch} = this.wanted, down = this.axis.clone().negate(), at = tip.clone().negate(), one = tip.clone();
      patch.vertices.forEach((v, j) => at.addScaledVector(live.vertex(patch.shape.mesh, v, one), patch.weights[j]));
      const along = at.dot(down), aside = Math.sqrt(Math.max(0, at.lengthSq() - along * along));
      if (!patch.vertices.length || aside > 4 * patch.radius + this.depth) return;  // it has moved away under the rod
      let speed = along * live.metres() / dt, soft = 0;
      const row = this.row(live, patch, down);
      live.parts.forEach((part, n) => part.prepare(dt).forEach((g, i) => {
        if (!part.swings(i) || !(part.modes[i].mass > 0)) return;
        const phi = part.settings.amplitude * row[n][i];
        speed += phi * (g.c * (part.z[i] - part.hanging[2][i]) + g.e * part.rate[i]);
        soft += phi * row[n][i] * Math.max(g.b, 0.1 * dt) / part.modes[i].mass;
      }));
      this.force = soft > 0 ? Math.max(0, -speed / soft) : 0;
      if (!this.force) return;
      const force = down.multiplyScalar(this.force);
      patch.vertices.forEach((v, j) => live.poke(patch.shape.mesh, v, force.clone().multiplyScalar(patch.weights[j])));
    }
  }

  // Mean edge of a shape in the world; measured once.
  function edge(shape) {
    if (!shape.edge) {
      const x = shape.world, tri = shape.index, n = Math.min(tri.length, 3000);
      let sum = 0;
      for (let i = 0; i + 2 < n; i += 3)
        sum += Math.hypot(...[0, 1, 2].map(k => x[3 * tri[i] + k] - x[3 * tri[i + 1] + k])) / (n / 3);
      shape.edge = sum || 1e-6;
    }
    return shape.edge;
  }

  return {Rod};
})();
