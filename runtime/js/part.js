// One soft part: the motion of its bone in, the weights of its morph targets out. Nothing of a drawing library here.
// docs/reference/live-pack.md says what is computed and why.
import {BonePath, multiply, rotate} from './kinematics.js';
import {gainsOf} from './oscillators.js';

const SHORTEST = 1e-6, LONGEST = 0.25;  // [s] a shorter step is a pause, a longer one a cut
const TURN = 0.25;  // [rad] a step: two passes of the force between modes follow no faster turn
const dot = (h, from, v) => h[from] * v[0] + h[from + 1] * v[1] + h[from + 2] * v[2];
const length = v => Math.hypot(v[0], v[1], v[2]);

function check(data) {
  const fail = what => { throw new Error(`live part '${data && data.name}': ${what}`); };
  const numbers = (list, n) => Array.isArray(list) && list.length === n && list.every(Number.isFinite);
  if (!data || !Array.isArray(data.modes) || !data.modes.length) fail('it has no modes');
  data.modes.forEach((mode, i) => {
    const its = `mode ${i + 1}: `;
    if (!(mode.frequency_hz > 0) || !Number.isFinite(mode.frequency_hz)) fail(its + 'frequency_hz must be above 0');
    if (!(mode.decay >= 0) || !Number.isFinite(mode.decay)) fail(its + 'decay must not be negative');
    if (!numbers(mode.transfer, 6)) fail(its + 'transfer must be 6 numbers');
    if (mode.centrifugal && !numbers(mode.centrifugal, 6)) fail(its + 'centrifugal must be 6 numbers');
    if (mode.coriolis && mode.coriolis.length &&
        (mode.coriolis.length !== data.modes.length || !mode.coriolis.every(c => numbers(c, 3))))
      fail(its + 'coriolis must be 3 numbers for each mode');
  });
}

export class LivePart {
  // data: one of the pack's parts; gravity: of the pack, world axes [m/s^2].
  constructor(data, gravity = [0, -9.81, 0]) {
    check(data);
    const n = data.modes.length, dials = data.dials || {};
    this.data = data;
    this.name = data.name;
    this.settings = {
      frequency: dials.frequency ?? 1, amplitude: dials.amplitude ?? 1, sag: dials.sag ?? 1,
      halfLife: dials.half_life ?? 1, motion: dials.motion ?? 'impulse',
      gravity: gravity.slice(), useGravity: true, centrifugal: true, coriolis: true, forceScale: data.force_scale ?? 1,
    };
    this.activeModes = n;               // level of detail: the others only hang
    this.muted = new Uint8Array(n);     // 1: a mode switched off by hand; it only hangs too
    this.extra = new Float64Array(n);   // forcing from elsewhere (pokes), held over a step
    this.weights = new Float64Array(n);
    this.z = new Float64Array(n);       // displacement and rate of each mode, before the amount is applied
    this.rate = new Float64Array(n);
    this.path = new BonePath();
    this.forces = [0, 1, 2].map(() => new Float64Array(n));
    this.hanging = [0, 1, 2].map(() => new Float64Array(n));
    this.gains = [];
    this.gainsFor = [];
    const coupled = data.modes.some(mode => mode.coriolis && mode.coriolis.length);
    this.coupling = coupled && Float64Array.from(
        data.modes.flatMap(m => m.coriolis && m.coriolis.length ? m.coriolis.flat() : new Array(3 * n).fill(0)));
  }
  get modes() {
    return this.data.modes;
  }
  // Whether a mode swings now.
  swings(i) {
    return i < this.activeModes && !this.muted[i];
  }
  // The next step starts afresh: no swinging, hanging as the pose then asks.
  reset() {
    this.path.clear();
  }

  // dt [s], the bone's position [m] and unit quaternion [x, y, z, w], both in the world. Returns the weights, one a
  // mode; the same array each time.
  step(dt, position, quaternion) {
    const c = Array.from(position), size = Math.hypot(...quaternion);
    const q = Array.from(quaternion, x => x / size);
    if (dt >= 0 && dt < SHORTEST) return this.weights;
    if (!c.every(Number.isFinite) || !q.every(Number.isFinite)) {
      this.reset();
      return this.weights;
    }
    const {cut_m = 0, cut_rad = 0} = this.data;
    if (!this.path.started || !(dt > 0) || dt > LONGEST || this.path.leaves(dt, c, q, cut_m, cut_rad))
      return this.settle(c, q);
    const {samples, jump} = this.path.advance(dt, c, q);
    samples.forEach((s, k) => this.hang(this.hanging[k], multiply(s.turn, [-q[0], -q[1], -q[2], q[3]])));
    this.drive(dt, samples, jump);
    this.swing(dt, samples);
    return this.write();
  }

  // At rest in a pose.
  settle(position, quaternion) {
    this.path.start(position, quaternion);
    this.hang(this.hanging[2], [-quaternion[0], -quaternion[1], -quaternion[2], quaternion[3]]);
    this.z.set(this.hanging[2]);
    this.rate.fill(0);
    return this.write();
  }

  // Where gravity pulls each mode to; turn: body from world.
  hang(out, turn) {
    const {sag, gravity, useGravity} = this.settings, rest = this.data.rest_gravity || [0, 0, 0];
    const g = rotate(turn, gravity).map((x, k) => sag * x - rest[k]);
    this.modes.forEach((mode, i) => {
      out[i] = useGravity ? -dot(mode.transfer, 3, g) / (2 * Math.PI * mode.frequency_hz) ** 2 : 0;
    });
  }

  // The jump at the start, and the forcing at start, middle and end.
  drive(dt, samples, [spin, shove]) {
    const {frequency: f, motion, forceScale, centrifugal} = this.settings;
    const most = this.data.force_limit || 0, mostAngular = this.data.angular_force_limit || 0;
    const mean = (start, name) =>
        start.map((x, k) => x / dt + (samples[0][name][k] + 4 * samples[1][name][k] + samples[2][name][k]) / 6);
    let scale = 1;
    if (most > 0) scale = Math.min(scale, most / length(mean(shove, 'acceleration')));
    if (mostAngular > 0) scale = Math.min(scale, mostAngular / length(mean(spin, 'alpha')));
    const by = scale * forceScale * (motion === 'sustained' ? f * f : f);
    this.modes.forEach((mode, i) => {
      const h = mode.transfer, stiffness = (f * 2 * Math.PI * mode.frequency_hz) ** 2;
      if (this.swings(i)) this.rate[i] += by * (dot(h, 0, spin) + dot(h, 3, shove));
      samples.forEach((s, k) => {
        let push = dot(h, 0, s.alpha) + dot(h, 3, s.acceleration);
        const [x, y, z] = s.omega, c = mode.centrifugal;
        if (c && centrifugal)
          push += c[0] * x * x + c[1] * y * y + c[2] * z * z + c[3] * x * y + c[4] * x * z + c[5] * y * z;
        this.forces[k][i] = by * push + stiffness * this.hanging[k][i] + this.extra[i];
      });
    });
  }

  // What the step of this length does to each mode (see gainsOf), at the dials as they are.
  prepare(dt) {
    const {frequency: f, halfLife} = this.settings;
    if (dt !== this.gainsFor[0] || f !== this.gainsFor[1] || halfLife !== this.gainsFor[2]) {
      this.gains = this.modes.map(m => gainsOf(m.decay / halfLife, (f * 2 * Math.PI * m.frequency_hz) ** 2, dt));
      this.gainsFor = [dt, f, halfLife];
    }
    return this.gains;
  }

  // All modes over the step; twice where they push one another through the turning of the bone.
  swing(dt, samples) {
    const gains = this.prepare(dt), [start, middle, end] = this.forces, z = this.z, rate = this.rate;
    if (this.coupling && this.settings.coriolis) {
      const plain = this.forces.map(f => f.slice());
      samples.forEach((s, k) => this.couple(this.forces[k], s.omega, rate, dt));
      const last = rate.map((v, i) => {
        const g = gains[i];
        return this.swings(i) ? g.c * z[i] + g.e * v + g.v0 * start[i] + g.vm * middle[i] + g.v1 * end[i] : 0;
      });
      middle.set(plain[1]), end.set(plain[2]);
      this.couple(middle, samples[1].omega, last.map((v, i) => (v + rate[i]) / 2), dt);
      this.couple(end, samples[2].omega, last, dt);
    }
    for (let i = 0; i < z.length; ++i) {
      const g = gains[i], x = z[i], v = rate[i];
      z[i] = g.a * x + g.b * v + g.x0 * start[i] + g.xm * middle[i] + g.x1 * end[i];
      rate[i] = g.c * x + g.e * v + g.v0 * start[i] + g.vm * middle[i] + g.v1 * end[i];
      if (!Number.isFinite(z[i] + rate[i]))
        z[i] = this.hanging[2][i], rate[i] = 0;  // numbers of the pack that no body has
    }
  }
  // Adds what the modes' rates do to one another while the bone turns.
  couple(out, omega, rates, dt) {
    const n = rates.length, c = this.coupling, slow = Math.min(1, TURN / Math.max(TURN, length(omega) * dt));
    const [x, y, z] = omega.map(o => slow * o);
    for (let i = 0, at = 0; i < n; ++i) {
      let sum = 0;
      for (let l = 0; l < n; ++l, at += 3) sum += rates[l] * (c[at] * x + c[at + 1] * y + c[at + 2] * z);
      out[i] += sum;
    }
  }

  write() {
    const {amplitude} = this.settings, limit = this.data.weight_limit || 0, rest = this.hanging[2];
    for (let i = 0; i < this.weights.length; ++i) {
      if (!this.swings(i)) this.z[i] = rest[i], this.rate[i] = 0;
      const y = amplitude * (this.z[i] - rest[i]), far = Math.abs(y) / (limit || 1);
      const bent = limit > 0 && far > 0.7 ? Math.sign(y) * limit * (0.7 + 0.3 * Math.tanh((far - 0.7) / 0.3)) : y;
      this.weights[i] = rest[i] + bent;
    }
    return this.weights;
  }
}
