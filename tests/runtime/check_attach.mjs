// Live parts in three.js, without a browser: a small file loaded by GLTFLoader, bones moved, weights watched.
//
//   THREE_DIR=<folder of the package three> node check_attach.mjs
//
// Ends with 1 when something is off, with 3 when three is not found.
import {addon, GLTFLoader, THREE} from '../three/open_three.mjs';
import {smallGlb} from './small_glb.mjs';
import {attach, nodesOf} from '../../runtime/js/supple-live.js';

const SkeletonUtils = await addon('utils', 'SkeletonUtils.js');

let failed = 0;
function check(name, good, about = '') {
  if (!good) ++failed;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name} ${about}`);
}
const near = (a, b, most) => Math.abs(a - b) <= most;
const load = options => new Promise((resolve, reject) =>
    new GLTFLoader().parse(smallGlb(options).buffer, '', resolve, reject));
const meshOf = root => {
  let found;
  root.traverse(o => { if (o.isMesh) found = o; });
  return found;
};
// Shakes the model's root along x for a second; returns the influences of each frame.
function shake(live, mesh, {fps = 60, by = 0.05, root = live.root, mixer} = {}) {
  const out = [], start = root.position.x;
  for (let k = 0; k <= fps; ++k) {
    root.position.x = start + by * Math.sin(12 * k / fps);
    if (mixer) mixer.update(1 / fps);
    root.updateMatrixWorld(true);
    live.update(1 / fps);
    out.push([...mesh.morphTargetInfluences]);
  }
  root.position.x = start;
  return out;
}
const largest = rows => Math.max(...rows.flat().map(Math.abs));
const apart = (a, b) => Math.max(...a.flatMap((row, k) => row.map((x, i) => Math.abs(x - b[k][i])))) / largest(a);

// A plain run, and the same whatever the path, the loader's way of telling nodes, the size shown or the file's unit.
const plain = await load(), live = attach(THREE, plain), mesh = meshOf(plain.scene);
check('bone with spaces and dots', live.parts[0].bone.userData.name === 'Upper.bone 1' && live.parts[0].bone.isBone);
const reference = shake(live, mesh);
check('weights move', largest(reference) > 0.1, largest(reference).toFixed(3));

const scaled = await load();
scaled.scene.scale.setScalar(7);
const bigger = attach(THREE, scaled);
check('a scaled root', apart(reference, shake(bigger, meshOf(scaled.scene), {by: 0.35})) < 1e-9);
scaled.scene.scale.setScalar(2);
scaled.scene.updateMatrixWorld(true);
bigger.update(1 / 60);
const after = meshOf(scaled.scene).morphTargetInfluences.map(Math.abs);
check('a change of scale settles', Math.max(...after) < 1e-9, Math.max(...after).toExponential(1));

const centi = await load({unit: 0.01, scale: 0.5});
check('centimetres and a scaled armature',
      apart(reference, shake(attach(THREE, centi), meshOf(centi.scene), {by: 5})) < 1e-5);
const asked = await load();
check('nodes asked of the loader',
      apart(reference, shake(attach(THREE, asked, {nodes: await nodesOf(asked)}), meshOf(asked.scene))) === 0);
const names = await load();
names.parser.associations.clear();
check('by names alone', apart(reference, shake(attach(THREE, names), meshOf(names.scene))) === 0);
const bare = await load();
check('without the parser',
      apart(reference, shake(attach(THREE, {scene: bare.scene, userData: bare.userData}), meshOf(bare.scene))) === 0);

const stale = await load();
Object.assign(stale.parser.json.extras.supple_live.parts[0], {node: 0, targets: [{mesh: 4, first: 1}]});
check('a file counted anew', apart(reference, shake(attach(THREE, stale), meshOf(stale.scene))) === 0);

// Copies swing by themselves, made before or after attaching, also with the texture path.
const many = await load({modes: 10}), manyLive = attach(THREE, many, {path: 'texture'});
for (const [what, gltf] of [['copy', await load()], ['copy of an attached model', many]]) {
  const copy = SkeletonUtils.clone(gltf.scene), copyLive = attach(THREE, gltf, {root: copy, path: 'texture'});
  const copyMesh = meshOf(copy), original = meshOf(gltf.scene);
  check(`${what}: its own bone`, copyLive.parts[0].bone !== (gltf === many ? manyLive.parts[0].bone : null) &&
        copyMesh.skeleton.bones.includes(copyLive.parts[0].bone));
  const moved = shake(copyLive, copyMesh);
  check(`${what}: moves alone`, largest(moved) > 0.1 && original.morphTargetInfluences.every(x => x === 0));
  check(`${what}: own material, weights at hand`, copyMesh.material !== original.material &&
        near(copyLive.deformers[0].groups[0].x, moved.at(-1)[0], 0));
  copyLive.dispose();
  check(`${what}: given back`, !!copyMesh.geometry.morphAttributes.position &&
        copyMesh.morphTargetInfluences.every(x => x === 0));
}
manyLive.dispose();

// The file's own clip drives the bone through the mixer; targets of the file's own are left alone.
const clip = await load({extraTargets: 2}), mixer = new THREE.AnimationMixer(clip.scene);
mixer.clipAction(clip.animations[0]).play();
const clipMesh = meshOf(clip.scene), clipLive = attach(THREE, clip);
clipMesh.morphTargetInfluences[1] = 0.4;
const played = shake(clipLive, clipMesh, {by: 0, mixer});
check('a clip moves it', largest(played.map(r => r.slice(2))) > 0.05);
check('other targets are left alone', played.every(r => r[0] === 0 && r[1] === 0.4));

// Pokes: the work of the force is what the modes get; a steady push leans by phi^2 f / (m omega^2).
{
  const gltf = await load({modes: 1, gravity: [0, 0, 0], unit: 0.1, scale: 3});
  gltf.scene.scale.setScalar(4);
  gltf.scene.rotation.y = 0.7;
  const poked = attach(THREE, gltf), m = meshOf(gltf.scene), part = poked.parts[0], v = 22 * 20, t = 1 / 60;
  gltf.scene.updateMatrixWorld(true);
  poked.update(t);
  const from = poked.vertex(m, v), direction = [Math.cos(0.7), 0, -Math.sin(0.7)], f = 0.3;
  for (let k = 0; k < 600; ++k) {
    poked.poke(m, v, direction.map(x => f * x));
    poked.update(t);
  }
  const moved = poked.vertex(m, v).sub(from).multiplyScalar(poked.metres());
  const phi = Math.hypot(...poked.motion(part, m, v)), mode = part.modes[0];
  const wanted = phi * phi * f / (mode.mass * (2 * Math.PI * mode.frequency_hz) ** 2);
  check('a steady push', near(moved.dot(new THREE.Vector3(...direction)) / wanted, 1, 1e-3) && phi > 0.01,
        `${moved.length()} m, phi ${phi}`);
}

// Skinned vertices on the processor agree with three's own.
{
  plain.scene.rotation.set(0.3, 0.2, -0.4);
  live.parts[0].bone.rotation.z = 0.6;
  shake(live, mesh);
  let off = 0;
  for (let v = 0; v < mesh.geometry.attributes.position.count; v += 7) {
    const theirs = mesh.getVertexPosition(v, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld);
    off = Math.max(off, theirs.distanceTo(live.vertex(mesh, v)));
  }
  check('vertices as three has them', off < 1e-6, off.toExponential(1));
}

// Files that do not fit are refused by name.
for (const [what, change, words] of [
  ['no parts', g => { delete g.parser.json.extras; delete g.userData.supple_live; }, 'supple_live'],
  ['a later version', g => { g.parser.json.extras.supple_live.version = 2; }, 'version 2'],
  ['a missing bone', g => { g.parser.json.extras.supple_live.parts[0].bone = 'Tail'; }, "no bone 'Tail'"],
  ['too few targets', g => {
    g.parser.json.meshes[0].extras = {};
    g.parser.json.extras.supple_live.parts[0].targets[0].first = 3;
  }, 'morph targets']]) {
  const gltf = await load();
  change(gltf);
  let said = '';
  try { attach(THREE, gltf); } catch (e) { said = e.message; }
  check(`refused: ${what}`, said.includes(words), said);
}

console.log(failed ? `${failed} checks failed` : 'all checks passed');
process.exit(failed ? 1 : 0);
