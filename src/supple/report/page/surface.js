// What report.html draws of a motion: the surface, in its own colours or by how far it moved, and the input's edges.
'use strict';
const supple_surface = about => {
  const HEAT = [[0xc6, 0xcc, 0xd2], [0xf0, 0xc8, 0x50], [0xe4, 0x66, 0x2a], [0x86, 0x10, 0x30]];  // sRGB
  const SOFT = [[0x82, 0x94, 0xa6], [0xcd, 0xbe, 0xa0], [0xf2, 0xa0, 0x40], [0xdc, 0x38, 0x28]];
  const NO_FLESH = [0xd6, 0xd6, 0xd2];
  const linear = byte => Math.pow(byte / 255, 2.2);
  const HEAT_LINEAR = HEAT.map(c => c.map(linear));

  function soft_color(byte) {
    if (byte === 255) return NO_FLESH;
    const s = byte / 254 * (SOFT.length - 1), k = Math.min(SOFT.length - 2, Math.floor(s));
    return SOFT[k].map((low, c) => low + (s - k) * (SOFT[k + 1][c] - low));
  }
  // Far apart for numbers that are close.
  function region_color(k) {
    const hue = (k * 0.6180339887 + 0.05) % 1, light = [0.56, 0.42, 0.68][k % 3], chroma = 0.62;
    const part = shift => {
      const h = (hue + shift) % 1, up = Math.min(1, Math.max(0, Math.abs(6 * h - 3) - 1));
      return 255 * (light + chroma * (up - 0.5) * (1 - Math.abs(2 * light - 1)));
    };
    return [part(0), part(2 / 3), part(1 / 3)];
  }

  // Positions between two frames, x y z a point, in the units of the file.
  function blend(out, a, b, t) {
    const step = about.step, low = about.low;
    for (let i = 0; i < out.length; i += 3) {
      out[i] = low[0] + step * (a[i] + t * (b[i] - a[i]));
      out[i + 1] = low[1] + step * (a[i + 1] + t * (b[i + 1] - a[i + 1]));
      out[i + 2] = low[2] + step * (a[i + 2] + t * (b[i + 2] - a[i + 2]));
    }
  }

  // The surface. Normals are those of the shape as it is now, one a shade.
  class Surface {
    constructor(motion) {
      this.motion = motion;
      this.changed = () => {};
      this.pictures = [];
      const n = about.vertices;
      this.points = new Float32Array(3 * about.points);
      this.shade_normals = new Float32Array(3 * about.shades);
      const g = this.geometry = new THREE.BufferGeometry();
      g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * n), 3));
      g.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * n), 3));
      this.painted = null;  // what the colours tell instead of the materials
      this.heat = new THREE.BufferAttribute(new Float32Array(3 * n), 3);
      this.colors = motion.colors && new THREE.BufferAttribute(Float32Array.from(motion.colors, linear), 3);
      g.setAttribute('color', this.colors || this.heat);
      if (motion.uvs) g.setAttribute('uv', new THREE.BufferAttribute(motion.uvs, 2));
      g.setIndex(new THREE.BufferAttribute(Uint32Array.from(motion.triangles), 1));
      let first = 0;
      this.materials = about.looks.map((look, i) => {
        g.addGroup(first, 3 * look.triangles, i);
        first += 3 * look.triangles;
        return this.material(look);
      });
      this.hot = new THREE.MeshStandardMaterial(Object.assign(this.common(), {vertexColors: THREE.VertexColors}));
      this.mesh = new THREE.Mesh(g, this.materials);
      this.mesh.castShadow = true;
      this.mesh.frustumCulled = false;
    }
    common() {  // lines on the surface are not to flicker
      return {roughness: 0.85, metalness: 0, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1,
              polygonOffsetUnits: 1};
    }
    material(look) {
      const m = new THREE.MeshStandardMaterial(this.common());
      m.color.setRGB(look.color[0], look.color[1], look.color[2]);
      if (this.colors) m.vertexColors = THREE.VertexColors;
      if (look.opacity < 1) m.transparent = true, m.opacity = Math.max(0.15, look.opacity);
      if (look.cut_out > 0) m.alphaTest = look.cut_out;
      if (look.picture >= 0) m.map = this.picture(look.picture);
      return m;
    }
    picture(k) {
      if (this.pictures[k]) return this.pictures[k];
      const image = new Image(), t = this.pictures[k] = new THREE.Texture(image);
      t.encoding = THREE.sRGBEncoding;
      t.flipY = false;
      t.wrapS = t.wrapT = THREE.RepeatWrapping;
      image.onload = () => { t.needsUpdate = true; this.changed(); };
      image.src = about.pictures[k];
      return t;
    }
    // what: null, 'heat', 'soft' or 'regions'.
    show(what) {
      this.painted = what;
      this.mesh.material = what ? this.hot : this.materials;
      this.geometry.setAttribute('color', what || !this.colors ? this.heat : this.colors);
      if (what === 'soft') this.fill(v => soft_color(this.motion.softness[v]));
      if (what === 'regions') this.fill(v => this.motion.regions[v] ? region_color(this.motion.regions[v] - 1) : NO_FLESH);
    }
    fill(color) {
      const out = this.heat.array;
      for (let v = 0; v < about.vertices; ++v) out.set(color(v).map(linear), 3 * v);
      this.heat.needsUpdate = true;
    }
    update(a, b, t, input) {
      blend(this.points, a.result, b.result, t);
      const p = this.points, of = this.motion.points, x = this.geometry.attributes.position.array;
      for (let v = 0; v < of.length; ++v) {
        const from = 3 * of[v], to = 3 * v;
        x[to] = p[from], x[to + 1] = p[from + 1], x[to + 2] = p[from + 2];
      }
      this.turn_normals(x);
      this.geometry.attributes.position.needsUpdate = this.geometry.attributes.normal.needsUpdate = true;
      return this.painted === 'heat' ? this.paint(p, input) : 0;
    }
    turn_normals(x) {
      const sum = this.shade_normals.fill(0), shade = this.motion.shades, tri = this.motion.triangles;
      for (let i = 0; i < tri.length; i += 3) {
        const a = 3 * tri[i], b = 3 * tri[i + 1], c = 3 * tri[i + 2];
        const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
        const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
        const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        for (let k = 0; k < 3; ++k) {
          const s = 3 * shade[tri[i + k]];
          sum[s] += nx, sum[s + 1] += ny, sum[s + 2] += nz;
        }
      }
      const out = this.geometry.attributes.normal.array;
      for (let v = 0; v < shade.length; ++v) {
        const s = 3 * shade[v], long = Math.hypot(sum[s], sum[s + 1], sum[s + 2]) || 1;
        out[3 * v] = sum[s] / long, out[3 * v + 1] = sum[s + 1] / long, out[3 * v + 2] = sum[s + 2] / long;
      }
    }
    // Colours by distance from the input; returns the largest [m].
    paint(p, input) {
      const of = this.motion.points, out = this.heat.array, end = (about.heat_m || 1) / about.metres;
      let most = 0;
      for (let v = 0; v < of.length; ++v) {
        const i = 3 * of[v], d = Math.hypot(p[i] - input[i], p[i + 1] - input[i + 1], p[i + 2] - input[i + 2]);
        if (d > most) most = d;
        const s = Math.min(1, d / end) * (HEAT.length - 1), k = Math.min(HEAT.length - 2, Math.floor(s)), f = s - k;
        const low = HEAT_LINEAR[k], high = HEAT_LINEAR[k + 1];
        for (let c = 0; c < 3; ++c) out[3 * v + c] = low[c] + f * (high[c] - low[c]);
      }
      this.heat.needsUpdate = true;
      return most * about.metres;
    }
  }

  // The input's edges: plain in front, faint behind the surface.
  class Wire {
    constructor(motion) {
      const seen = new Set(), index = [], n = about.points, of = motion.points, tri = motion.triangles;
      for (let i = 0; i < tri.length; i += 3)
        for (let k = 0; k < 3; ++k) {
          const a = of[tri[i + k]], b = of[tri[i + (k + 1) % 3]], key = Math.min(a, b) * n + Math.max(a, b);
          if (a !== b && !seen.has(key)) seen.add(key), index.push(a, b);
        }
      this.edge = 0;
      this.points = new Float32Array(3 * n);
      this.geometry = new THREE.BufferGeometry();
      this.geometry.setAttribute('position', new THREE.BufferAttribute(this.points, 3));
      this.geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(index), 1));
      this.index = index;
      this.group = new THREE.Group();
      const color = new THREE.Color(0x1d4fa8).convertSRGBToLinear();
      this.lines = [false, true].map(front => {
        const lines = new THREE.LineSegments(this.geometry, new THREE.LineBasicMaterial(
            {color, transparent: true, depthTest: front, depthWrite: false}));
        lines.frustumCulled = false;
        lines.renderOrder = front ? 2 : 1;
        this.group.add(lines);
        return lines;
      });
    }
    // Lines that are closer than a few pixels would cover what they lie on. pixel: its width at the surface.
    suit(pixel) {
      if (!this.edge) {
        const x = this.points, e = this.index;
        for (let i = 0; i < e.length; i += 2)
          this.edge += Math.hypot(...[0, 1, 2].map(a => x[3 * e[i] + a] - x[3 * e[i + 1] + a])) / (e.length / 2);
      }
      const opacity = Math.min(0.6, Math.max(0.04, 0.05 * this.edge / pixel));
      this.lines[0].material.opacity = 0.22 * opacity;
      this.lines[1].material.opacity = opacity;
    }
    update(a, b, t) {
      blend(this.points, a.input, b.input, t);
      this.geometry.attributes.position.needsUpdate = true;
    }
  }

  return {Surface, Wire, HEAT, SOFT, region_color};
};
