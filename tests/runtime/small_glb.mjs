// A small .glb with live parts, for tests: a tube of rings along y, bent by two bones, whose upper half swings.

// options: modes (4), extraTargets before them (0), normals (true), skinned (true), unit (1), scale of the armature
// (1), rings, sides, height [m], radius [m], boneNames, more (merged into the part), gravity.
export function smallGlb(options = {}) {
  const o = {
    modes: 4,
    extraTargets: 0,
    normals: true,
    skinned: true,
    unit: 1,
    scale: 1,
    rings: 24,
    sides: 20,
    height: 1,
    radius: 0.2,
    boneNames: ['Root bone', 'Upper.bone 1'],
    more: {},
    gravity: [0, -9.81, 0],
    ...options
  };
  const n = o.rings * o.sides, per = 1 / (o.unit * o.scale);  // mesh units a metre
  const positions = new Float32Array(3 * n), normals = new Float32Array(3 * n), index = [];
  const joints = new Uint8Array(4 * n), weights = new Float32Array(4 * n);
  const at = (ring, side) => ring * o.sides + side % o.sides;
  for (let r = 0; r < o.rings; ++r)
    for (let s = 0; s < o.sides; ++s) {
      const v = at(r, s), y = r / (o.rings - 1), a = 2 * Math.PI * s / o.sides;
      const bulge = Math.sqrt(Math.max(0, 1 - (2 * y - 1) ** 6));
      positions.set(
          [o.radius * bulge * Math.cos(a) * per, o.height * y * per, o.radius * bulge * Math.sin(a) * per], 3 * v);
      normals.set([Math.cos(a), 0, Math.sin(a)], 3 * v);
      const w = Math.min(1, Math.max(0, 2 * y - 0.5));
      joints.set([0, 1, 0, 0], 4 * v);
      weights.set([1 - w, w, 0, 0], 4 * v);
      if (r + 1 < o.rings)
        index.push(at(r, s), at(r + 1, s), at(r, s + 1), at(r, s + 1), at(r + 1, s), at(r + 1, s + 1));
    }

  const chunks = [], views = [], accessors = [];
  let length = 0;
  const add = (array, type, componentType, more = {}) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
          size = {SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16}[type];
    views.push({buffer: 0, byteOffset: length, byteLength: bytes.length});
    accessors.push({bufferView: views.length - 1, componentType, count: array.length / size, type, ...more});
    chunks.push(bytes);
    length += bytes.length;
    const pad = (4 - length % 4) % 4;
    if (pad) chunks.push(new Uint8Array(pad)), length += pad;
    return accessors.length - 1;
  };
  const bounds = array => {
    const min = [0, 1, 2].map(k => Math.min(...array.filter((_, i) => i % 3 === k)));
    const max = [0, 1, 2].map(k => Math.max(...array.filter((_, i) => i % 3 === k)));
    return {min, max};
  };

  // Modes: waves up the tube across x and z in turn; targets before them squeeze it.
  const targets = [], names = [], parts = [];
  const addTarget = (name, move) => {
    const dp = new Float32Array(3 * n), dn = new Float32Array(3 * n);
    for (let v = 0; v < n; ++v) {
      const [p, q] = move(positions[3 * v + 1] / (o.height * per), normals[3 * v], normals[3 * v + 2]);
      dp.set(p.map(x => x * per), 3 * v), dn.set(q, 3 * v);
    }
    const t = {POSITION: add(dp, 'VEC3', 5126, bounds(dp))};
    if (o.normals) t.NORMAL = add(dn, 'VEC3', 5126);
    targets.push(t), names.push(name);
  };
  for (let k = 0; k < o.extraTargets; ++k)
    addTarget('squeeze ' + k, (y, x, z) => [[-0.1 * o.radius * x, 0, -0.1 * o.radius * z], [0, 0, 0]]);
  const modes = [];
  for (let i = 0; i < o.modes; ++i) {
    const waves = 1 + (i >> 1), across = i % 2 ? 2 : 0, name = 'tube ' + (i + 1), reach = 0.1 * o.radius;
    addTarget(name, y => {
      const s = y <= 0.45 ? 0 : Math.sin(0.5 * Math.PI * waves * (y - 0.45) / 0.55), d = [0, 0, 0], m = [0, 0, 0];
      d[across] = reach * s;
      m[1] = y <= 0.45 ? 0 : -0.3 * s;
      return [d, m];
    });
    const transfer = [0, 0, 0, 0, 0, 0];
    transfer[3 + across] = -4 / (waves * reach) * 0.2;
    transfer[across ? 0 : 2] = (across ? -1 : 1) * 0.3 * transfer[3 + across];
    modes.push({name, frequency_hz: 3 + 1.7 * i, decay: 1.5 + 0.3 * i, mass: 0.002, reach, share: 1 / (i + 1.5),
                correction: false, transfer, centrifugal: [0, 0, 0, 0, 0, 0]});
  }
  parts.push({
    name: 'tube',
    bone: o.boneNames[1],
    node: 2,
    rest_gravity: [0, 0, 0],
    size: o.height,
    cut_m: 0.5,
    cut_rad: 1.5,
    force_limit: 0,
    angular_force_limit: 0,
    weight_limit: 0,
    dials: {frequency: 1, amplitude: 1, sag: 1, half_life: 1, motion: 'impulse'},
    targets: [{mesh: 0, first: o.extraTargets}],
    modes,
    ...o.more
  });

  const half = 0.5 * o.height * per;
  const inverse = y => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1];
  const primitive = {
    attributes: {POSITION: add(positions, 'VEC3', 5126, bounds(positions)), NORMAL: add(normals, 'VEC3', 5126)},
    indices: add(new Uint16Array(index), 'SCALAR', 5123),
    targets,
    material: 0
  };
  if (o.skinned) {
    primitive.attributes.JOINTS_0 = add(joints, 'VEC4', 5121);
    primitive.attributes.WEIGHTS_0 = add(weights, 'VEC4', 5126);
  }
  const json = {
    asset: {version: '2.0', generator: 'test'},
    scene: 0,
    scenes: [{nodes: [0]}],
    nodes: [
      {name: 'Armature', scale: [o.scale, o.scale, o.scale], children: o.skinned ? [1, 3] : [1]},
      {name: o.boneNames[0], children: [2]}, {name: o.boneNames[1], translation: [0, half, 0]}
    ],
    meshes: [{name: 'tube', primitives: [primitive], extras: {targetNames: names}, weights: names.map(() => 0)}],
    materials: [{
      pbrMetallicRoughness: {baseColorFactor: [0.8, 0.5, 0.42, 1], metallicFactor: 0, roughnessFactor: 0.7},
      doubleSided: true
    }],
    buffers: [{byteLength: 0}],
    bufferViews: views,
    accessors,
    extras: {supple_live: {version: 1, generator: 'test', unit: o.unit, gravity: o.gravity, parts}},
  };
  if (o.skinned) {
    json.nodes.push({name: 'Tube mesh', mesh: 0, skin: 0});
    json.skins =
        [{joints: [1, 2], inverseBindMatrices: add(new Float32Array([...inverse(0), ...inverse(half)]), 'MAT4', 5126)}];
    // A clip that bends the upper bone to and fro once a second.
    const times = Float32Array.from({length: 61}, (_, k) => k / 60);
    const turns = new Float32Array(4 * 61);
    times.forEach((t, k) => {
      const a = 0.25 * Math.sin(2 * Math.PI * t);
      turns.set([0, 0, Math.sin(a / 2), Math.cos(a / 2)], 4 * k);
    });
    json.animations = [{
      name: 'sway',
      samplers: [{input: add(times, 'SCALAR', 5126, {min: [0], max: [1]}), output: add(turns, 'VEC4', 5126)}],
      channels: [{sampler: 0, target: {node: 2, path: 'rotation'}}]
    }];
  } else {
    json.nodes[1].mesh = 0;
    json.nodes[1].children = undefined;
    json.nodes.length = 2;
    parts[0].node = 1, parts[0].bone = o.boneNames[0];
  }
  json.buffers[0].byteLength = length;

  const text = new TextEncoder().encode(JSON.stringify(json)), textLength = Math.ceil(text.length / 4) * 4;
  const out = new Uint8Array(12 + 8 + textLength + 8 + length), view = new DataView(out.buffer);
  [0x46546c67, 2, out.length, textLength, 0x4e4f534a].forEach((x, k) => view.setUint32(4 * k, x, true));
  out.fill(32, 20, 20 + textLength);
  out.set(text, 20);
  view.setUint32(20 + textLength, length, true);
  view.setUint32(24 + textLength, 0x004e4942, true);
  let to = 28 + textLength;
  for (const c of chunks) out.set(c, to), to += c.length;
  return out;
}
