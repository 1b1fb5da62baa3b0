// The instrument: a rod whose tip goes where the pointer is and pushes what it meets.
//
// The tip must not be inside the flesh. Each vertex j under it has a gap e_j along the rod, negative inside; forces
// f_j >= 0 are sought so that at the end of the step e_j + dt v_j >= 0, with v_j what the modes do there after the
// push: v_j + dt sum_k (sum_i phi_ij phi_ik / m_i) f_k, where v_j is the speed that the free step would leave. Solved
// by sweeps over the vertices; stable for every step length, since a force only takes away what would go deeper.
'use strict';
const live_tool = (() => {
  const MOST = 32, SWEEPS = 12;

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
      this.wanted = {point: hit.point, axis, most: this.deepest(live, hit, axis)};
      this.object.visible = true;
      if (first) {
        this.axis.copy(axis);
        this.follower.value = hit.point.clone().addScaledVector(axis, this.hover).toArray();
        this.follower.speed = [0, 0, 0];
      }
    }
    // How far a steady push there may go before a mode has bent by more than its pack is good for.
    deepest(live, {shape, vertex}, axis) {
      const bends = [];  // of a weight for a force of 1, against its limit
      let gives = 0;     // [m/N]
      for (const part of live.parts) {
        const phi = live.motion(part, shape.mesh, vertex);
        part.modes.forEach((mode, i) => {
          if (!(mode.mass > 0)) return;
          const along = phi[3 * i] * axis.x + phi[3 * i + 1] * axis.y + phi[3 * i + 2] * axis.z;
          const bend = along / (mode.mass * (2 * Math.PI * mode.frequency_hz * part.settings.frequency) ** 2);
          gives += along * bend;
          if (part.data.weight_limit > 0) bends.push(Math.abs(bend) / part.data.weight_limit);
        });
      }
      return bends.length && gives > 0 ? 0.6 * gives / (Math.max(...bends) * live.metres()) : Infinity;
    }
    // Moves the tip, then pushes. dt [s].
    step(dt, live, surface) {
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
      if (dt > 0) this.push(dt, tip, live, surface);
    }

    // Vertices under the tip that are not as deep as its end: {shape, vertex, gap [m]}, the deepest first. The surface
    // as last updated says which may be; where they are now is found one by one.
    touched(tip, live, surface) {
      const down = this.axis.clone().negate(), list = [], at = tip.clone(), metres = live.metres();
      const deepest = 2 * this.depth + 4 * this.radius;
      for (const shape of surface.shapes) {
        if (!shape.targets.length) continue;
        const x = shape.world, r = Math.max(this.radius, 1.3 * edge(shape)), near = r + this.depth;
        for (let v = 0; v < shape.count; ++v) {
          at.set(x[3 * v] - tip.x, x[3 * v + 1] - tip.y, x[3 * v + 2] - tip.z);
          const guess = at.dot(down);
          if (guess > near || guess < -deepest || at.lengthSq() - guess * guess > near * near) continue;
          live.vertex(shape.mesh, v, at).sub(tip);
          const along = at.dot(down), aside = at.lengthSq() - along * along;
          if (aside > r * r) continue;
          const gap = along + r - Math.sqrt(r * r - Math.max(0, aside));
          if (gap < 0.5 * r && gap > -deepest) list.push({shape, vertex: v, gap: gap * metres});
        }
      }
      return list.sort((a, b) => a.gap - b.gap).slice(0, MOST);
    }

    push(dt, tip, live, surface) {
      const down = this.axis.clone().negate(), list = this.touched(tip, live, surface);
      if (!list.length) return;
      // All modes that move these meshes as one list, each with the speed a free step would leave it and the speed that
      // a force on it of 1 adds over the step.
      const parts = live.parts.filter(p => p.meshes.some(m => list.some(t => t.shape.mesh === m.mesh)));
      const modes = parts.flatMap(p => p.prepare(dt).map((g, i) => {
        const on = p.swings(i) && p.modes[i].mass > 0, z = p.z[i] - p.hanging[2][i];
        return {amount: p.settings.amplitude, rate: on ? g.c * z + g.e * p.rate[i] : 0,
                gain: on ? Math.max(g.b, 0.1 * dt) / p.modes[i].mass : 0};
      }));
      for (const t of list) {
        t.row = Float64Array.from(parts.flatMap(p => {
          const phi = live.motion(p, t.shape.mesh, t.vertex);
          return p.modes.map((_, i) => phi[3 * i] * down.x + phi[3 * i + 1] * down.y + phi[3 * i + 2] * down.z);
        }));
        t.soft = modes.reduce((s, m, k) => s + m.amount * m.gain * t.row[k] * t.row[k], 0);
        t.force = 0;
      }
      const softest = Math.max(...list.map(t => t.soft)), soft = list.filter(t => t.soft > 0.02 * softest);
      for (let sweep = 0; sweep < SWEEPS; ++sweep)
        for (const t of soft) {
          const speed = modes.reduce((s, m, k) => s + m.amount * t.row[k] * m.rate, 0);
          const next = Math.max(0, t.force - (t.gap / dt + speed) / t.soft), by = next - t.force;
          t.force = next;
          modes.forEach((m, k) => { m.rate += m.gain * t.row[k] * by; });
        }
      for (const t of soft) {
        if (!(t.force > 0)) continue;
        this.force += t.force;
        live.poke(t.shape.mesh, t.vertex, down.clone().multiplyScalar(t.force));
      }
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
