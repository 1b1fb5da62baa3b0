// What the page draws around a model: camera, lights, ground; and the model itself with its live parts.
'use strict';
const live_stage = (() => {
  const V = (...x) => new THREE.Vector3(...x);

  function makeStage(element) {
    const renderer = new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
    renderer.gammaOutput = true, renderer.gammaFactor = 2.2;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    element.prepend(renderer.domElement);
    const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(30, 1.6, 0.01, 100);
    scene.add(new THREE.HemisphereLight(0xffffff, 0x5a554f, 0.4));
    const key = new THREE.DirectionalLight(0xfff3e6, 0.56), rim = new THREE.DirectionalLight(0x9fb8e8, 0.35);
    key.castShadow = true;
    key.shadow.mapSize.set(2048, 2048);
    key.shadow.radius = 3;
    key.shadow.bias = -0.002;
    camera.add(new THREE.DirectionalLight(0xffffff, 0.14));
    scene.add(key, key.target, rim, camera);
    const controls = new THREE.OrbitControls(camera, renderer.domElement);
    controls.enableDamping = true, controls.dampingFactor = 0.12;
    let ground = null;

    function fit() {
      const w = element.clientWidth, h = element.clientHeight;
      if (!w || !h) return;
      renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
      renderer.setSize(w, h);
      camera.aspect = w / h;
      camera.updateProjectionMatrix();
    }
    // From the front, a little to the side and above, with room for a jump.
    function look(box, tissue) {
      const size = box.getSize(V()), centre = box.getCenter(V()), r = 0.5 * size.length();
      const tall = Math.tan(camera.fov * Math.PI / 360), wide = tall * camera.aspect;
      const back = (tissue ? V(0.5, 0.75, 1) : V(0.55, 0.18, 1)).normalize();
      const away = Math.max(
                       1.1 * (0.5 * size.y + (tissue ? 0.2 * r : 0.1 * size.y)) / tall,
                       1.15 * (0.5 * Math.max(size.x, size.z)) / wide) +
          0.5 * size.z + (tissue ? 0.55 * r : 0.1 * r);
      controls.target.copy(centre);
      if (!tissue) controls.target.y += 0.08 * size.y;
      camera.position.copy(controls.target).addScaledVector(back, away);
      camera.near = r / 60, camera.far = 60 * r;
      camera.updateProjectionMatrix();
      controls.minDistance = 0.3 * r, controls.maxDistance = 14 * r;
      controls.update();
    }
    function place(box, metres) {
      const size = box.getSize(V()), centre = box.getCenter(V()), r = 0.5 * size.length();
      if (ground) scene.remove(ground);
      ground = new THREE.Group();
      const wanted = 0.28 * r * metres, ten = Math.pow(10, Math.floor(Math.log10(wanted)));
      const square = [1, 2, 5, 10].map(k => k * ten).find(s => s >= wanted * 0.999) / metres;
      const n = 2 * Math.ceil(7 * r / square);
      const colour = c => new THREE.Color(c).convertSRGBToLinear();
      const grid = new THREE.GridHelper(n * square, n, colour(0x565d66), colour(0x3d434b));
      const shadow = new THREE.Mesh(new THREE.PlaneBufferGeometry(40 * r, 40 * r),
                                    new THREE.ShadowMaterial({opacity: 0.38, depthWrite: false}));
      shadow.rotation.x = -Math.PI / 2;
      shadow.receiveShadow = true;
      shadow.position.y = 0.0005 * r;
      ground.add(grid, shadow);
      ground.position.set(centre.x, box.min.y - 0.002 * r, centre.z);
      scene.add(ground);
      key.target.position.copy(centre);
      key.position.copy(centre).addScaledVector(V(-0.6, 1.4, 1).normalize(), 4 * r);
      rim.position.copy(centre).addScaledVector(V(0.8, 0.7, -1).normalize(), 4 * r);
      Object.assign(
          key.shadow.camera, {left: -2 * r, right: 2 * r, top: 2 * r, bottom: -2 * r, near: 0.3 * r, far: 9 * r});
      key.shadow.camera.updateProjectionMatrix();
    }
    window.addEventListener('resize', fit);
    fit();
    return {renderer, scene, camera, controls, fit, look, place};
  }

  // Accessors that are all zeros may have no data of their own, which this loader does not know: gives them some.
  function withZeros(bytes) {
    const view = new DataView(bytes);
    if (bytes.byteLength < 28 || view.getUint32(0, true) !== 0x46546c67) return bytes;
    const textEnd = 20 + view.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, textEnd - 20)));
    const bare = (json.accessors || []).filter(a => a.bufferView === undefined && !a.sparse);
    if (!bare.length || textEnd + 8 > bytes.byteLength) return bytes;
    const parts = {SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16};
    const most = Math.max(...bare.map(a => 4 * parts[a.type] * a.count)), binary = view.getUint32(textEnd, true);
    if (!(most < 1 << 28)) throw new Error('an accessor of it is too large');
    for (const a of bare) a.bufferView = json.bufferViews.length, a.byteOffset = 0;
    json.bufferViews.push({buffer: 0, byteOffset: binary, byteLength: most});
    json.buffers[0].byteLength = binary + most;
    const text = new TextEncoder().encode(JSON.stringify(json)), room = Math.ceil(text.length / 4) * 4;
    const out = new Uint8Array(28 + room + binary + most), to = new DataView(out.buffer);
    [0x46546c67, 2, out.length, room, 0x4e4f534a].forEach((x, k) => to.setUint32(4 * k, x, true));
    out.fill(32, 20, 20 + room);
    out.set(text, 20);
    to.setUint32(20 + room, binary + most, true);
    to.setUint32(24 + room, 0x004e4942, true);
    out.set(new Uint8Array(bytes, textEnd + 8, binary), 28 + room);
    return out.buffer;
  }

  // A model of a .glb: holder (what motions move) > gltf.scene.
  async function loadModel(bytes, renderer, kind) {
    const gltf = await new Promise((resolve, reject) => {
      const loader = new THREE.GLTFLoader();
      loader.parse(
          withZeros(bytes), '', resolve, e => reject(e instanceof Error ? e : new Error('it cannot be read as glTF')));
    });
    const nodes = await supple_live.nodesOf(gltf), holder = new THREE.Group();
    holder.add(gltf.scene);
    holder.updateMatrixWorld(true);
    const live = supple_live.attach(THREE, gltf, {nodes, renderer, path: 'texture'});
    gltf.scene.traverse(o => {
      if (!o.isMesh) return;
      o.castShadow = o.receiveShadow = true;
      o.frustumCulled = false;
    });
    // The limits of a pack are for the motions it was baked for; the rod asks for more.
    if (kind === 'tissue') for (const part of live.parts) part.data.weight_limit = 0;
    const mixer = new THREE.AnimationMixer(gltf.scene), rest = new Map();
    gltf.scene.traverse(o => rest.set(o, [o.position.clone(), o.quaternion.clone(), o.scale.clone()]));
    live.update(0);
    const surface = new live_surface.Surface(THREE, live, gltf.scene), box = surface.update('now').box();
    const metres = live.metres(), size = box.getSize(V()), height = Math.max(size.x, size.y, size.z);
    const probes = live.parts.map(part => live_surface.probe(live, part));
    const rod = new live_tool.Rod(THREE, kind === 'tissue' ? height : 0.35 * height);
    const player = new live_motion.Player(Math.min(2, Math.max(0.12, height * metres / 1.8)) / metres);
    return {gltf, holder, live, mixer, rest, surface, box, metres, height, probes, rod, player, kind, clip: null,
            limb: null, bend: new live_motion.Follower(16), name: ''};
  }

  // Puts the bones where the rest pose or the clip has them, turns the dragged limb, moves the root.
  function pose(model, dt) {
    const {holder, mixer, rest, player, box} = model;
    if (model.clip) mixer.update(dt);
    else for (const [o, [p, q, s]] of rest) o.position.copy(p), o.quaternion.copy(q), o.scale.copy(s);
    const {move, yaw, lean} = player.step(dt);
    const centre = box.getCenter(V()), foot = V(centre.x, box.min.y, centre.z);
    // On its back, across the picture, in the middle of where it stood; half its depth keeps it off the ground.
    const turn = new THREE.Quaternion().setFromAxisAngle(V(0, 1, 0), -1.07 * lean);
    turn.multiply(new THREE.Quaternion().setFromAxisAngle(V(1, 0, 0), -lean * Math.PI / 2));
    turn.multiply(new THREE.Quaternion().setFromAxisAngle(V(0, 1, 0), yaw));
    const depth = 0.5 * (box.max.z - box.min.z), tall = box.max.y - box.min.y;
    const half = V(0, 0.5 * tall, 0).applyQuaternion(turn);
    const at = foot.clone().add(V(move[0] - half.x, move[1] + lean * depth, move[2] - half.z));
    model.sunk = lean * (0.5 * tall - depth);
    holder.quaternion.copy(turn);
    holder.position.copy(at).sub(foot.clone().applyQuaternion(turn));
    holder.updateMatrixWorld(true);
    const angle = V(...model.bend.step(dt));
    if (model.limb && angle.length() > 1e-6) {
      const parent = model.limb.parent.getWorldQuaternion(new THREE.Quaternion());
      const by = new THREE.Quaternion().setFromAxisAngle(angle.clone().normalize(), Math.min(1.2, angle.length()));
      model.limb.quaternion.premultiply(parent).premultiply(by).premultiply(parent.inverse());
      holder.updateMatrixWorld(true);
    }
  }

  // One step of everything; in shorter ones while the rod is out: it meets the flesh at their ends only.
  function step(model, dt) {
    const n = model.rod.object.visible ? Math.ceil(dt * 200) : 1;
    for (let k = 0; k < n; ++k) {
      pose(model, dt / n);
      model.rod.step(dt / n, model.live);
      model.live.update(dt / n);
    }
  }

  return {makeStage, loadModel, pose, step};
})();
