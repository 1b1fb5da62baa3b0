// What the page says about itself with #test: motions are run without a clock, and what vertices do is measured on the
// processor (base + sum of weight x target, skinned), in the axes of the part's bone. Returns plain data.
'use strict';
const live_check = (() => {
  const V = (...x) => new THREE.Vector3(...x);

  // Where the probe of a part is, less where its bone alone would have it [m], in the bone's axes.
  function departs(model, index) {
    const {live} = model, part = live.parts[index], {mesh, vertex} = model.probes[index];
    const now = live.vertex(mesh, vertex), w = mesh.morphTargetInfluences, kept = w.slice();
    const own = part.meshes.find(m => m.mesh === mesh).first;
    part.weights.forEach((_, i) => { w[own + i] = 0; });
    const plain = live.vertex(mesh, vertex);
    kept.forEach((x, i) => { w[i] = x; });
    const turn = part.bone.getWorldQuaternion(new THREE.Quaternion()).inverse();
    return now.sub(plain).multiplyScalar(live.metres()).applyQuaternion(turn);
  }

  const fresh = async (pack, stage) => {
    const model = await live_stage.loadModel(pack.bytes.slice(0), stage.renderer, pack.kind);
    live_stage.step(model, 0.01);
    return model;
  };

  // Samples of the probe's displacement [m] at 60 a second over `seconds` of a motion, stepped at `rate`.
  function record(model, index, name, seconds, rate = 60, every = rate / 60) {
    const out = [];
    model.player.reset();
    live_stage.pose(model, 0);
    model.live.reset();
    live_stage.step(model, 1 / rate);
    out.rest = departs(model, index);
    if (name) model.player.start(name);
    for (let k = 1; k <= Math.round(seconds * rate); ++k) {
      live_stage.step(model, 1 / rate);
      if (k % every === 0) out.push(departs(model, index));
    }
    return out;
  }

  // Frequency [Hz] and decay [1/s] of free swinging: samples along their main direction, less the rest, from its zeros
  // and from its first and last peak.
  function ring(samples, rest, fps) {
    const u = samples.map(s => s.clone().sub(rest)), main = V();
    for (const s of u) if (s.length() > main.length()) main.copy(s);
    main.normalize();
    const x = u.map(s => s.dot(main)), zeros = [], peaks = [];
    const top = Math.max(...x.map(Math.abs));
    // Peaks by the parabola through three samples.
    for (let k = 1; k + 1 < x.length; ++k) {
      const [a, b, c] = [x[k - 1], x[k], x[k + 1]].map(Math.abs);
      if (b < a || b < c || b < 0.03 * top) continue;
      const bend = a - 2 * b + c, off = bend ? 0.5 * (a - c) / bend : 0;
      peaks.push([(k + off) / fps, Math.log(b - 0.25 * (a - c) * off)]);
    }
    for (let k = 1; k < x.length && peaks.length && k / fps < peaks[peaks.length - 1][0]; ++k)
      if (x[k - 1] < 0 !== x[k] < 0) zeros.push((k - 1 + x[k - 1] / (x[k - 1] - x[k])) / fps);
    if (zeros.length < 3 || peaks.length < 2) return {hz: 0, decay: 0, top};
    const [p, q] = [peaks[0], peaks[peaks.length - 1]];
    return {
      hz: (zeros.length - 1) / (2 * (zeros[zeros.length - 1] - zeros[0])),
      decay: (p[1] - q[1]) / (q[0] - p[0]),
      top
    };
  }
  const most = list => Math.max(...list.map(v => v.length()));
  const apart = (a, b) => Math.max(...a.map((v, k) => v.distanceTo(b[k]))) / most(a);

  async function checkPart(pack, stage, index) {
    const model = await fresh(pack, stage), part = model.live.parts[index], s = part.settings, out = {part: part.name};
    const as = change => Object.assign(s, {frequency: 1, amplitude: 1, sag: 1, halfLife: 1}, change);
    const everything = record(model, index, 'stop', 2);
    out.most_mm = 1000 * most(everything);
    out.finite = everything.every(v => Number.isFinite(v.length()));
    // The same at other step lengths, sampled at 30 a second.
    const second = list => list.filter((_, k) => k % 2 === 1);
    out.fps30 = apart(second(record(model, index, 'shake', 2)), record(model, index, 'shake', 2, 30, 1));
    out.fps120 = apart(record(model, index, 'shake', 2), record(model, index, 'shake', 2, 120));
    // One mode alone, free: after the stop the root stands still from 1.02 s to 2.6 s. Of those whose swinging can be
    // measured (not damped away at once) the one that the stop excites most.
    const limit = part.data.weight_limit;
    part.data.weight_limit = 0;  // bends what is to be measured
    record(model, index, 'stop', 1.06);
    const phi = model.probes[index].motion;
    const excited = part.modes.map(
        (m, k) => m.correction || m.decay > 1.2 * m.frequency_hz ?
            0 :
            Math.hypot(part.z[k] - part.hanging[2][k], part.rate[k] / (2 * Math.PI * m.frequency_hz)) *
                Math.hypot(...phi.slice(3 * k, 3 * k + 3)));
    const i = Math.max(...excited) > 0 ? excited.indexOf(Math.max(...excited)) : -1;
    if (i >= 0) {
      const mode = part.modes[i];
      part.muted.fill(1), part.muted[i] = 0;
      const fps = 240, alone = change => {
        as(change);
        const all = record(model, index, 'stop', 2.6, fps, 1);
        return ring(all.slice(1.1 * fps), all.rest, fps);
      };
      const plain = alone({}), wanted = Math.sqrt(mode.frequency_hz ** 2 - (mode.decay / (2 * Math.PI)) ** 2);
      const damped = (speed, settle) =>
          Math.sqrt((speed * mode.frequency_hz) ** 2 - (mode.decay / settle / (2 * Math.PI)) ** 2);
      const fast = alone({frequency: 2}), slowly = alone({halfLife: 2}), more = alone({amplitude: 2});
      out.mode = i + 1, out.hz = plain.hz, out.hz_wanted = wanted, out.decay = plain.decay,
      out.decay_wanted = mode.decay;
      out.speed2 = fast.hz / plain.hz, out.speed2_wanted = damped(2, 1) / wanted;
      out.settle2 = slowly.decay / plain.decay, out.amount2 = more.top / plain.top;
      part.muted.fill(0);
      as({});
    }
    // Lying down: gravity has turned; sag makes it more.
    const lie = sag => {
      as({sag, halfLife: 0.25});
      record(model, index, null, 0);
      model.player.lie = true;
      for (let k = 0; k < 360; ++k) live_stage.step(model, 1 / 60);
      return departs(model, index);
    };
    const one = lie(1), two = lie(2), half = lie(0.5);
    out.lie_mm = 1000 * one.length();
    // Linear in sag: what 2 adds to 1 is twice what 1 adds to a half.
    const step1 = one.clone().sub(half), step2 = two.clone().sub(one);
    out.sag_linear = step1.length() > 1e-7 ? step2.distanceTo(step1.clone().multiplyScalar(2)) / step2.length() : 0;
    out.lie_changes_mm = 1000 * step1.length();
    part.data.weight_limit = limit;
    model.live.dispose();
    return out;
  }

  // Presses the rod down in the middle of a part, holds it, lets go.
  async function checkPush(pack, stage) {
    const model = await fresh(pack, stage), {rod, live, surface} = model;
    const {mesh, vertex} = model.probes[0], at = live.vertex(mesh, vertex), middle = model.box.getCenter(V());
    const eye = at.clone().add(
        at.clone().sub(middle).setY(0).add(V(0, pack.kind === 'tissue' ? 3 : 0.2, 1e-3)).setLength(3 * model.height));
    const ray = new THREE.Ray(eye, at.clone().sub(eye).normalize()), hit = surface.update('hanging').hit(ray);
    if (!hit) return {found: false};
    rod.aim(hit, eye, live);
    const before = live.vertex(hit.shape.mesh, hit.vertex), out = {found: true, worst_mm: 0};
    const depth = () => live.vertex(hit.shape.mesh, hit.vertex).sub(before).dot(rod.axis) * -1000 * live.metres();
    rod.pressed = true;
    let force = 0, jitter = 0, last = 0;
    for (let k = 0; k < 150; ++k) {
      live_stage.step(model, 1 / 60);
      out.worst_mm = Math.max(out.worst_mm, Math.abs(depth()));
      if (k > 110) force += rod.force / 39, jitter = Math.max(jitter, Math.abs(depth() - last));
      last = depth();
    }
    out.asked_mm = 1000 * Math.min(rod.depth, rod.wanted.most) * live.metres(), out.pushed_mm = depth(),
    out.force_n = force, out.jitter_mm = jitter;
    rod.pressed = false;
    for (let k = 0; k < 600; ++k) live_stage.step(model, 1 / 60);
    out.left_mm = depth();
    live.dispose();
    return out;
  }

  return async (packs, stage) => {
    const out = {revision: THREE.REVISION, packs: []};
    for (const pack of packs) {
      const model = await fresh(pack, stage), row = {name: pack.name, kind: pack.kind, parts: []};
      stage.scene.add(model.holder);
      stage.place(model.box, model.metres);
      stage.look(model.box, pack.kind === 'tissue');
      stage.renderer.render(stage.scene, stage.camera);
      row.draws = stage.renderer.info.render.triangles > 0 && stage.renderer.getContext().getError() === 0;
      row.programs_ok = stage.renderer.info.programs.every(p => !p.diagnostics);
      stage.scene.remove(model.holder);
      row.modes = model.live.parts.map(p => p.modes.length);
      model.live.dispose();
      for (let i = 0; i < row.modes.length; ++i) row.parts.push(await checkPart(pack, stage, i));
      row.push = await checkPush(pack, stage);
      out.packs.push(row);
    }
    return out;
  };
})();
