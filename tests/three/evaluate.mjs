// What a viewer shows: plays a clip of a .glb in three.js and writes the vertices, skinned and morphed, in the world.
//
//   THREE_DIR=<folder of the package three> node evaluate.mjs FILE.glb CLIP TIME...
//
// Prints {"clips": [...], "shapes": [{"node", "mesh", "primitive", "weights": [[...] a time],
// "positions": [[x, y, z, ...] a time], "normals": likewise, morphed but not skinned, or null}]}.
// CLIP is a name; "" is the rest pose. Without TIME only clips are listed.
// Ends with 3 when three is not found.
import fs from 'node:fs';

import {GLTFLoader, THREE} from './open_three.mjs';

const [file, clipName, ...times] = process.argv.slice(2);
const bytes = fs.readFileSync(file);
const loader = new GLTFLoader();
loader.register(() => ({name: 'plain', loadMaterial: async () => new THREE.MeshBasicMaterial()}));
const gltf = await new Promise((resolve, reject) => {
  loader.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '', resolve, reject);
});

const mixer = new THREE.AnimationMixer(gltf.scene);
if (clipName) {
  const clip = gltf.animations.find((animation) => animation.name === clipName);
  if (!clip) {
    console.error(`no clip '${clipName}': ${gltf.animations.map((animation) => animation.name).join(', ')}`);
    process.exit(2);
  }
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
}

const shapes = [];
gltf.scene.traverse((object) => {
  if (!object.isMesh) return;
  const own = gltf.parser.associations.get(object) ?? {}, parent = gltf.parser.associations.get(object.parent) ?? {};
  shapes.push({object, node: own.nodes ?? parent.nodes, mesh: own.meshes ?? parent.meshes,
               primitive: own.primitives ?? 0, weights: [], positions: [], normals: []});
});

// Before the skin; three has a function of its own for positions only.
function morphedNormals(mesh) {
  const base = mesh.geometry.attributes.normal, targets = mesh.geometry.morphAttributes.normal;
  if (!base) return null;
  const out = [];
  for (let i = 0; i < base.count; ++i) {
    const n = new THREE.Vector3().fromBufferAttribute(base, i);
    (targets ?? []).forEach((target, k) => {
      n.addScaledVector(new THREE.Vector3().fromBufferAttribute(target, i), mesh.morphTargetInfluences[k]);
    });
    out.push(n.x, n.y, n.z);
  }
  return out;
}

for (const time of times) {
  mixer.setTime(Number(time));
  gltf.scene.updateMatrixWorld(true);
  for (const shape of shapes) {
    const mesh = shape.object, at = new THREE.Vector3(), list = [];
    if (mesh.isSkinnedMesh) mesh.skeleton.update();
    for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
      mesh.getVertexPosition(i, at);  // morphs, then bones
      at.applyMatrix4(mesh.matrixWorld);
      list.push(at.x, at.y, at.z);
    }
    shape.positions.push(list);
    shape.normals.push(morphedNormals(mesh));
    shape.weights.push([...(mesh.morphTargetInfluences ?? [])]);
  }
}
console.log(JSON.stringify({
  clips: gltf.animations.map((animation) => animation.name),
  shapes: shapes.map(({object, ...rest}) => rest),
}));
