// Uses a page of live flesh as a person would: buttons, sliders, pointer, a dropped file. check_page.mjs appends it to
// a copy of the page; what was found goes into #result.
'use strict';
(async () => {
  const $ = id => document.getElementById(id), checks = [];
  const check = (name, good, about = '') => checks.push({name, good: !!good, about: String(about)});
  const wait = seconds => new Promise(done => setTimeout(done, 1000 * seconds));
  const until = async good => {
    for (let k = 0; k < 100 && !good(); ++k) await wait(0.1);
    return good();
  };
  const now = () => live_main.model();
  const swing = () =>
      now().live.parts.reduce((s, p) => s + p.weights.reduce((t, w, i) => t + Math.abs(w - p.hanging[2][i]), 0), 0);
  const fire = (name, place, buttons) => {
    const canvas = live_main.stage().renderer.domElement, r = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent(name, {
      clientX: r.left + place[0],
      clientY: r.top + place[1],
      buttons,
      button: 0,
      pointerId: 1,
      pointerType: 'mouse',
      bubbles: true,
      cancelable: true
    }));
  };
  // A place on the picture where the model is: near the probe of a part.
  const over = (part = 0) => {
    const {camera, renderer} = live_main.stage(), m = now(), r = renderer.domElement.getBoundingClientRect();
    m.surface.update('now');
    camera.updateMatrixWorld();
    const ray = new THREE.Raycaster(), {mesh, vertex} = m.probes[part];
    const p = m.live.vertex(mesh, vertex).project(camera);
    for (const off of [0, 0.01, -0.01, 0.02, -0.02, 0.05, -0.05]) {
      ray.setFromCamera({x: p.x * (1 - Math.abs(off)) + off, y: p.y}, camera);
      if (m.surface.hit(ray.ray))
        return [(p.x * (1 - Math.abs(off)) + off + 1) / 2 * r.width, (1 - p.y) / 2 * r.height];
    }
    return [r.width / 2, r.height / 2];
  };
  const set = (id, value, name = 'input') => {
    $(id).value = value;
    $(id).dispatchEvent(new Event(name, {bubbles: true}));
  };

  try {
    await until(now);
    // Pictures take long without a graphics card: every tenth is drawn.
    const {renderer} = live_main.stage(), render = renderer.render;
    let asked = 0;
    renderer.render = (...what) => { if (asked++ % 10 === 0) render.apply(renderer, what); };
    for (const name of ['jump', 'twist', 'stop', 'shake']) {
      $('reset').click();
      await wait(0.2);
      const start = now().holder.matrix.clone();
      document.querySelector(`[data-motion=${name}]`).click();
      let moved = 0, most = 0;
      for (let k = 0; k < 12; ++k) {
        await wait(0.1);
        moved = Math.max(moved, ...now().holder.matrix.elements.map((x, i) => Math.abs(x - start.elements[i])));
        most = Math.max(most, swing());
      }
      check(`button ${name}`, moved > 0.005 && most > 1e-3, `${moved.toFixed(3)} ${most.toFixed(3)}`);
    }
    $('lie').click();
    await wait(1.5);
    const up = new THREE.Vector3(0, 1, 0).applyQuaternion(now().holder.quaternion);
    check('lies down', Math.abs(up.y) < 0.05, up.y);
    $('reset').click();
    await wait(0.3);

    set('dial-speed', 1);
    check(
        'Speed', now().live.parts.every(p => p.settings.frequency === 2) && $('value-speed').textContent === '×2.00',
        $('value-speed').textContent);
    if (now().live.parts.length > 1) {
      set('part', 1, 'change');
      set('dial-amount', -1);
      check(
          'Amount of one part',
          now().live.parts[1].settings.amplitude === 0.5 && now().live.parts[0].settings.amplitude === 1);
      set('part', -1, 'change');
    }
    $('neutral').click();
    check('back to 1', now().live.parts.every(p => p.settings.frequency === 1 && p.settings.amplitude === 1));
    const box = $('modes').querySelector('input');
    box.click();
    check('a mode off', now().live.parts[0].muted[0] === 1, $('value-detail').textContent);
    $('modes').querySelector('input').click();
    set('detail', 1);
    check('detail', now().live.parts.every(p => p.activeModes === 1));
    set('detail', 999);
    check('detail back', now().live.parts.every(p => p.activeModes === p.modes.length));
    $('heat').click();
    check('colours', now().live.show > 0 && !$('legend').hidden);
    $('heat').click();
    $('normals').click();
    check('normals', now().live.deformers.every(d => d.uniforms.supple_normals.value === 0));
    $('normals').click();

    // Pause holds everything.
    document.querySelector('[data-motion=shake]').click();
    await wait(0.5);
    $('pause').click();
    await wait(0.1);
    const held = swing();
    await wait(0.4);
    check('pause', swing() === held && held > 0, held);
    $('pause').click();
    for (const rate of ['30', '144', '0']) {
      set('rate', rate, 'change');
      document.querySelector('[data-motion=shake]').click();
      await wait(0.6);
      check(`steps ${rate}`, Number.isFinite(swing()) && swing() > 1e-3, swing().toFixed(3));
    }
    $('reset').click();
    await wait(0.3);

    // The body pulled aside, and let go.
    document.querySelector('[data-tool=drag]').click();
    const at = over();
    fire('pointerdown', at, 1);
    for (let k = 1; k <= 5; ++k) fire('pointermove', [at[0] + 14 * k, at[1] - 4 * k], 1), await wait(0.03);
    await wait(0.2);
    const away = Math.hypot(...now().player.drag.value), turning = live_main.stage().controls.enabled;
    check('drag', away > 0.02 * now().height && swing() > 1e-3 && !turning, away.toFixed(3));
    fire('pointerup', at, 0);
    await wait(1.2);
    check('let go', Math.hypot(...now().player.drag.value) < 0.05 * away && live_main.stage().controls.enabled);
    if (now().gltf.parser.json.skins && now().live.parts.length > 1) {
      $('reset').click();
      await wait(0.2);
      $('limb').checked = true;
      const limb = over(1);
      fire('pointerdown', limb, 1);
      for (let k = 1; k <= 5; ++k) fire('pointermove', [limb[0] + 12 * k, limb[1]], 1), await wait(0.03);
      await wait(0.3);
      check('a limb', now().limb && Math.hypot(...now().bend.value) > 0.05, now().limb && now().limb.name);
      fire('pointerup', limb, 0);
      $('limb').checked = false;
      await wait(0.8);
      $('reset').click();
      await wait(0.2);
    }

    // The rod: hovers, pushes, lets go.
    document.querySelector('[data-tool=push]').click();
    const spot = over();
    fire('pointermove', spot, 0);
    await wait(0.2);
    check('the rod shows', now().rod.object.visible && now().rod.force === 0);
    fire('pointerdown', spot, 1);
    let force = 0;
    for (let k = 0; k < 12; ++k) await wait(0.05), force = Math.max(force, now().rod.force);
    check('the rod pushes', force > 0 && swing() > 1e-3, force.toFixed(2) + ' N');
    fire('pointerup', spot, 0);
    await wait(0.5);

    // Clips of the file.
    if (now().gltf.animations.length) {
      set('clip', '0', 'change');
      await wait(0.6);
      check('a clip', now().clip && now().clip.isRunning() && swing() > 1e-4, now().gltf.animations[0].name);
      $('reset').click();
    }

    // Files of one's own: a wrong one is refused and the model stays; a right one is shown.
    const drop = (bytes, name) => {
      const data = new DataTransfer();
      data.items.add(new File([bytes], name));
      $('stage').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
    };
    const kept = now();
    drop(new TextEncoder().encode('no model'), 'words.glb');
    await until(() => !$('message').hidden);
    check('a wrong file', !$('message').hidden && now() === kept, $('message').textContent);
    const script = document.querySelectorAll('script[data-pack]'), last = script[script.length - 1];
    const buttons = $('packs').children.length;
    drop(Uint8Array.from(atob(last.textContent.trim()), c => c.charCodeAt(0)), 'mine.glb');
    await until(() => now() !== kept && $('packs').children.length > buttons);
    check('a file of one\'s own', now() !== kept && $('message').hidden && $('packs').children.length === buttons + 1);
    for (const b of [...$('packs').children]) {
      const before = now();
      b.click();
      check(`model ${b.textContent}`, await until(() => now() !== before));
    }
  } catch (e) {
    check('no error', false, e.stack || e);
  }
  const out = document.createElement('pre');
  out.id = 'result', out.hidden = true;
  out.textContent = JSON.stringify({checks});
  document.body.append(out);
  window.played = true;
})();
