// The drawn surface of a live model on the processor: for picking, for the instrument and for what the page measures.
'use strict';
const live_surface = (() => {
  const flat = (attribute, n) => {
    const out = new Float32Array(n * attribute.count), get = ['getX', 'getY', 'getZ', 'getW'].slice(0, n);
    for (let v = 0; v < attribute.count; ++v) get.forEach((g, k) => { out[n * v + k] = attribute[g](v); });
    return out;
  };

  class Shape {
    constructor(live, mesh) {
      const g = mesh.geometry, targets = live.targets.get(mesh);
      this.mesh = mesh;
      this.base = flat(g.attributes.position, 3);
      this.count = this.base.length / 3;
      this.targets = targets ? targets.position.map(t => t === g.attributes.position ? [] : flat(t, 3)) : [];
      this.index = g.index ? Uint32Array.from(g.index.array) : Uint32Array.from({length: this.count}, (_, i) => i);
      this.joints = mesh.isSkinnedMesh ? flat(g.attributes.skinIndex, 4) : null;
      this.weights = mesh.isSkinnedMesh ? flat(g.attributes.skinWeight, 4) : null;
      this.local = new Float32Array(this.base.length);
      this.world = new Float32Array(this.base.length);
    }
    // influences: weights of the targets, null for the shape as drawn.
    update(THREE, influences) {
      const x = this.local, mesh = this.mesh;
      x.set(this.base);
      if (influences)
        this.targets.forEach((t, i) => {
          const w = influences[i];
          if (w) for (let k = 0; k < t.length; ++k) x[k] += w * t[k];
        });
      const matrices = [];
      if (this.joints) {
        const left = new THREE.Matrix4().multiplyMatrices(mesh.matrixWorld, mesh.bindMatrixInverse);
        mesh.skeleton.bones.forEach((bone, j) => {
          matrices.push(new THREE.Matrix4().multiplyMatrices(bone.matrixWorld, mesh.skeleton.boneInverses[j])
                            .multiply(mesh.bindMatrix).premultiply(left).elements);
        });
      }
      const m = new Float64Array(16), out = this.world;
      if (!this.joints) m.set(mesh.matrixWorld.elements);
      for (let v = 0; v < this.count; ++v) {
        if (this.joints) {
          m.fill(0);
          let total = 0;
          for (let k = 4 * v; k < 4 * v + 4; ++k) total += this.weights[k];
          for (let k = 4 * v; k < 4 * v + 4; ++k) {
            const w = this.weights[k] / (total || 1), e = matrices[this.joints[k]];
            if (w) for (let c = 0; c < 16; ++c) m[c] += w * e[c];
          }
        }
        const a = x[3 * v], b = x[3 * v + 1], c = x[3 * v + 2];
        for (let k = 0; k < 3; ++k) out[3 * v + k] = m[k] * a + m[4 + k] * b + m[8 + k] * c + m[12 + k];
      }
    }
  }

  class Surface {
    constructor(THREE, live, root) {
      this.THREE = THREE;
      this.live = live;
      this.shapes = [];
      root.traverse(o => { if (o.isMesh) this.shapes.push(new Shape(live, o)); });
    }
    // how: 'now' (as drawn this moment), 'hanging' (without swinging), 'plain' (no targets).
    update(how = 'now') {
      for (const shape of this.shapes) {
        let w = how === 'plain' ? null : shape.mesh.morphTargetInfluences;
        if (how === 'hanging' && w) {
          w = w.slice();
          for (const part of this.live.parts)
            for (const {mesh, first} of part.meshes)
              if (mesh === shape.mesh) part.hanging[2].forEach((x, i) => { w[first + i] = x; });
        }
        shape.update(this.THREE, w);
      }
      return this;
    }
    box() {
      const box = new this.THREE.Box3();
      for (const {world} of this.shapes)
        for (let k = 0; k < world.length; k += 3)
          box.expandByPoint(new this.THREE.Vector3(world[k], world[k + 1], world[k + 2]));
      return box;
    }
    // The nearest triangle that a ray meets, as last updated; null for none.
    hit(ray) {
      const {Vector3} = this.THREE, a = new Vector3(), b = new Vector3(), c = new Vector3(), at = new Vector3();
      let best = null, far = Infinity;
      for (const shape of this.shapes) {
        const x = shape.world, tri = shape.index;
        for (let i = 0; i + 2 < tri.length; i += 3) {
          a.fromArray(x, 3 * tri[i]), b.fromArray(x, 3 * tri[i + 1]), c.fromArray(x, 3 * tri[i + 2]);
          if (!ray.intersectTriangle(a, b, c, false, at)) continue;
          const d = at.distanceToSquared(ray.origin);
          if (d < far) far = d, best = {shape, corners: [tri[i], tri[i + 1], tri[i + 2]], point: at.clone()};
        }
      }
      if (!best) return null;
      best.normal = this.normal(best.shape, best.point, Math.sqrt(far) * 0.01, ray.direction);
      best.vertex = best.corners.map(v => [new Vector3().fromArray(best.shape.world, 3 * v).distanceTo(best.point), v])
          .sort((p, q) => p[0] - q[0])[0][1];
      return best;
    }
    // Mean normal of the triangles around a place, towards the viewer.
    normal(shape, point, radius, direction) {
      const {Vector3} = this.THREE, x = shape.world, tri = shape.index, a = new Vector3(), b = new Vector3();
      const c = new Vector3(), sum = new Vector3();
      for (let grow = 1; grow < 300 && sum.lengthSq() === 0; grow *= 2)
        for (let i = 0; i + 2 < tri.length; i += 3) {
          a.fromArray(x, 3 * tri[i]), b.fromArray(x, 3 * tri[i + 1]), c.fromArray(x, 3 * tri[i + 2]);
          if (a.distanceTo(point) > 4 * radius * grow) continue;
          const n = b.sub(a).cross(c.sub(a));
          if (n.dot(direction) < 0) sum.add(n);
        }
      return sum.lengthSq() ? sum.normalize() : direction.clone().negate();
    }
  }

  // The vertex of a part that moves most for its modes as they are excited: {mesh, vertex, motion}, motion as of
  // live.motion: x y z [m] a mode.
  function probe(live, part) {
    let best = null, most = -1;
    for (const {mesh, first} of part.meshes) {
      const targets = live.targets.get(mesh).position;
      for (let v = 0; v < mesh.geometry.attributes.position.count; ++v) {
        let sum = 0;
        part.modes.forEach((mode, i) => {
          const t = targets[first + i];
          sum += (mode.share || 1e-3) * (t.getX(v) ** 2 + t.getY(v) ** 2 + t.getZ(v) ** 2);
        });
        if (sum > most) most = sum, best = {mesh, vertex: v};
      }
    }
    return Object.assign(best, {motion: live.motion(part, best.mesh, best.vertex)});
  }

  return {Surface, probe};
})();
