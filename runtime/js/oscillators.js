// The exact step of x'' + 2 d x' + K x = F with F a parabola over the step.

// co, si: exp(-d t) times cosine and sine / p of the damped frequency p, or their likes when it does not swing.
function decaying(d, K, t) {
  const rest = K - d * d, fall = Math.exp(-d * t);
  if (Math.abs(rest) * t * t < 1e-6) return [fall * (1 - rest * t * t / 2), fall * t * (1 - rest * t * t / 6)];
  if (rest > 0) {
    const p = Math.sqrt(rest);
    return [fall * Math.cos(p * t), fall * Math.sin(p * t) / p];
  }
  const p = Math.sqrt(-rest), slow = Math.exp(-K / (d + p) * t), fast = Math.exp(-(d + p) * t);  // d - p = K / (d + p)
  return [(slow + fast) / 2, (slow - fast) / (2 * p)];
}

// Response from rest to a forcing t^m / m!, by its power series; loses nothing where K t^2 is small.
function series(d, K, t, m) {
  // c_(n+1) (n+1) n = -2 d n c_n - K c_(n-1); term is c_n t^n, before is c_(n-1) t^(n-1).
  let before = 0, term = 1;
  for (let k = 1; k <= m + 2; ++k) term *= t / k;
  let sum = term;
  for (let n = m + 2; n < 80 && Math.abs(term) > 1e-18 * Math.abs(sum); ++n) {
    const next = (-2 * d * t * n * term - K * t * t * before) / ((n + 1) * n);
    before = term;
    term = next;
    sum += term;
  }
  return sum;
}

// How a step of length t takes (x, x') and the forcing at its start, middle and end to the new (x, x'):
//   x+  = a x + b x' + x0 F0 + xm Fm + x1 F1,    x'+ = c x + e x' + v0 F0 + vm Fm + v1 F1
export function gainsOf(d, K, t) {
  const [co, si] = decaying(d, K, t);
  const a = co + d * si, b = si, c = -K * si, e = co - d * si;
  const small = K * t * t < 1e-4 || (K * t * t < 1e-2 && d * t < 0.5);
  const g0 = small ? series(d, K, t, 0) : (1 - a) / K;
  const g1 = small ? series(d, K, t, 1) : (t - b - 2 * d * g0) / K;
  const g2 = small ? series(d, K, t, 2) : (t * t / 2 - g0 - 2 * d * g1) / K;
  const tt = t * t;
  return {
    a, b, c, e,
    x0: g0 - 3 * g1 / t + 4 * g2 / tt, xm: 4 * g1 / t - 8 * g2 / tt, x1: -g1 / t + 4 * g2 / tt,
    v0: b - 3 * g0 / t + 4 * g1 / tt, vm: 4 * g0 / t - 8 * g1 / tt, v1: -g0 / t + 4 * g1 / tt,
  };
}
