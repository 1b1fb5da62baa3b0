"""Frequency and half-life of a series, by least squares on

    y(t) = c + d 2^(-t / T_0) + sum_k 2^(-t / T_k) (a_k cos(2 pi f_k t) + b_k sin(2 pi f_k t))

For given f_k and decays the rest is linear. One oscillation after the other is taken from the largest bump in the
spectrum of what is left, or a drift where that explains more; then all frequencies and decays are refined together
(damped Gauss-Newton, derivatives by differences). The engine's own estimator is a matrix pencil; nothing is shared."""
import math

# A misfit (rms over rms) that one oscillation may leave in a record of so few periods: two that are nearly as fast, as
# those of a bar with a square section, cannot be told apart there, and their mean is what is seen.
ENOUGH, LONG = 0.025, 4
STILL = 0.02  # of the farthest: less is the end of a ring


def solve(A, b):
    """Least squares of a small symmetric system, by elimination with pivots; None where it is singular."""
    n = len(b)
    M = [row[:] + [v] for row, v in zip(A, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(M[r][i]))
        if abs(M[p][i]) < 1e-300:
            return None
        M[i], M[p] = M[p], M[i]
        for r in range(i + 1, n):
            f = M[r][i] / M[i][i]
            if f:
                for c in range(i, n + 1):
                    M[r][c] -= f * M[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (M[i][n] - sum(M[i][c] * x[c] for c in range(i + 1, n))) / M[i][i]
    return x


def columns(poles, n, dt):
    out = [[1.0] * n]
    for f, decay in poles:
        e = [math.exp(-decay * k * dt) for k in range(n)]
        if f == 0:  # a drift
            out.append(e)
            continue
        out.append([v * math.cos(2 * math.pi * f * k * dt) for k, v in enumerate(e)])
        out.append([v * math.sin(2 * math.pi * f * k * dt) for k, v in enumerate(e)])
    return out


def fit(y, dt, poles):
    """What is left of y, and the coefficients."""
    cols = columns(poles, len(y), dt)
    scale = [math.sqrt(sum(v * v for v in c)) or 1.0 for c in cols]
    cols = [[v / s for v in c] for c, s in zip(cols, scale)]
    A = [[sum(p * q for p, q in zip(a, b)) + (1e-13 if a is b else 0) for b in cols] for a in cols]
    x = solve(A, [sum(p * q for p, q in zip(a, y)) for a in cols])
    if x is None:
        return None, None
    left = [v - sum(x[c] * cols[c][k] for c in range(len(cols))) for k, v in enumerate(y)]
    return left, [v / s for v, s in zip(x, scale)]


def energy(y):
    return sum(v * v for v in y)


def loudest(y, dt):
    """The frequency of the largest bump: a Hann window, and steps of an eighth of a bin."""
    n = len(y)
    mean = sum(y) / n
    w = [(v - mean) * (0.5 - 0.5 * math.cos(2 * math.pi * (k + 0.5) / n)) for k, v in enumerate(y)]
    best = (0.0, 0.0)
    for j in range(4, 4 * n):
        f = j / (8 * n * dt)
        c = s = 0.0
        for k, v in enumerate(w):
            a = 2 * math.pi * f * k * dt
            c += v * math.cos(a)
            s += v * math.sin(a)
        best = max(best, (c * c + s * s, f))
    return best[1]


def refine(y, dt, poles, rounds=60):
    left, _ = fit(y, dt, poles)
    cost, push = energy(left), 1e-3
    highest = 0.5 / dt
    for _ in range(rounds):
        flat = [v for p in poles for v in p]
        J = []
        for i, v in enumerate(flat):
            if i % 2 == 0 and v == 0:
                J.append(None)
                continue
            h = 1e-5 * max(abs(v), 0.1)
            moved = flat[:]
            moved[i] += h
            other, _ = fit(y, dt, [tuple(moved[k:k + 2]) for k in range(0, len(moved), 2)])
            if other is None:
                return poles, cost
            J.append([(b - a) / h for a, b in zip(left, other)])
        open_ = [i for i, j in enumerate(J) if j is not None]
        J = [J[i] for i in open_]
        A = [[sum(p * q for p, q in zip(a, b)) for b in J] for a in J]
        g = [sum(p * q for p, q in zip(a, left)) for a in J]
        better = False
        for _ in range(12):
            step = solve([[v * (1 + push) if r == c else v for c, v in enumerate(row)] for r, row in enumerate(A)], g)
            if step is None:
                break
            moved = flat[:]
            for i, s in zip(open_, step):
                moved[i] -= s
            new = [tuple(moved[k:k + 2]) for k in range(0, len(moved), 2)]
            if all((0 < f < highest or f == 0 == q[0]) and -2 / (len(y) * dt) < d < 60 for (f, d), q in zip(new, poles)):
                other, _ = fit(y, dt, new)
                if other is not None and energy(other) < cost:
                    gain = cost - energy(other)
                    poles, left, cost, better = new, other, energy(other), gain > 1e-12 * cost
                    push = max(push / 5, 1e-12)
                    break
            push *= 4
        if not better:
            break
    return poles, cost


class Ring:
    def __init__(self, f, decay, amplitude, share, misfit, periods):
        self.frequency_hz, self.amplitude, self.share = f, amplitude, share
        self.half_life_s = math.log(2) / decay if decay > 0 else math.inf
        self.misfit, self.periods = misfit, periods


def while_it_rings(y):
    """Without the long end in which it stands still, or creeps: there is nothing in it but noise."""
    rest = sorted(y[-max(1, len(y) // 10):])[max(1, len(y) // 10) // 2]
    far = max(abs(v - rest) for v in y)
    last = max((i for i, v in enumerate(y) if abs(v - rest) > STILL * far), default=0)
    return y[:max(24, last + 1 + last // 4)]


def ring(y, dt, most=3):
    """The strongest oscillation of y of which there are two periods or more; None without one. Drifts and what dies
    within a period are fitted too, and are not it."""
    y = while_it_rings(y)
    n = len(y)
    if n < 8:
        return None
    mean = sum(y) / n
    total = energy([v - mean for v in y])
    if total <= 0:
        return None
    poles, left, cost = [], [v - mean for v in y], total
    while len(poles) < most and n > 6 * len(poles) + 8:
        tries = [(loudest(left, dt), 2.0 / (n * dt))]
        if not any(f == 0 for f, _ in poles):
            tries.append((0, 3.0 / (n * dt)))
        now, new = min(refine(y, dt, poles + [t])[::-1] for t in tries)
        if poles and now > 0.7 * cost:  # another oscillation has to explain something
            break
        poles, cost = new, now
        left, _ = fit(y, dt, poles)
        short = len(poles) == 1 and poles[0][0] * n * dt < LONG
        if cost < (ENOUGH ** 2 if short else 1e-10) * total:
            break
    _, x = fit(y, dt, poles)
    found = []
    at = 1
    for f, decay in poles:
        a, b = (x[at], 0) if f == 0 else x[at:at + 2]
        at += 1 if f == 0 else 2
        e = energy([math.exp(-decay * j * dt) * (a * math.cos(2 * math.pi * f * j * dt) + b * math.sin(2 * math.pi * f * j * dt))
                    for j in range(n)])
        found.append((e, f, decay, math.hypot(a, b)))
    swings = [v for v in found if v[1] * n * dt >= 2 and v[2] < 5 * v[1]]  # not a drift, nor what dies within a period
    if not swings or max(swings)[0] < 0.1 * sum(v[0] for v in found):
        return None
    e, f, decay, amplitude = max(swings)
    return Ring(f, decay, amplitude, e / sum(v[0] for v in found), math.sqrt(cost / total), f * n * dt)
