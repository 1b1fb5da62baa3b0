// Live soft parts of a model loaded by three.js's GLTFLoader: reads its bones, steps the parts, writes the weights.
import {LivePart} from './part.js';
import {Deformer, restore, threeDraws} from './deform.js';

const plainName = name => name.replace(/\s/g, '_').replace(/[[\].:/]/g, '');  // as three renames nodes

function packOf(gltf) {
  const extras = (gltf.parser && gltf.parser.json && gltf.parser.json.extras) || gltf.userData || {};
  const pack = extras.supple_live;
  if (!pack) throw new Error('no live parts in this file: its extras have no supple_live');
  if (pack.version !== 1) throw new Error(`live parts of version ${pack.version}: this runtime reads version 1`);
  if (!Array.isArray(pack.parts)) throw new Error('supple_live has no list of parts');
  return pack;
}

// three's object of each node of the file, by index. Loaders without `associations` (before r121) tell only later:
//   attach(THREE, gltf, {nodes: await nodesOf(gltf)})
export async function nodesOf(gltf) {
  const nodes = new Map(), defs = gltf.parser.json.nodes || [];
  await Promise.all(defs.map((_, i) => gltf.parser.getDependency('node', i).then(o => nodes.set(i, o))));
  // The loader makes objects anew for nodes outside of the scene; only those inside count.
  const inside = new Set();
  gltf.scene.traverse(o => inside.add(o));
  for (const [i, object] of nodes) if (!inside.has(object)) nodes.delete(i);
  return nodes;
}

function associated(gltf) {
  const nodes = new Map(), known = gltf.parser && gltf.parser.associations;
  if (known)
    gltf.scene.traverse(o => {
      const of = known.get(o);
      const index = of && (of.nodes ?? (of.type === 'nodes' ? of.index : undefined));
      if (index !== undefined && !nodes.has(index)) nodes.set(index, o);
    });
  return nodes;
}

// The same place in a copy of the scene.
function inCopy(nodes, scene, copy) {
  const twin = new Map();
  (function walk(a, b) {
    twin.set(a, b);
    for (let k = 0; k < Math.min(a.children.length, b.children.length); ++k) walk(a.children[k], b.children[k]);
  })(scene, copy);
  return new Map([...nodes].filter(([, o]) => twin.has(o)).map(([i, o]) => [i, twin.get(o)]));
}

function named(root, name) {
  let found = null;
  root.traverse(o => {
    if (!found && (o.userData.name === name || o.name === name || o.name === plainName(name))) found = o;
  });
  return found;
}

// A tool that wrote the file anew may have counted its nodes otherwise: the index holds where the name agrees.
function boneOf(gltf, root, nodes, {node, bone}) {
  const defs = (gltf.parser && gltf.parser.json && gltf.parser.json.nodes) || [];
  const fits = i => defs[i] && (!bone || defs[i].name === bone);
  const index = fits(node) || (defs[node] && !defs[node].name) ? node : defs.findIndex((_, i) => bone && fits(i));
  return nodes.get(index) || (bone ? named(root, bone) : null);
}

// Meshes of glTF mesh `index` with their first target; by the targets' names where those say otherwise.
function meshesOf(gltf, root, nodes, part, {mesh: index, first}) {
  const json = (gltf.parser && gltf.parser.json) || {}, known = new Set(nodes.values()), out = [];
  const def = json.meshes && json.meshes[index], names = def && def.extras && def.extras.targetNames;
  if (def && (!names || names[first] === part.modes[0].name))
    (json.nodes || []).forEach((node, i) => {
      if (node.mesh !== index || !nodes.has(i)) return;
      (function walk(o) {
        if (o.isMesh) out.push({mesh: o, first});
        for (const child of o.children) if (!known.has(child)) walk(child);
      })(nodes.get(i));
    });
  if (!out.length)
    root.traverse(o => {
      const at = o.isMesh && o.morphTargetDictionary && o.morphTargetDictionary[part.modes[0].name];
      if (Number.isInteger(at)) out.push({mesh: o, first: at});
    });
  return out.filter(({mesh, first: from}) => {
    const targets = mesh.morphTargetInfluences ? mesh.morphTargetInfluences.length : 0;
    if (targets && from + part.modes.length > targets)
      throw new Error(`live part '${part.name}': mesh '${mesh.name}' has ${targets} morph targets, ` +
                      `${from + part.modes.length} are needed`);
    return targets > 0;
  });
}

// Columns of a world matrix made orthonormal: the bone's turn without its scale.
function turnOf(THREE, matrix, out) {
  const e = matrix.elements, x = new THREE.Vector3(e[0], e[1], e[2]).normalize();
  const y = new THREE.Vector3(e[4], e[5], e[6]);
  y.addScaledVector(x, -x.dot(y)).normalize();
  if (matrix.determinant() < 0) x.negate();  // mirrored along x, as three takes it
  return out.setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, y, new THREE.Vector3().crossVectors(x, y)));
}

class Live {
  constructor(THREE, gltf, options) {
    const pack = packOf(gltf);
    this.THREE = THREE;
    this.root = options.root || gltf.scene;
    this.unit = pack.unit > 0 ? pack.unit : 1;
    this.normalsOn = true;
    this.shown = 0;
    let nodes = options.nodes || associated(gltf);
    if (this.root !== gltf.scene) nodes = inCopy(nodes, gltf.scene, this.root);
    this.parts = pack.parts.map(data => {
      const part = new LivePart(data, options.gravity || pack.gravity);
      part.bone = boneOf(gltf, this.root, nodes, data);
      if (!part.bone) throw new Error(`live part '${part.name}': the model has no bone '${data.bone}'`);
      part.meshes = (data.targets || []).flatMap(target => meshesOf(gltf, this.root, nodes, part, target));
      if (!part.meshes.length) throw new Error(`live part '${part.name}': the model has no mesh with its targets`);
      return part;
    });
    for (const part of this.parts)
      for (const {mesh} of part.meshes) restore(mesh);
    // The targets as loaded: a deformer hides them from three.
    this.targets = new Map();
    for (const part of this.parts)
      for (const {mesh} of part.meshes) this.targets.set(mesh, mesh.geometry.morphAttributes);
    const {path = 'auto', renderer} = options;
    this.deformers = [...this.targets.keys()]
        .filter(m => path === 'texture' || (path === 'auto' && !threeDraws(THREE, renderer, m.geometry)))
        .map(m => new Deformer(THREE, m));
    this.scale = 0;
    this.quaternion = new THREE.Quaternion();
  }

  // Metres a unit of the world: the model keeps its own measures however large it is shown.
  metres() {
    return this.unit / Math.cbrt(Math.abs(this.root.matrixWorld.determinant()));
  }

  // After the bones' world matrices are up to date (mixer.update, then root.updateMatrixWorld). dt [s]; 0 pauses.
  update(dt) {
    const metres = this.metres(), resized = !(Math.abs(metres / this.scale - 1) < 1e-4);
    if (resized) this.reset();
    this.scale = metres;
    for (const part of this.parts) {
      const e = part.bone.matrixWorld.elements, q = turnOf(this.THREE, part.bone.matrixWorld, this.quaternion);
      // What has never been stepped takes its pose even in a pause, so that it hangs as it should from the first
      // picture.
      part.step(part.path.started ? dt : NaN, [e[12] * metres, e[13] * metres, e[14] * metres], [q.x, q.y, q.z, q.w]);
      part.extra.fill(0);
      for (const {mesh, first} of part.meshes)
        for (let i = 0; i < part.weights.length; ++i) mesh.morphTargetInfluences[first + i] = part.weights[i];
    }
    for (const deformer of this.deformers) deformer.update();
  }

  reset() {
    for (const part of this.parts) part.reset();
  }

  // World from mesh at a vertex: the linear blend of its bones.
  skin(mesh, vertex) {
    const {Matrix4} = this.THREE, out = new Matrix4();
    if (!mesh.isSkinnedMesh) return out.copy(mesh.matrixWorld);
    const {skinIndex, skinWeight} = mesh.geometry.attributes, sum = new Array(16).fill(0), one = new Matrix4();
    let total = 0;
    for (const axis of ['X', 'Y', 'Z', 'W']) {
      const w = skinWeight['get' + axis](vertex), j = skinIndex['get' + axis](vertex);
      if (!(w > 0)) continue;
      one.multiplyMatrices(mesh.skeleton.bones[j].matrixWorld, mesh.skeleton.boneInverses[j]);
      one.elements.forEach((x, k) => { sum[k] += w * x; });
      total += w;
    }
    out.fromArray(sum.map(x => x / (total || 1))).multiply(mesh.bindMatrix);
    return out.premultiply(mesh.bindMatrixInverse).premultiply(mesh.matrixWorld);
  }

  // Where a vertex is drawn now, in the world.
  vertex(mesh, vertex, out = new this.THREE.Vector3()) {
    const base = mesh.geometry.attributes.position, targets = this.targets.get(mesh), w = mesh.morphTargetInfluences;
    out.set(base.getX(vertex), base.getY(vertex), base.getZ(vertex));
    if (targets)
      targets.position.forEach((t, i) => {
        if (w[i] && t !== base)
          out.x += w[i] * t.getX(vertex), out.y += w[i] * t.getY(vertex), out.z += w[i] * t.getZ(vertex);
      });
    return out.applyMatrix4(this.skin(mesh, vertex));
  }

  // What a vertex does for a weight of 1 of each mode of a part: a flat list, x y z [m] a mode, world axes.
  motion(part, mesh, vertex) {
    const at = part.meshes.find(m => m.mesh === mesh), out = new Float64Array(3 * part.weights.length);
    if (!at) return out;
    const e = this.skin(mesh, vertex).elements, metres = this.metres(), targets = this.targets.get(mesh).position;
    for (let i = 0; i < part.weights.length; ++i) {
      const t = targets[at.first + i];
      if (t === mesh.geometry.attributes.position) continue;
      const x = t.getX(vertex), y = t.getY(vertex), z = t.getZ(vertex);
      for (let k = 0; k < 3; ++k) out[3 * i + k] = metres * (e[k] * x + e[4 + k] * y + e[8 + k] * z);
    }
    return out;
  }

  // A force [N], world axes, on a drawn vertex during the next update.
  poke(mesh, vertex, force) {
    const f = Array.isArray(force) ? force : [force.x, force.y, force.z];
    for (const part of this.parts) {
      if (!part.meshes.some(m => m.mesh === mesh)) continue;
      const phi = this.motion(part, mesh, vertex);
      part.modes.forEach((mode, i) => {
        if (mode.mass > 0)
          part.extra[i] += (phi[3 * i] * f[0] + phi[3 * i + 1] * f[1] + phi[3 * i + 2] * f[2]) / mode.mass;
      });
    }
  }

  // Whether normals turn with the surface; only where the deformer draws.
  set normals(on) {
    this.normalsOn = on;
    for (const d of this.deformers) d.uniforms.supple_normals.value = on ? 1 : 0;
  }
  get normals() {
    return this.normalsOn;
  }
  // Colours by how far the surface moves: [m] of the hottest colour, 0 for the model's own. Likewise.
  set show(metres) {
    this.shown = metres;
    for (const d of this.deformers) {
      const v = d.made.rows.array.findIndex(row => row >= 0);
      const scale = this.metres() * Math.cbrt(Math.abs(this.skin(d.mesh, Math.max(0, v)).determinant()));
      d.uniforms.supple_show.value = metres / scale;
    }
  }
  get show() {
    return this.shown;
  }

  // Gives the model back as it was, at weights of 0.
  dispose() {
    for (const part of this.parts)
      for (const {mesh, first} of part.meshes)
        part.weights.forEach((_, i) => { mesh.morphTargetInfluences[first + i] = 0; });
    for (const d of this.deformers) d.dispose();
    this.deformers = [];
    this.parts = [];
  }
}

// options: root (a copy of gltf.scene, by SkeletonUtils.clone), nodes (of nodesOf), renderer (to ask its limits),
// path ('auto', 'morph': three's own morph targets, 'texture': ours), gravity [x, y, z].
export function attach(THREE, gltf, options = {}) {
  return new Live(THREE, gltf, options);
}
