// The JavaScript stepper against the shared test vectors and against closed forms.
//
//   node check_vectors.mjs [FOLDER of vectors]
//
// A vector is {"block": the extras block, "part": index, "settings": {...}, "frames": [{"dt", "position", "rotation"}],
// "weights": [[...] a frame]}. Ends with 1 when something is off.
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {LivePart} from '../../runtime/js/part.js';
import {gainsOf} from '../../runtime/js/oscillators.js';

const here = path.dirname(fileURLToPath(import.meta.url));
let failed = 0;
function check(name, got, most) {
  const good = got <= most;
  if (!good) ++failed;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name}: ${got.toExponential(2)} (at most ${most})`);
}

// --- the shared vectors
const folder = process.argv[2] || path.join(here, '..', '..', 'docs', 'reference', 'live-vectors');
const files = fs.existsSync(folder) ? fs.readdirSync(folder).filter(f => f.endsWith('.json')).sort() : [];
if (!files.length) console.log(`no vectors in ${folder}`);
const NAMES = {half_life: 'halfLife', force_scale: 'forceScale', use_gravity: 'useGravity'};
for (const file of files) {
  const v = JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8'));
  const part = new LivePart(v.block.parts[v.part || 0], v.block.gravity);
  for (const [key, value] of Object.entries(v.settings || {})) {
    if (key === 'active_modes') part.activeModes = value;
    else part.settings[NAMES[key] || key] = value;
  }
  let peak = 0, off = 0;
  v.frames.forEach((f, k) => {
    if (f.forcing) part.extra.set(f.forcing);
    const w = part.step(f.dt, f.position, f.rotation);
    part.extra.fill(0);
    v.weights[k].forEach((x, i) => {
      peak = Math.max(peak, Math.abs(x));
      off = Math.max(off, Number.isFinite(w[i]) ? Math.abs(w[i] - x) : Infinity);
    });
  });
  check(`vector ${file}`, off / peak, 1e-5);
}

// --- closed forms
const turnY = angle => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
const still = [0, 0, 0, 1];
const mode = (frequency_hz, decay, transfer, more = {}) =>
    ({name: 'm', frequency_hz, decay, mass: 1, transfer, centrifugal: [0, 0, 0, 0, 0, 0], ...more});
const make = (modes, more = {}) => new LivePart(
    {name: 'test', bone: 'b', rest_gravity: [0, 0, 0], cut_m: 0.5, cut_rad: 1.5, weight_limit: 0, modes, ...more},
    [0, 0, 0]);
const along = [0, 0, 0, -1, 0, 0];

// Free swinging after a push: A exp(-d t) cos(...), at dials.
for (const [speed, settle] of [[1, 1], [2, 1], [1, 0.5], [0.5, 3]]) {
  const part = make([mode(4, 1.5, along)]), dt = 1 / 60;
  Object.assign(part.settings, {frequency: speed, halfLife: settle});
  part.step(dt, [0, 0, 0], still);
  part.z[0] = 1, part.rate[0] = 0;
  const d = 1.5 / settle, p = Math.sqrt((speed * 8 * Math.PI) ** 2 - d * d);
  let off = 0;
  for (let k = 1; k <= 240; ++k) {
    const t = k * dt, w = part.step(dt, [0, 0, 0], still)[0];
    off = Math.max(off, Math.abs(w - Math.exp(-d * t) * (Math.cos(p * t) + d / p * Math.sin(p * t))));
  }
  check(`ring-down, speed ${speed}, settle ${settle}`, off, 1e-10);
}

// A steady lean: constant acceleration a gives H a / omega^2, whatever the frame rate.
for (const fps of [30, 60, 144]) {
  const part = make([mode(3, 6, along)]), a = 2;
  let w;
  for (let k = 0; k <= 4 * fps; ++k) w = part.step(1 / fps, [a * (k / fps) ** 2 / 2, 0, 0], still)[0];
  check(`steady lean at ${fps} fps`, Math.abs(w / (-a / (6 * Math.PI) ** 2) - 1), 1e-6);
}

// Steady turning: centrifugal forcing Omega^2, a point of the bone off the axis feels Omega^2 r as acceleration.
{
  const part = make([mode(3, 6, along, {centrifugal: [0, 0.7, 0, 0, 0, 0]})]), rate = 3, r = 0.2, fps = 60;
  let w;
  for (let k = 0; k <= 5 * fps; ++k) {
    const angle = rate * k / fps;
    w = part.step(1 / fps, [r * Math.cos(angle), 0, -r * Math.sin(angle)], turnY(angle))[0];
  }
  const wanted = (0.7 * rate * rate + r * rate * rate) / (6 * Math.PI) ** 2;
  check('steady turning', Math.abs(w / wanted - 1), 2e-3);
}

// Gravity: hangs at once after a reset, follows a slow turn, sag scales it, the drawn shape's own hanging is taken off.
{
  const part = make([mode(2, 3, [0, 0, 0, 0, -1, 0])], {rest_gravity: [0, -9.81, 0]});
  part.settings.gravity = [0, -9.81, 0];
  check('drawn as it hangs', Math.abs(part.step(0.01, [0, 0, 0], still)[0]), 1e-12);
  part.settings.sag = 2;
  part.reset();
  check('sag 2', Math.abs(part.step(0.01, [0, 0, 0], still)[0] / (-9.81 / (4 * Math.PI) ** 2) - 1), 1e-12);
}

// The same motion at 30, 60 and 144 fps: smooth, up to 5 Hz.
{
  const at = t => {
    const s = t > 0 ? t * t * t / (1 + t * t * t) : 0;  // starts softly
    return [[0.03 * s * Math.sin(2 * Math.PI * 5 * t), 0.05 * s * Math.sin(2 * Math.PI * 2.3 * t), 0],
            turnY(0.3 * s * Math.sin(2 * Math.PI * 3.1 * t))];
  };
  const modes = [mode(4, 2, [0.2, 0.5, 0.1, -1, 0.3, 0]), mode(9, 4, [0, -0.2, 0.1, 0.2, -1, 0.3]),
                 mode(1.2, 9, [0, 0.3, 0, -0.4, 0, 0])];
  const run = fps => {
    const part = make(modes), out = [];
    for (let k = 0; k <= 3 * fps; ++k) {
      const w = part.step(1 / fps, ...at(k / fps));
      if (k % (fps / 6) === 0) out.push(...w);
    }
    return out;
  };
  const fine = run(2400), size = Math.sqrt(fine.reduce((s, x) => s + x * x, 0));
  for (const [fps, most] of [[30, 0.03], [60, 0.003], [144, 3e-4]]) {
    const got = run(fps);
    check(`${fps} fps against 2400`, Math.sqrt(got.reduce((s, x, i) => s + (x - fine[i]) ** 2, 0)) / size, most);
  }
}

// A part's own scale of inertial forces: on motion, not on gravity.
{
  const run = more => {
    const part = make([mode(3, 2, along)], more);
    part.settings.gravity = [3, 0, 0];
    let w;
    for (let k = 0; k < 20; ++k) w = part.step(0.01, [0.02 * Math.sin(0.2 * k), 0, 0], still)[0];
    return w - 3 / (6 * Math.PI) ** 2;
  };
  check('force scale', Math.abs(run({force_scale: 0.4}) / run({}) - 0.4), 1e-9);
}

// A yank between two poses: the jump of velocity is what matters (impulse H dv), also with uneven steps.
for (const steps of [[1 / 60], [0.01, 0.023, 0.017]]) {
  const part = make([mode(2, 1, along)]), v = 3;
  let t = 0, k = 0, at = -0.5;
  part.step(0.01, [0, 0, 0], still);
  while (at < 0.2) {
    const dt = steps[k++ % steps.length];
    t += dt, at += dt;
    part.step(dt, [v * Math.max(0, at), 0, 0], still);
  }
  const p = Math.sqrt((4 * Math.PI) ** 2 - 1), wanted = -v * Math.exp(-at) * Math.sin(p * at) / p;
  check(`yank, ${steps.length} step lengths`, Math.abs(part.weights[0] / wanted - 1), 0.01);
}

// Pause, teleport, hitch, bad poses, level of detail, limits.
{
  const part = make([mode(3, 1, along), mode(5, 1, along)]), dt = 1 / 60;
  const shake = n => {
    for (let k = 0; k < n; ++k) part.step(dt, [0.05 * Math.sin(15 * k * dt), 0, 0], still);
  };
  shake(30);
  const before = [...part.weights];
  part.step(0, [7, 7, 7], still);
  part.step(dt, [NaN, 0, 0], still);
  check('a pause and a bad pose change nothing', Math.max(...before.map((x, i) => Math.abs(x - part.weights[i]))), 0);
  part.step(dt, [0, 0, 0], [0, 0, 0, 0]);
  part.step(dt, [0.06, 0, 0], still);
  check('the next good pose is a cut', Math.max(...part.weights.map(Math.abs)), 0);
  shake(30);
  part.step(dt, [9, 0, 0], still);
  check('a teleport settles', Math.max(...part.weights.map(Math.abs)), 0);
  shake(30);
  part.step(0.3, [0, 0, 0], still);
  check('a long step settles', Math.max(...part.weights.map(Math.abs)), 0);
  part.activeModes = 1;
  shake(30);
  check('level of detail', Math.abs(part.weights[1]) + (part.weights[0] === 0), 0);
  part.data.weight_limit = 1;
  part.z[0] = 50;
  part.step(dt, [0, 0, 0], still);
  check('weights are bent', Math.abs(part.weights[0]), 1);
}

// Gains against 4000 small Runge-Kutta steps, all kinds of damping.
for (const [d, K, t] of [[1, 400, 0.05], [30, 400, 0.05], [20, 400, 0.05], [20.0001, 400, 0.02], [0.4, 0.3, 0.01],
                         [60, 10, 0.2], [0, 900, 1 / 30]]) {
  const g = gainsOf(d, K, t), F = [0.7, -1.1, 2.3], x0 = 0.3, v0 = -2;
  const force = s => {
    const u = s / t;
    return F[0] * (1 - u) * (1 - 2 * u) + 4 * F[1] * u * (1 - u) + F[2] * u * (2 * u - 1);
  };
  let x = x0, v = v0;
  const n = 4000, h = t / n, acc = (X, V, s) => force(s) - 2 * d * V - K * X;
  for (let k = 0; k < n; ++k) {
    const s = k * h, a1 = acc(x, v, s), a2 = acc(x + h / 2 * v, v + h / 2 * a1, s + h / 2);
    const a3 = acc(x + h / 2 * (v + h / 2 * a1), v + h / 2 * a2, s + h / 2);
    const a4 = acc(x + h * (v + h / 2 * a2), v + h * a3, s + h);
    x += h * v + h * h / 6 * (a1 + a2 + a3);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const X = g.a * x0 + g.b * v0 + g.x0 * F[0] + g.xm * F[1] + g.x1 * F[2];
  const V = g.c * x0 + g.e * v0 + g.v0 * F[0] + g.vm * F[1] + g.v1 * F[2];
  check(`gains d ${d} K ${K} t ${t.toFixed(3)}`, Math.max(Math.abs(X - x), Math.abs(V - v) * t), 1e-9);
}

// Coriolis: two modes coupled by a turning bone against small steps.
{
  const c = 0.8, rate = 4;
  const run = fps => {
    const part = make([mode(2, 0.5, along, {coriolis: [[0, 0, 0], [0, c, 0]]}),
                       mode(2, 0.5, [0, 0, 0, 0, 0, -1], {coriolis: [[0, -c, 0], [0, 0, 0]]})]);
    for (let k = 0; k < 4; ++k) part.step(1 / fps, [0, 0, 0], turnY(rate * k / fps));
    part.z.set([1, 0]), part.rate.fill(0);
    for (let k = 4; k < 4 + fps; ++k) part.step(1 / fps, [0, 0, 0], turnY(rate * k / fps));
    return [...part.weights];
  };
  // In complex form x = z0 - i z1: x'' + 2 d x' + K x = i c rate x', with x(0) = 1, x'(0) = 0.
  const d = 0.5, K = (4 * Math.PI) ** 2, b = c * rate;
  let x = [1, 0], v = [0, 0];
  const n = 20000, h = 1 / n;
  for (let k = 0; k < n; ++k) {
    const acc = (X, V) => [-2 * d * V[0] - K * X[0] + b * V[1], -2 * d * V[1] - K * X[1] - b * V[0]];
    const a1 = acc(x, v), xm = x.map((q, j) => q + h / 2 * v[j]), vm = v.map((q, j) => q + h / 2 * a1[j]);
    const a2 = acc(xm, vm);
    x = x.map((q, j) => q + h * vm[j]), v = v.map((q, j) => q + h * a2[j]);
  }
  for (const [fps, most] of [[30, 0.03], [240, 5e-4]]) {
    const w = run(fps);
    check(`coupled modes at ${fps} fps`, Math.hypot(w[0] - x[0], w[1] - x[1]) / Math.hypot(...x), most);
  }
}

// Bad packs are refused by name.
for (const [what, data] of [
         ['no modes', {name: 'p', modes: []}], ['bad frequency', {name: 'p', modes: [mode(NaN, 1, along)]}],
         ['short transfer', {name: 'p', modes: [mode(1, 1, [1, 2])]}],
         ['bad coupling', {name: 'p', modes: [mode(1, 1, along, {coriolis: [[1]]})]}]]) {
  let said = '';
  try { new LivePart(data); } catch (e) { said = e.message; }
  check(`refused: ${what}`, said.includes("live part 'p'") ? 0 : 1, 0);
}

console.log(failed ? `${failed} checks failed` : 'all checks passed');
process.exit(failed ? 1 : 0);
