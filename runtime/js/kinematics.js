// How a bone moves, from the poses of the last frames: a smooth path through them, and its turning rate and
// accelerations in the bone's own axes. Quaternions are [x, y, z, w] of length 1; vectors are arrays of 3.

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const opposite = q => [-q[0], -q[1], -q[2], q[3]];

export function multiply(a, b) {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]];
}

export function rotate(q, v) {
  const t = cross(q, v), u = cross(q, t), w = 2 * q[3];
  return [v[0] + w * t[0] + 2 * u[0], v[1] + w * t[1] + 2 * u[1], v[2] + w * t[2] + 2 * u[2]];
}

// Along the axis, as long as the angle [rad]; of the two turns that lead there, the shorter.
export function rotationVector(q) {
  const sine = Math.hypot(q[0], q[1], q[2]), sign = q[3] < 0 ? -1 : 1;
  const scale = sine < 1e-12 ? 2 * sign : sign * 2 * Math.atan2(sine, sign * q[3]) / sine;
  return [scale * q[0], scale * q[1], scale * q[2]];
}

export function fromRotationVector(r) {
  const angle = Math.hypot(r[0], r[1], r[2]), scale = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
  return [scale * r[0], scale * r[1], scale * r[2], Math.cos(angle / 2)];
}

// Coefficients a, b, c of s a + s^2 b + s^3 c through 0 at s = 0 and through the values at the times (1, 2 or 3 of
// them, none 0): Newton's divided differences of value / s.
function through(times, values) {
  const none = [0, 0, 0], [s, t, r] = times, by = (v, x) => [v[0] / x, v[1] / x, v[2] / x];
  const f = values.map((v, k) => by(v, times[k]));
  if (f.length === 1) return [f[0], none, none];
  const g = by(minus(f[1], f[0]), t - s);
  const h = f.length === 2 ? none : by(minus(by(minus(f[2], f[1]), r - t), g), r - s);
  const mix = (x, y, z, p, q) => [x[0] + p * y[0] + q * z[0], x[1] + p * y[1] + q * z[1], x[2] + p * y[2] + q * z[2]];
  return [mix(f[0], g, h, -s, s * t), mix(none, g, h, 1, -(s + t)), h];
}

// Value, first and second derivative at s.
function sample([a, b, c], s) {
  const at = (x, y, z) => [0, 1, 2].map(k => x * a[k] + y * b[k] + z * c[k]);
  return [at(s, s * s, s * s * s), at(1, 2 * s, 3 * s * s), at(0, 2, 6 * s)];
}

// Turning rate and its derivative, in body axes, of the rotation exp(theta(s)): the series of the rotation vector's
// derivative, cut after the fourth power.
function turning([theta, rate, change]) {
  let a = rate, da = change;
  const omega = rate.slice(), alpha = change.slice();
  for (const c of [-1 / 2, 1 / 6, -1 / 24, 1 / 120]) {
    da = plus(cross(rate, a), cross(theta, da));
    a = cross(theta, a);
    for (let k = 0; k < 3; ++k) omega[k] += c * a[k], alpha[k] += c * da[k];
  }
  return [omega, alpha];
}

export class BonePath {
  constructor() {
    this.clear();
  }
  clear() {
    this.poses = [];      // the newest first, 4 at most: {position [m], quaternion, time [s]}
    this.lastTwist = null;  // [omega, velocity] at the end of the last step
  }
  get started() {
    return this.poses.length > 0;
  }
  start(position, quaternion) {
    this.poses = [{position: position.slice(), quaternion: quaternion.slice(), time: 0}];
    this.lastTwist = null;
  }

  // Whether the pose is farther off the course than a bone goes: it was put elsewhere. Limits of 0: never.
  leaves(dt, position, quaternion, limit, angle) {
    const [last, older] = this.poses;
    let ahead = last.position, turned = last.quaternion;
    if (older) {
      const ratio = dt / (last.time - older.time);
      ahead = ahead.map((x, k) => x + ratio * (x - older.position[k]));
      const turn = rotationVector(multiply(opposite(older.quaternion), turned));
      turned = multiply(turned, fromRotationVector(turn.map(x => ratio * x)));
    }
    const off = Math.hypot(...minus(position, ahead));
    const around = Math.hypot(...rotationVector(multiply(opposite(turned), quaternion)));
    return (limit > 0 && off > limit) || (angle > 0 && around > angle);
  }

  // Goes to the next pose. Returns the path at the start, middle and end of the step, each {turn (body of that moment
  // from the newest body), omega, alpha, velocity, acceleration} in the axes of that moment, and the jump of the twist
  // at the start: a path that meets every pose but was guessed anew has to change its velocity there.
  advance(dt, position, quaternion) {
    const older = this.poses, last = older[0];
    const before = older.length > 1 ? last.time - older[1].time : 0;
    const use = older.length > 1 && dt > 2.5 * before ? 1 : Math.min(3, older.length);
    const time = last.time + dt, back = opposite(quaternion);
    const times = [], moved = [], turned = [];
    for (let k = 0; k < use; ++k) {
      times.push(older[k].time - time);
      moved.push(rotate(back, minus(older[k].position, position)));
      turned.push(rotationVector(multiply(back, older[k].quaternion)));
    }
    const rho = through(times, moved), theta = through(times, turned);
    const samples = [-dt, -dt / 2, 0].map(s => {
      const angle = sample(theta, s), place = sample(rho, s), turn = fromRotationVector(angle[0].map(x => -x));
      const [omega, alpha] = turning(angle);
      return {turn, omega, alpha, velocity: rotate(turn, place[1]), acceleration: rotate(turn, place[2])};
    });
    const jump = this.lastTwist ? [minus(samples[0].omega, this.lastTwist[0]),
                                   minus(samples[0].velocity, this.lastTwist[1])] : [[0, 0, 0], [0, 0, 0]];
    this.lastTwist = [samples[2].omega, samples[2].velocity];
    // Times start again at each pose: differences stay exact however long it runs.
    for (const pose of older) pose.time -= time;
    older.unshift({position: position.slice(), quaternion: quaternion.slice(), time: 0});
    older.length = Math.min(4, older.length);
    return {samples, jump};
  }
}
