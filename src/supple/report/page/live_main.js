// The page of live flesh: loads packs, runs the clock, listens to buttons and the pointer.
'use strict';
const live_main = (() => {
  const $ = id => document.getElementById(id);
  const V = (...x) => new THREE.Vector3(...x);
  let stage, panel, model = null, packs = [], clock = 0, owed = 0, speed = 1, paused = false, frameRate = 0,
                    tool = 'drag';
  let busy = false, showing = null, frames = 0, countedAt = 0, costs = 0;

  const fromBase64 = text => {
    const raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
    return bytes.buffer;
  };
  const say = text => {
    $('message').textContent = text;
    $('message').hidden = !text;
  };

  async function open(pack) {
    say('');
    let next;
    try {
      next = await live_stage.loadModel(pack.bytes.slice(0), stage.renderer, pack.kind);
    } catch (e) {
      return void say(`${pack.title} cannot be shown: ${e.message}`);
    }
    if (model) {
      stage.scene.remove(model.holder, model.rod.object);
      model.live.dispose();
    }
    model = next;
    model.name = pack.name;
    stage.scene.add(model.holder, model.rod.object);
    stage.place(model.box, model.metres);
    stage.look(model.box, pack.kind === 'tissue');
    panel.take(model);
    for (const button of $('packs').children) button.setAttribute('aria-pressed', button.dataset.name === pack.name);
    $('about').textContent = pack.note || '';
    const clips = model.gltf.animations;
    $('clips').hidden = !clips.length;
    $('clip').replaceChildren(...[['', 'no clip'], ...clips.map((c, i) => [i, c.name || 'clip ' + (i + 1)])].map(
        ([value, text]) => Object.assign(document.createElement('option'), {value, textContent: text})));
    choose(pack.kind === 'tissue' ? 'push' : 'drag');
    $('lie').setAttribute('aria-pressed', 'false');
    $('limbs').hidden = !model.gltf.parser.json.skins;
    switches();
    clock = owed = 0;
    return model;
  }

  function addPack(pack) {
    packs.push(pack);
    const button = Object.assign(document.createElement('button'), {textContent: pack.title});
    button.dataset.name = pack.name;
    button.addEventListener('click', () => open(pack));
    $('packs').append(button);
  }
  async function openFile(file) {
    if (!file) return;
    const bytes = await file.arrayBuffer(), name = 'own' + packs.length;
    const pack = {name, title: file.name, kind: 'character', bytes, note: 'Your own file.'};
    const before = model;
    if (await open(pack) && model !== before) addPack(pack), mark(name);
  }
  const mark = name => {
    for (const b of $('packs').children) b.setAttribute('aria-pressed', b.dataset.name === name);
  };

  function choose(name) {
    tool = name;
    for (const b of document.querySelectorAll('[data-tool]')) b.setAttribute('aria-pressed', b.dataset.tool === name);
    if (model && name !== 'push') model.rod.object.visible = false, model.rod.wanted = null;
    $('depth-row').hidden = name !== 'push';
    $('hint').textContent = name === 'push' ?
        'Move over the surface; press to push. Drag the background to look around.' :
        'Drag the body to pull it about. Drag the background to look around.';
    if (model) depth();
  }
  const depth = () => {
    model.rod.depth = Number($('depth').value) / 100 * model.height * (model.kind === 'tissue' ? 1 : 0.35);
    $('value-depth').textContent = live_panel.mm(model.rod.depth * model.metres);
  };
  function switches() {
    if (!model) return;
    model.live.normals = $('normals').checked;
    const reach = 0.06 * Math.max(...model.live.parts.map(p => p.data.size || 0.3));
    model.live.show = $('heat').checked ? reach : 0;
    $('legend').hidden = !$('heat').checked;
    $('heat-end').textContent = live_panel.mm(reach);
  }

  function motion(name) {
    showing = null;
    play(name);
  }
  function play(name) {
    if (!model) return;
    if (name === 'lie') {
      model.player.lie = !model.player.lie;
      $('lie').setAttribute('aria-pressed', model.player.lie);
    } else model.player.start(name);
  }
  function reset() {
    if (!model) return;
    showing = null;
    model.player.reset();
    model.limb = null;
    model.bend.reset();
    model.clip = null;
    model.mixer.stopAllAction();
    $('clip').value = '';
    $('lie').setAttribute('aria-pressed', 'false');
    live_stage.pose(model, 0);
    model.live.reset();
    model.seen = 0;
    stage.look(model.box, model.kind === 'tissue');
  }
  function playClip(value) {
    if (!model) return;
    showing = null;
    model.mixer.stopAllAction();
    model.clip = value === '' ? null : model.mixer.clipAction(model.gltf.animations[value]);
    if (model.clip) model.clip.play();
    model.live.reset();
  }

  // --- the pointer
  const ray = new THREE.Raycaster();
  function aim(event) {
    const r = stage.renderer.domElement.getBoundingClientRect();
    ray.setFromCamera(
        {x: 2 * (event.clientX - r.left) / r.width - 1, y: 1 - 2 * (event.clientY - r.top) / r.height}, stage.camera);
    return ray.ray;
  }
  let held = null;
  function down(event) {
    if (!model || event.button > 0) return;
    const line = aim(event);
    if (tool === 'push') {
      const hit = model.surface.update('hanging').hit(line);
      if (!hit) return;
      model.rod.aim(hit, stage.camera.position, model.live);
      model.rod.pressed = true;
      held = {push: true};
    } else {
      const hit = model.surface.update('now').hit(line);
      if (!hit) return;
      const limb = $('limb').checked ? boneAt(hit) : null;
      if (limb && model.limb !== limb) model.limb = limb, model.bend.reset();
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(stage.camera.getWorldDirection(V()), hit.point);
      held = {plane, from: hit.point.clone(), start: model.player.drag.target.slice(), limb};
      if (limb) held.joint = V().setFromMatrixPosition(limb.matrixWorld);
    }
    showing = null;
    stage.controls.enabled = false;
    event.preventDefault();
    if (event.isTrusted) stage.renderer.domElement.setPointerCapture(event.pointerId);  // a script's pointer has none
  }
  // The joint that has most of a vertex, or the part's own bone.
  function boneAt({shape, vertex}) {
    if (!shape.joints) return null;
    const w = [0, 1, 2, 3]
                  .map(k => [shape.weights[4 * vertex + k], shape.joints[4 * vertex + k]])
                  .sort((a, b) => b[0] - a[0]);
    const bone = shape.mesh.skeleton.bones[w[0][1]];
    return bone.parent && bone.parent.isBone ? bone : null;
  }
  function moved(event) {
    if (!model) return;
    const line = aim(event);
    if (tool === 'push') {
      if (!held && event.buttons) return;  // the camera is being turned
      const hit = model.surface.update('hanging').hit(line);
      if (hit || !held) model.rod.aim(hit, stage.camera.position, model.live);
      if (!hit && !held) model.rod.object.visible = false;
      return;
    }
    if (!held) return;
    const to = line.intersectPlane(held.plane, V());
    if (!to) return;
    if (held.limb) {
      const a = held.from.clone().sub(held.joint).normalize(), b = to.sub(held.joint).normalize();
      const axis = V().crossVectors(a, b), angle = Math.min(1.2, Math.atan2(axis.length(), a.dot(b)));
      model.bend.target = axis.normalize().multiplyScalar(angle).toArray();
    } else {
      const by = to.sub(held.from), most = 1.2 * model.height;
      if (by.length() > most) by.setLength(most);
      model.player.drag.target = by.toArray().map((x, k) => held.start[k] + x);
      model.player.drag.target[1] = Math.max(0, model.player.drag.target[1]);  // not into the ground
    }
  }
  function up() {
    if (!held) return;
    held = null;
    stage.controls.enabled = true;
    model.rod.pressed = false;
    model.player.drag.target = [0, 0, 0];
    model.bend.target = [0, 0, 0];
  }

  // --- the clock
  const SHOW = {character: ['jump', 'twist', 'stop', 'shake'], tissue: ['shake', 'twist']};
  function showOn(dt) {
    if (!showing) return;
    showing.wait -= dt;
    if (showing.wait > 0) return;
    const list = SHOW[model.kind] || SHOW.character;
    play(list[showing.next++ % list.length]);
    showing.wait = 4.6;
  }
  // Steps of 1 / rate, as many as fit; a rate of 0: one step as long as the picture took.
  function advance(seconds) {
    const dt = frameRate ? 1 / frameRate : seconds;
    owed = frameRate ? owed + seconds : 0;
    let n = frameRate ? Math.min(40, Math.floor(owed / dt + 1e-9)) : seconds > 0 ? 1 : 0;
    owed -= frameRate ? n * dt : 0;
    for (; n > 0; --n) {
      clock += dt;
      live_stage.step(model, dt);
      panel.note(clock);
    }
  }
  // The camera goes down with a body that lies down.
  function follow() {
    const by = (model.sunk || 0) - (model.seen || 0);
    stage.camera.position.y -= by, stage.controls.target.y -= by;
    model.seen = model.sunk || 0;
  }
  let before = 0;
  function draw(time) {
    requestAnimationFrame(draw);
    const passed = Math.min(0.1, Math.max(0, (time - before) / 1000));
    before = time;
    if (model) follow();
    stage.controls.update();
    if (model && !busy) {
      const start = performance.now();
      if (!paused) showOn(passed * speed), advance(passed * speed);
      costs += performance.now() - start;
      panel.draw();
    }
    stage.renderer.render(stage.scene, stage.camera);
    ++frames;
    if (time - countedAt > 500) {
      $('fps').textContent = `${Math.round(1000 * frames / (time - countedAt))} pictures a second · flesh ${
          (costs / frames).toFixed(2)} ms`;
      frames = costs = 0, countedAt = time;
    }
  }

  function wire() {
    for (const b of document.querySelectorAll('[data-motion]'))
      b.addEventListener('click', () => motion(b.dataset.motion));
    for (const b of document.querySelectorAll('[data-tool]')) b.addEventListener('click', () => choose(b.dataset.tool));
    const press = (id, on) => {
      $(id).setAttribute('aria-pressed', on);
      return on;
    };
    const toggled = id => $(id).getAttribute('aria-pressed') !== 'true';
    $('pause').addEventListener('click', () => { paused = press('pause', toggled('pause')); });
    $('slow').addEventListener('click', () => { speed = press('slow', toggled('slow')) ? 0.2 : 1; });
    $('reset').addEventListener('click', reset);
    $('clip').addEventListener('change', () => playClip($('clip').value));
    $('rate').addEventListener('change', () => { frameRate = Number($('rate').value), owed = 0; });
    $('depth').addEventListener('input', depth);
    for (const id of ['heat', 'normals']) $(id).addEventListener('change', switches);
    $('file').addEventListener('change', () => openFile($('file').files[0]));
    const canvas = stage.renderer.domElement;
    // Before the camera's own listeners: those are told through controls.enabled.
    canvas.addEventListener('pointerdown', down, true);
    canvas.addEventListener('pointermove', moved, true);
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, up, true);
    canvas.addEventListener('pointerleave', () => {
      if (!held && model) model.rod.object.visible = false, model.rod.wanted = null;
    });
    const drop = $('stage');
    for (const name of ['dragenter', 'dragover'])
      drop.addEventListener(name, e => { e.preventDefault(); drop.classList.add('over'); });
    for (const name of ['dragleave', 'drop']) drop.addEventListener(name, () => drop.classList.remove('over'));
    drop.addEventListener('drop', e => { e.preventDefault(); openFile(e.dataTransfer.files[0]); });
    document.addEventListener('keydown', e => {
      const own = e.target.matches && e.target.matches('button, input, select, summary');
      if (e.key !== ' ' || own || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      $('pause').click();
    });
  }

  function options() {
    const out = {};
    for (const part of location.hash.slice(1).split('&')) {
      const [key, value = ''] = part.split('=');
      if (key) out[key] = decodeURIComponent(value);
    }
    return out;
  }
  // A state by the address, for pictures: #pack=man&do=jump&time=0.9&speed=2&push=0.5,0.4&heat
  async function still(o) {
    busy = true;
    showing = null;
    panel.take(model);
    for (const [key, id] of live_panel.DIALS) if (id in o) panel.dial(key, Number(o[id]));
    if ('heat' in o) $('heat').checked = true, switches();
    if ('lie' in o) play('lie');
    if (o.clip) $('clip').value = o.clip, playClip(o.clip);
    if (o.do) play(o.do);
    if (o.push) {
      choose('push');
      const [x, y] = o.push.split(',').map(Number);
      stage.camera.updateMatrixWorld();
      ray.setFromCamera({x: 2 * x - 1, y: 1 - 2 * y}, stage.camera);
      const hit = model.surface.update('hanging').hit(ray.ray);
      if (hit) model.rod.aim(hit, stage.camera.position, model.live), model.rod.pressed = true;
    }
    for (let k = 0; k < 60 * Number(o.time || 0.5); ++k)
      clock += 1 / 60, live_stage.step(model, 1 / 60), panel.note(clock);
    panel.draw();
    panel.draw();
  }

  async function start() {
    try {
      stage = live_stage.makeStage($('stage'));
    } catch (e) {
      return void say(
          `This browser cannot draw in 3D (${e.message}). Another browser, or hardware acceleration switched on, can.`);
    }
    panel = new live_panel.Panel();
    wire();
    for (const script of document.querySelectorAll('script[data-pack]'))
      addPack({
        name: script.dataset.pack,
        title: script.dataset.title || script.dataset.pack,
        kind: script.dataset.kind || 'character',
        note: script.dataset.note,
        bytes: fromBase64(script.textContent)
      });
    const o = options();
    if (packs.length) await open(packs.find(p => p.name === o.pack) || packs[0]);
    else say('Drop a .glb with live parts here.');
    if ('test' in o) {
      busy = true;
      const result =
          document.body.appendChild(Object.assign(document.createElement('pre'), {id: 'result', hidden: true}));
      try {
        result.textContent = JSON.stringify(await live_check(packs, stage));
      } catch (e) {
        result.textContent = JSON.stringify({error: String(e && e.stack || e)});
      }
      return;
    }
    if (model && ('time' in o || 'do' in o)) await still(o);
    else if (model && !(window.matchMedia && matchMedia('(prefers-reduced-motion: reduce)').matches))
      showing = {next: 0, wait: 0.8};
    requestAnimationFrame(t => { before = countedAt = t; draw(t); });
  }
  return {start, model: () => model, stage: () => stage};
})();
live_main.start();
