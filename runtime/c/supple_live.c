/* The step is that of docs/reference/live-pack.md. Two kernels take the time:
 *   read_motion   eight instances in the lanes of vector registers: poses -> accelerations at the step's start, middle
 *                 and end (no branches, so that compilers vectorise the loop whole);
 *   step_modes    the modes of one instance in the lanes: accelerations -> weights.
 * Nothing is fused or reordered by the compiler (contraction off, no fast maths) and no sine or square root of libm is
 * used by them, so the same input gives the same bits with and without AVX2. */
#include "supple_live.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "supple_live.c tells bad poses by their NaNs: compile this file without -ffast-math / -ffinite-math-only"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__GNUC__) || defined(__clang__) || defined(_MSC_VER)
#define RESTRICT __restrict
#else
#define RESTRICT
#endif

#if defined(__GNUC__) || defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define INLINE static __forceinline
#else
#define INLINE static inline
#endif

/* Before a loop whose turns do not touch what others write. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define INDEPENDENT __pragma(loop(ivdep))
#else
#define INDEPENDENT
#endif

/* The thread sanitizer is not there yet when a program is loaded: what chooses then would crash. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(SUPPLE_LIVE_NO_CLONES)
#define SUPPLE_LIVE_NO_CLONES
#endif
#elif defined(__SANITIZE_THREAD__) && !defined(SUPPLE_LIVE_NO_CLONES)
#define SUPPLE_LIVE_NO_CLONES
#endif

/* Vector registers of 32 bytes where the machine has them, chosen when the program is loaded. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__AVX2__) && \
    !defined(SUPPLE_LIVE_NO_CLONES)
#define CLONES __attribute__((target_clones("default", "avx2")))
#else
#define CLONES
#endif

#define LANES 8 /* not an enumerator: C++ frowns on sums of two kinds */
enum { MAX_PARTS = 1 << 20, MAX_MODES = 1024, MAX_INSTANCES = 1 << 24 };
static const double kPi = 3.14159265358979323846;
static const double kShortest = 1e-6, kLongest = 0.25; /* [s] steps between are taken, others pause or cut */
static const double kLongStep = 2.5;                   /* times the last step: the older past is not trusted */
static const float kMostTurn = 0.25f;                  /* [rad] a step, that the force between modes follows */

/* Fields of a lane block: eight instances side by side, LANES floats a field. */
enum {
  IN_POSE = 0,         /* 7: as set, position and quaternion */
  RING = 7,            /* 4 x 7: poses stepped, quaternions unit */
  TWIST = RING + 28,   /* 6: turning rate and velocity at the end of the last step */
  TURN = TWIST + 6,    /* 3: rotation vector of the last step */
  GRAVITY = TURN + 3,  /* 3: world, 0 when switched off */
  REST = GRAVITY + 3,  /* 3: rest_gravity, 0 when switched off */
  SAG = REST + 3,      /* dial */
  GAIN = SAG + 1,      /* E: dial of frequency, motion and force_scale */
  STIFF = GAIN + 1,    /* frequency dial squared */
  SPIN = STIFF + 1,    /* centrifugal switch */
  CUT2 = SPIN + 1,     /* cut_m squared */
  CUT_COS = CUT2 + 1,  /* cos(cut_rad / 2) */
  LIMIT = CUT_COS + 1, /* force_limit */
  ANGULAR = LIMIT + 1, /* angular_force_limit */
  BLOCK_FIELDS = ANGULAR + 1
};
/* What read_motion hands over, LANES floats a field. */
enum {
  AT = 0,    /* 3 x 12: per time angular(3), linear(3), products(6), all scaled, gravity in linear */
  JUMP = 36, /* 6: angular, linear, scaled */
  LEAN = 42, /* 3: sag x gravity - rest_gravity at the end */
  RATE = 45, /* 3 x 3: turning rate per time, for Coriolis */
  MOTION_FIELDS = 54
};
/* Arrays of a part and of a slot, n8 (modes rounded up to LANES) floats each. */
enum { TRANSFER = 0, CENTRIFUGAL = 6, SOFTNESS = 12 /* 1 / omega^2 */, PART_ARRAYS = 13 };
enum { GA, GB, GC, GD, G0, GM, G1, V0, VM, V1, GAIN_ARRAYS };
enum { OSC_K, OSC_D, OSC_P, OSC_INV_K, OSC_INV_P, OSC_ARRAYS }; /* doubles of a slot */
enum { NODE_WEIGHTS = 7, LAGRANGE = 3 * NODE_WEIGHTS };         /* per older pose: value mid, rate x 3, second x 3 */

typedef struct {
  int modes, n8;
  float* arrays;   /* PART_ARRAYS */
  float* coriolis; /* [from mode][xyz][n8], or NULL */
  float* mass;
  double *omega, *decay;
  supple_live_part own; /* its pointers are NULL: only the plain numbers are kept */
} Part;

typedef struct {
  int part, users;
  float frequency, half_life;
  double dt; /* that the gains are for; 0: none yet */
  double* oscillators;
  float* gains;
} Slot;

typedef struct {
  int part, slot, active, forced;
  float *z, *rate, *weights, *forcing;
  supple_live_settings settings;
} Instance;

struct supple_live_world {
  int part_count, instance_count, slot_count, block_count, head;
  double dt1, dt2; /* the last step and the one before */
  Part* parts;
  Slot* slots;
  Instance* instances;
  float* blocks;
  unsigned char* older; /* number of poses known, at most 3, per lane */
  float* scratch;       /* 10 arrays of the largest n8 */
  float* zeros;         /* forcing of those that have none */
  float start_gravity[3];
  int start_use_gravity;
};

static supple_live_result fail(supple_live_result result, char* message, size_t size, const char* format, ...) {
  if (message && size) {
    va_list list;
    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
  }
  return result;
}

static int round_up(int n) { return (n + LANES - 1) / LANES * LANES; }

/* Hands out pieces of the block; with no block only counts. */
typedef struct {
  unsigned char* base;
  uint64_t used;
} Arena;

static void* take(Arena* arena, uint64_t count, size_t size, size_t align) {
  void* piece;
  arena->used = (arena->used + align - 1) / align * align;
  piece = arena->base ? (void*)(arena->base + (size_t)arena->used) : NULL;
  arena->used += count * size;
  return piece;
}
static float* take_floats(Arena* arena, uint64_t count) { return (float*)take(arena, count, sizeof(float), 32); }

/* ---- Motion of the bones ---------------------------------------------------------------------------------------- */

typedef struct {
  float x, y, z;
  float unused[2]; /* past 16 bytes it is not passed in pairs of floats, which keep clang from vectorising */
} V3;
typedef struct {
  float x, y, z, w;
  float unused[1];
} Q4;

INLINE V3 v3(float x, float y, float z) {
  V3 r;
  r.x = x, r.y = y, r.z = z;
  return r;
}
INLINE V3 add(V3 a, V3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
INLINE V3 sub(V3 a, V3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
INLINE V3 times(V3 a, float s) { return v3(a.x * s, a.y * s, a.z * s); }
INLINE V3 cross(V3 a, V3 b) { return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
INLINE float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* yes ? a : b by masks: compilers make branches of ?: and then no vectors of the loop. */
INLINE float pick(int yes, float a, float b) {
  union {
    float f;
    uint32_t i;
  } x, y;
  uint32_t mask = 0u - (uint32_t)yes;
  x.f = a, y.f = b;
  x.i = (x.i & mask) | (y.i & ~mask);
  return x.f;
}
INLINE float smaller(float a, float b) { return pick(a < b, a, b); }

/* 1 / sqrt(x) to rounding, for 1e-37 < x < 1e37; for 0 something large and finite. */
INLINE float inverse_root(float x) {
  union {
    float f;
    uint32_t i;
  } u;
  float y;
  u.f = x;
  u.i = 0x5f3759dfu - (u.i >> 1);
  y = u.f;
  y = y * (1.5f - 0.5f * x * y * y);
  y = y * (1.5f - 0.5f * x * y * y);
  y = y * (1.5f - 0.5f * x * y * y);
  return y + 0.5f * y * (1 - x * y * y);
}

/* conj(a) b, the sign that gives the shorter arc. */
INLINE Q4 relative(Q4 a, Q4 b) {
  Q4 r;
  float sign;
  r.w = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  r.x = a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y;
  r.y = a.w * b.y + a.x * b.z - a.y * b.w - a.z * b.x;
  r.z = a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w;
  sign = pick(r.w < 0, -1, 1);
  r.x *= sign, r.y *= sign, r.z *= sign, r.w *= sign;
  return r;
}

/* Rotation vector of a unit quaternion with w >= 0: with t = tan(angle / 4) = |v| / (1 + w), at most 1, it is
 * 4 (atan(t) / t) / (1 + w) v. The polynomial in t^2 is within 5e-10. */
INLINE V3 rotation_vector(Q4 q) {
  float inv = 1 / (1 + q.w), y = (q.x * q.x + q.y * q.y + q.z * q.z) * inv * inv;
  float p = 1.103740338e-03f;
  p = p * y - 7.267214730e-03f;
  p = p * y + 2.243081704e-02f;
  p = p * y - 4.455997613e-02f;
  p = p * y + 6.732218640e-02f;
  p = p * y - 8.806893575e-02f;
  p = p * y + 1.105707743e-01f;
  p = p * y - 1.427965319e-01f;
  p = p * y + 1.999965691e-01f;
  p = p * y - 3.333332649e-01f;
  p = p * y + 1;
  p = 4 * p * inv;
  return v3(q.x * p, q.y * p, q.z * p);
}

/* Unit quaternion of a rotation vector: cosine and sine of the half angle, brought into -pi .. pi first. */
INLINE Q4 quaternion(V3 t) {
  Q4 q;
  float s2 = 0.25f * dot(t, t), inv = inverse_root(s2), half = s2 * inv;
  float turns = (half * 0.15915494309f + 12582912.0f) - 12582912.0f;
  float left = (half - turns * 6.28125f) - turns * 1.9353071796e-3f, y = left * left;
  float c = -9.731332742e-12f, s = -6.615795036e-13f;
  c = c * y + 2.060712091e-09f, s = s * y + 1.589871732e-10f;
  c = c * y - 2.753536355e-07f, s = s * y - 2.503903499e-08f;
  c = c * y + 2.480059886e-05f, s = s * y + 2.755673016e-06f;
  c = c * y - 1.388886500e-03f, s = s * y - 1.984125559e-04f;
  c = c * y + 4.166666392e-02f, s = s * y + 8.333333169e-03f;
  c = c * y - 4.999999989e-01f, s = s * y - 1.666666666e-01f;
  c = c * y + 1, s = s * y + 1;
  s = 0.5f * s * pick(turns == 0, 1, left * inv);
  q.x = t.x * s, q.y = t.y * s, q.z = t.z * s, q.w = c;
  return q;
}

/* The vector seen from axes turned by q: R(q)^T v. */
INLINE V3 turned_back(Q4 q, V3 v) {
  V3 u = v3(q.x, q.y, q.z), t = times(cross(u, v), 2);
  return add(sub(v, times(t, q.w)), cross(u, t));
}

/* Turning rate and acceleration in body axes from the rotation vector and its derivatives. */
INLINE void rates(V3 theta, V3 d1, V3 d2, V3* omega, V3* alpha) {
  V3 a = d1, b = d2, o = d1, l = d2;
  b = add(cross(d1, a), cross(theta, b)), a = cross(theta, a);
  o = sub(o, times(a, 0.5f)), l = sub(l, times(b, 0.5f));
  b = add(cross(d1, a), cross(theta, b)), a = cross(theta, a);
  o = add(o, times(a, 1.0f / 6)), l = add(l, times(b, 1.0f / 6));
  b = add(cross(d1, a), cross(theta, b)), a = cross(theta, a);
  o = sub(o, times(a, 1.0f / 24)), l = sub(l, times(b, 1.0f / 24));
  b = add(cross(d1, a), cross(theta, b)), a = cross(theta, a);
  *omega = add(o, times(a, 1.0f / 120)), *alpha = add(l, times(b, 1.0f / 120));
}

#define FIELD(base, field) (base)[(field)*LANES + l]
#define LOAD3(base, field) v3(FIELD(base, field), FIELD(base, (field) + 1), FIELD(base, (field) + 2))
#define STORE3(base, field, v) \
  (FIELD(base, field) = (v).x, FIELD(base, (field) + 1) = (v).y, FIELD(base, (field) + 2) = (v).z)
/* The polynomial's derivative number j of those stored per older pose. */
#define MIX(j, a)                                                                             \
  add(add(times(a##1, FIELD(lagrange, j)), times(a##2, FIELD(lagrange, NODE_WEIGHTS + (j)))), \
      times(a##3, FIELD(lagrange, 2 * NODE_WEIGHTS + (j))))
#define STORE_FORCING(time, lin, ang, om)                                              \
  {                                                                                    \
    V3 angular = times(ang, gain), linear = sub(times(lin, gain), times(lean, stiff)); \
    STORE3(motion, AT + 12 * (time), angular);                                         \
    STORE3(motion, AT + 12 * (time) + 3, linear);                                      \
    FIELD(motion, AT + 12 * (time) + 6) = spin * (om.x * om.x);                        \
    FIELD(motion, AT + 12 * (time) + 7) = spin * (om.y * om.y);                        \
    FIELD(motion, AT + 12 * (time) + 8) = spin * (om.z * om.z);                        \
    FIELD(motion, AT + 12 * (time) + 9) = spin * (om.x * om.y);                        \
    FIELD(motion, AT + 12 * (time) + 10) = spin * (om.x * om.z);                       \
    FIELD(motion, AT + 12 * (time) + 11) = spin * (om.y * om.z);                       \
    STORE3(motion, RATE + 3 * (time), om);                                             \
  }

/* head: ring place of the new pose. known: older poses as floats. state: 0 step, 1 start afresh, 2 no pose. */
CLONES static void read_motion(float* RESTRICT block, const float* RESTRICT lagrange, const float* RESTRICT known,
                               int head, float inv_dt, float stretch, float* RESTRICT motion, float* RESTRICT state) {
  float* RESTRICT now = block + (size_t)(RING + 7 * head) * LANES;
  const float* RESTRICT past1 = block + (size_t)(RING + 7 * ((head + 3) & 3)) * LANES;
  const float* RESTRICT past2 = block + (size_t)(RING + 7 * ((head + 2) & 3)) * LANES;
  const float* RESTRICT past3 = block + (size_t)(RING + 7 * ((head + 1) & 3)) * LANES;
  const float* RESTRICT in = block + IN_POSE * LANES;
  int l;
  INDEPENDENT
  for (l = 0; l < LANES; ++l) {
    /* The new pose; 1e15 is as good as infinite, and its square still is a float. */
    V3 c0 = LOAD3(in, 0);
    Q4 q0, q1, q2, q3;
    const float big = 1e15f;
    float size2, unit;
    int good;
    q0.x = FIELD(in, 3), q0.y = FIELD(in, 4), q0.z = FIELD(in, 5), q0.w = FIELD(in, 6);
    size2 = q0.x * q0.x + q0.y * q0.y + q0.z * q0.z + q0.w * q0.w;
    good = (c0.x < big) & (c0.x > -big) & (c0.y < big) & (c0.y > -big) & (c0.z < big) & (c0.z > -big) &
           (size2 > 1e-12f) & (size2 < 1e12f);
    unit = inverse_root(size2);
    c0 = v3(pick(good, c0.x, 0), pick(good, c0.y, 0), pick(good, c0.z, 0));
    q0.x = pick(good, q0.x * unit, 0), q0.y = pick(good, q0.y * unit, 0);
    q0.z = pick(good, q0.z * unit, 0), q0.w = pick(good, q0.w * unit, 1);
    STORE3(now, 0, c0);
    FIELD(now, 3) = q0.x, FIELD(now, 4) = q0.y, FIELD(now, 5) = q0.z, FIELD(now, 6) = q0.w;

    /* Older poses in the chart of the new one. */
    {
      V3 w1 = sub(LOAD3(past1, 0), c0), w2 = sub(LOAD3(past2, 0), c0), w3 = sub(LOAD3(past3, 0), c0);
      V3 rho1 = turned_back(q0, w1), rho2 = turned_back(q0, w2), rho3 = turned_back(q0, w3);
      V3 theta1, theta2, theta3, g0, g1, g2, v0, v2, a0, a1, a2, omega0, omega1, omega2, alpha0, alpha1, alpha2;
      V3 jump_v, jump_o, mean, mean_o, lean, off, turn;
      Q4 guess, middle;
      float gain, stiff, spin, first, many, straying;
      int cut;
      q1.x = FIELD(past1, 3), q1.y = FIELD(past1, 4), q1.z = FIELD(past1, 5), q1.w = FIELD(past1, 6);
      q2.x = FIELD(past2, 3), q2.y = FIELD(past2, 4), q2.z = FIELD(past2, 5), q2.w = FIELD(past2, 6);
      q3.x = FIELD(past3, 3), q3.y = FIELD(past3, 4), q3.z = FIELD(past3, 5), q3.w = FIELD(past3, 6);
      q1 = relative(q0, q1), q2 = relative(q0, q2), q3 = relative(q0, q3);
      theta1 = rotation_vector(q1), theta2 = rotation_vector(q2), theta3 = rotation_vector(q3);

      /* Was it put elsewhere? Against the straight course. */
      first = pick(known[l] > 1.5f, 1, 0); /* 0 on the first step after a start */
      many = first * stretch;
      off = add(w1, times(sub(w1, w2), many));
      turn = LOAD3(block, TURN);
      guess = quaternion(times(turn, many));
      straying = fabsf(q1.w * guess.w - q1.x * guess.x - q1.y * guess.y - q1.z * guess.z);
      cut = (dot(off, off) > FIELD(block, CUT2)) | (straying < FIELD(block, CUT_COS)) | (known[l] < 0.5f);
      state[l] = pick(good, pick(cut, 1, 0), 2);
      STORE3(block, TURN, times(theta1, -1));

      /* Start, middle and end of the polynomial. At the start it is at the last pose, at the end at the new one. */
      middle = quaternion(MIX(0, theta));
      rates(theta1, MIX(1, theta), MIX(4, theta), &omega0, &alpha0);
      rates(MIX(0, theta), MIX(2, theta), MIX(5, theta), &omega1, &alpha1);
      omega2 = MIX(3, theta), alpha2 = MIX(6, theta);
      v0 = turned_back(q1, MIX(1, rho)), v2 = MIX(3, rho);
      a0 = turned_back(q1, MIX(4, rho)), a1 = turned_back(middle, MIX(5, rho)), a2 = MIX(6, rho);
      g2 = turned_back(q0, LOAD3(block, GRAVITY));
      g1 = turned_back(middle, g2), g0 = turned_back(q1, g2);

      /* The jump of the twist, and the limit on what the flesh is told. */
      jump_o = times(sub(omega0, LOAD3(block, TWIST)), first);
      jump_v = times(sub(v0, LOAD3(block, TWIST + 3)), first);
      STORE3(block, TWIST, omega2);
      STORE3(block, TWIST + 3, v2);
      mean = add(times(jump_v, inv_dt), times(add(add(a0, times(a1, 4)), a2), 1.0f / 6));
      mean_o = add(times(jump_o, inv_dt), times(add(add(alpha0, times(alpha1, 4)), alpha2), 1.0f / 6));
      gain = smaller(1, FIELD(block, LIMIT) * inverse_root(smaller(dot(mean, mean), 1e36f)));
      gain = smaller(gain, FIELD(block, ANGULAR) * inverse_root(smaller(dot(mean_o, mean_o), 1e36f)));
      gain *= FIELD(block, GAIN);
      spin = gain * FIELD(block, SPIN);
      stiff = FIELD(block, STIFF);
      STORE3(motion, JUMP, times(jump_o, gain));
      STORE3(motion, JUMP + 3, times(jump_v, gain));
      lean = sub(times(g0, FIELD(block, SAG)), LOAD3(block, REST));
      STORE_FORCING(0, a0, alpha0, omega0)
      lean = sub(times(g1, FIELD(block, SAG)), LOAD3(block, REST));
      STORE_FORCING(1, a1, alpha1, omega1)
      lean = sub(times(g2, FIELD(block, SAG)), LOAD3(block, REST));
      STORE_FORCING(2, a2, alpha2, omega2)
      STORE3(motion, LEAN, lean);
    }
  }
}

/* Weights by which the older poses make up the polynomial through K of them and the new one (which is 0 in its chart):
 * per pose the value in the middle, first and second derivative at start, middle and end. */
static void lagrange_weights(int K, double dt, double dt1, double dt2, float out[LAGRANGE]) {
  double t[3], at[3];
  int k, j;
  t[0] = -dt, t[1] = -dt - dt1, t[2] = -dt - dt1 - dt2;
  at[0] = -dt, at[1] = -dt / 2, at[2] = 0;
  for (k = 0; k < 3; ++k) {
    double c1, c2, c3, a = t[k == 0 ? 1 : 0], b = t[k == 2 ? 1 : 2], scale;
    float* w = out + k * NODE_WEIGHTS;
    if (K == 1)
      c1 = 1, c2 = 0, c3 = 0, scale = t[k];
    else if (K == 2)
      c1 = -a, c2 = 1, c3 = 0, scale = t[k] * (t[k] - a);
    else
      c1 = a * b, c2 = -(a + b), c3 = 1, scale = t[k] * (t[k] - a) * (t[k] - b);
    for (j = 0; j < NODE_WEIGHTS; ++j) w[j] = 0;
    if (k >= K) continue;
    w[0] = (float)(at[1] * (c1 + at[1] * (c2 + at[1] * c3)) / scale);
    for (j = 0; j < 3; ++j) {
      w[1 + j] = (float)((c1 + at[j] * (2 * c2 + at[j] * 3 * c3)) / scale);
      w[4 + j] = (float)((2 * c2 + at[j] * 6 * c3) / scale);
    }
  }
}

/* ---- Gains of the oscillators ----------------------------------------------------------------------------------- */

/* phi_j(-x) for j = 1..3, x >= 0:  phi_1(y) = (e^y - 1) / y,  phi_j+1(y) = (phi_j(y) - 1 / j!) / y. */
static void phi(double x, double out[3]) {
  int j, k;
  double inv = 1; /* 1 / j! */
  if (x < 0.5) {
    for (j = 1; j <= 3; ++j) {
      double term, sum;
      inv /= j, term = inv, sum = inv;
      for (k = 1; k < 16; ++k) term *= -x / (j + k), sum += term;
      out[j - 1] = sum;
    }
    return;
  }
  out[0] = -expm1(-x) / x;
  out[1] = (1 - out[0]) / x;
  out[2] = (0.5 - out[1]) / x;
}

/* Rows A B and g0 g1 g2 of z'' + 2 d z' + K z = 1, t, t^2/2 where the closed form of the common case loses digits. */
static void careful_responses(double K, double d, double dt, double* co, double* si, double g[3]) {
  double q = K - d * d, near = q * dt * dt, E = exp(-d * dt), A;
  int j;
  if (fabs(near) < 1e-6)
    *si = E * dt * (1 - near / 6), *co = E * (1 - near / 2);
  else if (q > 0)
    *co = E * cos(sqrt(q) * dt), *si = E * sin(sqrt(q) * dt) / sqrt(q);
  else {
    double p = sqrt(-q), slow = exp(-K / (d + p) * dt), fast = exp(-(d + p) * dt); /* d - p without cancelling */
    *co = (slow + fast) / 2, *si = (slow - fast) / (2 * p);
  }
  if (K * dt * dt < 1e-4 && d * dt < 2) {
    /* Series of B: (n+2)(n+1) b_n+2 = -2 d (n+1) b_n+1 - K b_n; g0, g1, g2 are its integrals. */
    double b0 = 0, b1 = dt; /* b_n dt^n */
    int n;
    g[0] = dt * dt / 2, g[1] = g[0] * dt / 3, g[2] = g[1] * dt / 4;
    for (n = 0; n < 40; ++n) {
      double b2 = -(2 * d * dt * b1 / (n + 2) + K * dt * dt * b0 / ((n + 2.0) * (n + 1.0)));
      double term = b2 * dt / (n + 3);
      g[0] += term, term *= dt / (n + 4), g[1] += term, term *= dt / (n + 5), g[2] += term;
      b0 = b1, b1 = b2;
    }
    return;
  }
  if (q < 0 && fabs(near) >= 0.25) {
    double p = sqrt(-q), slow[3], fast[3], power = dt;
    phi(K / (d + p) * dt, slow), phi((d + p) * dt, fast);
    for (j = 0; j < 3; ++j) g[j] = power * (slow[j] - fast[j]) / (2 * p), power *= dt;
    return;
  }
  A = *co + d * *si;
  g[0] = (1 - A) / K, g[1] = (dt - *si - 2 * d * g[0]) / K, g[2] = (dt * dt / 2 - g[0] - 2 * d * g[1]) / K;
}

INLINE void store_gains(double K, double d, double dt, double co, double si, double g0, double g1, double g2,
                        float* RESTRICT gains, int n8, int i) {
  double inv = 1 / dt, inv2 = inv * inv;
  gains[GA * n8 + i] = (float)(co + d * si);
  gains[GB * n8 + i] = (float)si;
  gains[GC * n8 + i] = (float)(-K * si);
  gains[GD * n8 + i] = (float)(co - d * si);
  gains[G0 * n8 + i] = (float)(g0 - 3 * g1 * inv + 4 * g2 * inv2);
  gains[GM * n8 + i] = (float)(4 * g1 * inv - 8 * g2 * inv2);
  gains[G1 * n8 + i] = (float)(-g1 * inv + 4 * g2 * inv2);
  gains[V0 * n8 + i] = (float)(si - 3 * g0 * inv + 4 * g1 * inv2);
  gains[VM * n8 + i] = (float)(4 * g0 * inv - 8 * g1 * inv2);
  gains[V1 * n8 + i] = (float)(-g0 * inv + 4 * g1 * inv2);
}

typedef union {
  double f;
  uint64_t i;
} Bits;

/* The common case, less damped than critical, many modes at once. Own exponential and sines, as those of libm stand in
 * the way of vector registers: 1e-15 of what they should be. */
CLONES static void common_gains(int n8, const double* RESTRICT osc, double dt, float* RESTRICT gains) {
  const double round = 6755399441055744.0; /* adding it leaves the nearest whole number in the lowest bits */
  int i;
  INDEPENDENT
  for (i = 0; i < n8; ++i) {
    double K = osc[OSC_K * n8 + i], d = osc[OSC_D * n8 + i], inv_K = osc[OSC_INV_K * n8 + i];
    double x = -d * dt, y = osc[OSC_P * n8 + i] * dt, n, r, r2, e, s, c, co, si, g0, g1, g2;
    Bits b, scale, sine, cosine;
    uint64_t swap;
    /* e^x = 2^n e^r */
    b.f = x * 1.4426950408889634 + round;
    n = b.f - round;
    r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    e = 1 + r * (1.0 / 13);
    e = 1 + r * (1.0 / 12) * e, e = 1 + r * (1.0 / 11) * e, e = 1 + r * (1.0 / 10) * e, e = 1 + r * (1.0 / 9) * e;
    e = 1 + r * (1.0 / 8) * e, e = 1 + r * (1.0 / 7) * e, e = 1 + r * (1.0 / 6) * e, e = 1 + r * (1.0 / 5) * e;
    e = 1 + r * (1.0 / 4) * e, e = 1 + r * (1.0 / 3) * e, e = 1 + r * (1.0 / 2) * e, e = 1 + r * e;
    scale.i = (b.i + 1023) << 52;
    e *= scale.f;
    /* sine and cosine within an eighth of a turn, then the quarter they are in */
    b.f = y * 0.63661977236758134308 + round;
    n = b.f - round;
    r = (y - n * 1.57079632673412561417e+00) - n * 6.07710050650619224932e-11;
    r2 = r * r;
    s = 1 - r2 * (1.0 / 272);
    s = 1 - r2 * (1.0 / 210) * s, s = 1 - r2 * (1.0 / 156) * s, s = 1 - r2 * (1.0 / 110) * s;
    s = 1 - r2 * (1.0 / 72) * s, s = 1 - r2 * (1.0 / 42) * s, s = 1 - r2 * (1.0 / 20) * s;
    s = r * (1 - r2 * (1.0 / 6) * s);
    c = 1 - r2 * (1.0 / 240);
    c = 1 - r2 * (1.0 / 182) * c, c = 1 - r2 * (1.0 / 132) * c, c = 1 - r2 * (1.0 / 90) * c;
    c = 1 - r2 * (1.0 / 56) * c, c = 1 - r2 * (1.0 / 30) * c, c = 1 - r2 * (1.0 / 12) * c;
    c = 1 - r2 * (1.0 / 2) * c;
    sine.f = s, cosine.f = c;
    swap = (sine.i ^ cosine.i) & (0 - (b.i & 1));
    sine.i ^= swap ^ (b.i & 2) << 62;
    cosine.i ^= swap ^ ((b.i + 1) & 2) << 62;
    co = e * cosine.f, si = e * sine.f * osc[OSC_INV_P * n8 + i];
    g0 = (1 - (co + d * si)) * inv_K;
    g1 = (dt - si - 2 * d * g0) * inv_K;
    g2 = (dt * dt / 2 - g0 - 2 * d * g1) * inv_K;
    store_gains(K, d, dt, co, si, g0, g1, g2, gains, n8, i);
  }
}

static void find_gains(Slot* slot, const Part* part, double dt) {
  const double* osc = slot->oscillators;
  int i, n8 = part->n8;
  common_gains(n8, osc, dt, slot->gains);
  for (i = 0; i < part->modes; ++i) {
    double K = osc[OSC_K * n8 + i], d = osc[OSC_D * n8 + i], q = (K - d * d) * dt * dt, co, si, g[3];
    if (K * dt * dt >= 1e-4 && q >= 1e-6) continue;
    careful_responses(K, d, dt, &co, &si, g);
    store_gains(K, d, dt, co, si, g[0], g[1], g[2], slot->gains, n8, i);
  }
  slot->dt = dt;
}

static void tune_slot(Slot* slot, const Part* part, float frequency, float half_life) {
  int i, n8 = part->n8;
  double* osc = slot->oscillators;
  slot->frequency = frequency, slot->half_life = half_life, slot->dt = 0;
  for (i = 0; i < n8; ++i) {
    int real = i < part->modes;
    double w = real ? part->omega[i] * frequency : 1, d = real ? part->decay[i] / half_life : 0, K = w * w;
    double q = K - d * d, p = sqrt(q > 0 ? q : K); /* where it is not the common case it only has to be finite */
    osc[OSC_K * n8 + i] = K, osc[OSC_D * n8 + i] = d, osc[OSC_P * n8 + i] = p;
    osc[OSC_INV_K * n8 + i] = 1 / K, osc[OSC_INV_P * n8 + i] = 1 / p;
  }
}

/* ---- Modes of one instance -------------------------------------------------------------------------------------- */

#define ROW(arrays, k) ((arrays) + (size_t)(k)*n8)
#define M(k) motion[(size_t)(k)*LANES]

/* out = forcing at one time. Its own loop, as twelve accelerations fill the registers. */
INLINE void force_modes(int n, int n8, const float* RESTRICT part, const float* RESTRICT motion,
                        const float* RESTRICT e, float* RESTRICT out) {
  const float *a0 = ROW(part, 0), *a1 = ROW(part, 1), *a2 = ROW(part, 2), *b0 = ROW(part, 3), *b1 = ROW(part, 4),
              *b2 = ROW(part, 5), *c0 = ROW(part, 6), *c1 = ROW(part, 7), *c2 = ROW(part, 8), *c3 = ROW(part, 9),
              *c4 = ROW(part, 10), *c5 = ROW(part, 11);
  const float q0 = M(0), q1 = M(1), q2 = M(2), q3 = M(3), q4 = M(4), q5 = M(5), q6 = M(6), q7 = M(7), q8 = M(8),
              q9 = M(9), q10 = M(10), q11 = M(11);
  int i;
  INDEPENDENT
  for (i = 0; i < n; ++i) {
    float even = a0[i] * q0 + e[i], odd = a1[i] * q1;
    even += a2[i] * q2, odd += b0[i] * q3;
    even += b1[i] * q4, odd += b2[i] * q5;
    even += c0[i] * q6, odd += c1[i] * q7;
    even += c2[i] * q8, odd += c3[i] * q9;
    even += c4[i] * q10, odd += c5[i] * q11;
    out[i] = even + odd;
  }
}

/* y[3][n8]: for each axis the sum over l of coriolis[i][l] rate[l]. Eight l at a time, as storing the sums costs most.
 */
INLINE void coriolis_sums(int active, int n, int n8, const float* RESTRICT coriolis, const float* RESTRICT rate,
                          float* RESTRICT y) {
  const size_t next = 3 * (size_t)n8;
  int axis, i, l;
  for (axis = 0; axis < 3; ++axis) {
    float* RESTRICT out = y + (size_t)axis * n8;
    const float* RESTRICT row = coriolis + (size_t)axis * n8;
    for (i = 0; i < n; ++i) out[i] = 0;
    for (l = 0; l + 7 < active; l += 8, row += 8 * next) {
      const float *r1 = row + next, *r2 = r1 + next, *r3 = r2 + next, *r4 = r3 + next, *r5 = r4 + next, *r6 = r5 + next,
                  *r7 = r6 + next;
      const float q0 = rate[l], q1 = rate[l + 1], q2 = rate[l + 2], q3 = rate[l + 3], q4 = rate[l + 4],
                  q5 = rate[l + 5], q6 = rate[l + 6], q7 = rate[l + 7];
      INDEPENDENT
      for (i = 0; i < n; ++i)
        out[i] += ((row[i] * q0 + r1[i] * q1) + (r2[i] * q2 + r3[i] * q3)) +
                  ((r4[i] * q4 + r5[i] * q5) + (r6[i] * q6 + r7[i] * q7));
    }
    for (; l + 1 < active; l += 2, row += 2 * next) {
      const float* r1 = row + next;
      const float q0 = rate[l], q1 = rate[l + 1];
      INDEPENDENT
      for (i = 0; i < n; ++i) out[i] += row[i] * q0 + r1[i] * q1;
    }
    if (l < active) {
      const float q0 = rate[l];
      INDEPENDENT
      for (i = 0; i < n; ++i) out[i] += row[i] * q0;
    }
  }
}

/* Modes 0 .. active - 1 and the lanes that fill up; n8 is the stride of all arrays. scratch: 10 n8. */
CLONES static void step_modes(int active, int n8, const float* RESTRICT part, const float* RESTRICT coriolis,
                              const float* RESTRICT gains, const float* RESTRICT e, const float* RESTRICT motion,
                              float amplitude, float dt, float* RESTRICT z, float* RESTRICT rate,
                              float* RESTRICT weights, float* RESTRICT scratch) {
  const int n = (active + LANES - 1) & ~(LANES - 1);
  const float *a0 = ROW(part, 0), *a1 = ROW(part, 1), *a2 = ROW(part, 2), *b0 = ROW(part, 3), *b1 = ROW(part, 4),
              *b2 = ROW(part, 5), *soft = ROW(part, SOFTNESS);
  const float *ga = ROW(gains, GA), *gb = ROW(gains, GB), *gc = ROW(gains, GC), *gd = ROW(gains, GD),
              *g0 = ROW(gains, G0), *gm = ROW(gains, GM), *g1 = ROW(gains, G1), *v0 = ROW(gains, V0),
              *vm = ROW(gains, VM), *v1 = ROW(gains, V1);
  const float d0 = M(JUMP), d1 = M(JUMP + 1), d2 = M(JUMP + 2), d3 = M(JUMP + 3), d4 = M(JUMP + 4), d5 = M(JUMP + 5);
  const float lean0 = M(LEAN), lean1 = M(LEAN + 1), lean2 = M(LEAN + 2);
  float *f0 = scratch, *f1 = f0 + n8, *f2 = f1 + n8;
  int i;
  force_modes(n, n8, part, motion + AT * LANES, e, f0);
  force_modes(n, n8, part, motion + (AT + 12) * LANES, e, f1);
  force_modes(n, n8, part, motion + (AT + 24) * LANES, e, f2);
  if (coriolis) {
    float *y = f2 + n8, *end = y + 6 * (size_t)n8;
    const float *y0 = y, *y1 = y0 + n8, *y2 = y1 + n8, *w0 = y2 + n8, *w1 = w0 + n8, *w2 = w1 + n8;
    float r[9];
    for (i = 0; i < 9; i += 3) { /* no more of it than two passes can follow */
      float x = M(RATE + i), y_ = M(RATE + i + 1), z_ = M(RATE + i + 2), turned = sqrtf(x * x + y_ * y_ + z_ * z_) * dt;
      float slow = turned > kMostTurn ? kMostTurn / turned : 1;
      r[i] = slow * x, r[i + 1] = slow * y_, r[i + 2] = slow * z_;
    }
    INDEPENDENT
    for (i = 0; i < n; ++i)
      end[i] = rate[i] + ((a0[i] * d0 + a1[i] * d1) + (a2[i] * d2 + b0[i] * d3) + (b1[i] * d4 + b2[i] * d5));
    coriolis_sums(active, n, n8, coriolis, end, y);
    INDEPENDENT
    for (i = 0; i < n; ++i) { /* predictor: the rates at the end */
      float p0 = y0[i], p1 = y1[i], p2 = y2[i];
      f0[i] += r[0] * p0 + r[1] * p1 + r[2] * p2;
      end[i] =
          (gc[i] * z[i] + gd[i] * end[i]) + ((v0[i] * f0[i] + vm[i] * (f1[i] + (r[3] * p0 + r[4] * p1 + r[5] * p2))) +
                                             v1[i] * (f2[i] + (r[6] * p0 + r[7] * p1 + r[8] * p2)));
    }
    coriolis_sums(active, n, n8, coriolis, end, y + 3 * (size_t)n8);
    INDEPENDENT
    for (i = 0; i < n; ++i) {
      f1[i] += 0.5f * (r[3] * (y0[i] + w0[i]) + r[4] * (y1[i] + w1[i]) + r[5] * (y2[i] + w2[i]));
      f2[i] += r[6] * w0[i] + r[7] * w1[i] + r[8] * w2[i];
    }
  }
  INDEPENDENT
  for (i = 0; i < n; ++i) {
    float s = -(b0[i] * lean0 + b1[i] * lean1 + b2[i] * lean2) * soft[i], x = z[i], next;
    float v = rate[i] + ((a0[i] * d0 + a1[i] * d1) + (a2[i] * d2 + b0[i] * d3) + (b1[i] * d4 + b2[i] * d5));
    next = (ga[i] * x + gb[i] * v) + ((g0[i] * f0[i] + gm[i] * f1[i]) + g1[i] * f2[i]);
    rate[i] = (gc[i] * x + gd[i] * v) + ((v0[i] * f0[i] + vm[i] * f1[i]) + v1[i] * f2[i]);
    z[i] = next;
    f0[i] = amplitude * (next - s), f1[i] = s; /* how far it is from where it hangs */
    weights[i] = s + f0[i];
  }
}

/* Modes first .. n8 - 1 hang still. */
CLONES static void rest_modes(int first, int n8, const float* RESTRICT part, const float* RESTRICT motion,
                              float* RESTRICT z, float* RESTRICT rate, float* RESTRICT weights) {
  const float *b0 = ROW(part, 3), *b1 = ROW(part, 4), *b2 = ROW(part, 5), *soft = ROW(part, SOFTNESS);
  const float lean0 = M(LEAN), lean1 = M(LEAN + 1), lean2 = M(LEAN + 2);
  int i;
  INDEPENDENT
  for (i = first; i < n8; ++i) {
    float s = -(b0[i] * lean0 + b1[i] * lean1 + b2[i] * lean2) * soft[i];
    z[i] = s, rate[i] = 0, weights[i] = s;
  }
}

static void bend_weights(int n, float limit, const float* departures, const float* hanging, float* weights) {
  int i;
  for (i = 0; i < n; ++i) {
    float y = departures[i], size = fabsf(y);
    if (!(size > 0.7f * limit)) continue;
    size = limit * (0.7f + 0.3f * tanhf((size / limit - 0.7f) / 0.3f));
    weights[i] = hanging[i] + (y < 0 ? -size : size);
  }
}

CLONES static int any_beyond(int n, float from, const float* RESTRICT departures) {
  int i, beyond = 0;
  for (i = 0; i < n; ++i) beyond |= fabsf(departures[i]) > from;
  return beyond;
}

static void step_instance(supple_live_world* world, Instance* it, const float* motion, int afresh, double dt) {
  const Part* part = world->parts + it->part;
  Slot* slot = world->slots + it->slot;
  int active = afresh ? 0 : it->active;
  if (active > 0) {
    if (slot->dt != dt) find_gains(slot, part, dt);
    step_modes(active, part->n8, part->arrays, it->settings.use_coriolis ? part->coriolis : NULL, slot->gains,
               it->forced ? it->forcing : world->zeros, motion, it->settings.dials.amplitude, (float)dt, it->z,
               it->rate, it->weights, world->scratch);
    if (part->own.weight_limit > 0 && any_beyond(active, 0.7f * part->own.weight_limit, world->scratch))
      bend_weights(active, part->own.weight_limit, world->scratch, world->scratch + part->n8, it->weights);
  }
  if (active < part->modes) rest_modes(active, part->n8, part->arrays, motion, it->z, it->rate, it->weights);
}

void supple_live_step(supple_live_world* world, double dt) {
  float table[4][LAGRANGE], lagrange[LAGRANGE * LANES], motion[MOTION_FIELDS * LANES], state[LANES], known[LANES];
  unsigned char degree[LANES];
  int b, l, j, K, elsewhere, straight;
  if (dt >= 0 && dt < kShortest) return;
  elsewhere = !(dt > 0 && dt <= kLongest);
  if (elsewhere) dt = kLongest; /* any that is finite: nothing is made of it */
  straight = dt > kLongStep * world->dt1;
  memset(table[0], 0, sizeof table[0]);
  for (K = 1; K <= 3; ++K) lagrange_weights(K, dt, world->dt1, world->dt2, table[K]);
  memset(degree, 255, sizeof degree);
  world->head = (world->head + 1) & 3;

  for (b = 0; b < world->block_count; ++b) {
    unsigned char* older = world->older + (size_t)b * LANES;
    for (l = 0; l < LANES; ++l) {
      unsigned char k = straight && older[l] > 1 ? 1 : older[l];
      known[l] = elsewhere ? 0.0f : (float)older[l];
      if (degree[l] == k) continue;
      degree[l] = k;
      for (j = 0; j < LAGRANGE; ++j) lagrange[j * LANES + l] = table[k][j];
    }
    read_motion(world->blocks + (size_t)b * BLOCK_FIELDS * LANES, lagrange, known, world->head, (float)(1 / dt),
                (float)(dt / world->dt1), motion, state);
    for (l = 0; l < LANES && b * LANES + l < world->instance_count; ++l) {
      if (state[l] > 1.5f) {
        older[l] = 0;
        continue;
      }
      older[l] = state[l] > 0.5f ? 1 : older[l] < 3 ? (unsigned char)(older[l] + 1) : 3;
      step_instance(world, world->instances + (size_t)b * LANES + l, motion + l, state[l] > 0.5f, dt);
    }
  }
  world->dt2 = world->dt1, world->dt1 = dt;
}

/* ---- Worlds ----------------------------------------------------------------------------------------------------- */

static int all_finite(const float* v, int n) {
  int i;
  for (i = 0; i < n; ++i)
    if (!(v[i] >= -FLT_MAX && v[i] <= FLT_MAX)) return 0;
  return 1;
}

static const char* wrong_with_dials(const supple_live_dials* d) {
  if (!(d->frequency >= 1e-3f && d->frequency <= 1e3f)) return "frequency must be within 0.001 .. 1000";
  if (!(d->half_life >= 1e-3f && d->half_life <= 1e3f)) return "half_life must be within 0.001 .. 1000";
  if (!(d->amplitude >= 0 && d->amplitude <= 1e3f)) return "amplitude must be within 0 .. 1000";
  if (!(d->sag >= -1e3f && d->sag <= 1e3f)) return "sag must be within -1000 .. 1000";
  return NULL;
}

static const char* wrong_with_mode(const supple_live_mode* m) {
  if (!(m->frequency_hz >= 1e-3f && m->frequency_hz <= 1e5f)) return "frequency_hz must be within 0.001 .. 100000";
  if (!(m->decay >= 0 && m->decay <= 1e6f)) return "decay must be within 0 .. 1000000";
  if (!(m->mass >= 0 && m->mass <= FLT_MAX)) return "mass must not be negative";
  if (!all_finite(&m->reach, 1) || !all_finite(&m->share, 1)) return "reach and share must be finite";
  if (!all_finite(m->transfer, 6) || !all_finite(m->centrifugal, 6)) return "transfer and centrifugal must be finite";
  return NULL;
}

static const char* wrong_with_part(const supple_live_part* p) {
  if (p->mode_count < 1 || p->mode_count > MAX_MODES) return "a part has 1 .. 1024 modes";
  if (!all_finite(p->rest_gravity, 3)) return "rest_gravity must be finite";
  if (!all_finite(&p->size, 1) || !all_finite(&p->cut_m, 1) || !all_finite(&p->cut_rad, 1))
    return "size, cut_m and cut_rad must be finite";
  if (!all_finite(&p->force_limit, 1) || !all_finite(&p->angular_force_limit, 1) || !all_finite(&p->weight_limit, 1))
    return "the limits must be finite";
  if (!all_finite(&p->force_scale, 1)) return "force_scale must be finite";
  return wrong_with_dials(&p->dials);
}

static supple_live_result check_config(const supple_live_config* c, char* message, size_t size) {
  int i, m;
  if (!c || !c->parts || c->part_count < 1 || c->part_count > MAX_PARTS)
    return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, size, "config: 1 .. %d parts are needed", (int)MAX_PARTS);
  if (c->instance_count < 1 || c->instance_count > MAX_INSTANCES)
    return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, size, "config: 1 .. %d instances are needed", (int)MAX_INSTANCES);
  if (c->slots < 0 || c->slots > MAX_INSTANCES)
    return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, size, "config: slots must be within 0 .. %d", (int)MAX_INSTANCES);
  if (!all_finite(c->gravity, 3))
    return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, size, "config: gravity must be finite");
  for (i = 0; i < c->part_count; ++i) {
    const supple_live_part* p = c->parts + i;
    const char* wrong = wrong_with_part(p);
    if (!wrong && !p->modes) wrong = "modes is NULL";
    if (!wrong && p->coriolis && !all_finite(p->coriolis, 3 * p->mode_count * p->mode_count))
      wrong = "coriolis must be finite";
    if (wrong) return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, size, "part %d: %s", i, wrong);
    for (m = 0; m < p->mode_count; ++m) {
      wrong = wrong_with_mode(p->modes + m);
      if (wrong) return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, size, "part %d, mode %d: %s", i, m, wrong);
    }
  }
  for (i = 0; c->instance_part && i < c->instance_count; ++i)
    if (c->instance_part[i] < 0 || c->instance_part[i] >= c->part_count)
      return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, size, "instance %d is of part %d, which does not exist", i,
                  c->instance_part[i]);
  return SUPPLE_LIVE_OK;
}

/* Lays the world out; with a counting arena nothing is written. */
static supple_live_world* lay_out(Arena* arena, const supple_live_config* c) {
  int i, most = 0, blocks = (c->instance_count + LANES - 1) / LANES;
  int slots = c->slots > c->part_count ? c->slots : c->part_count;
  supple_live_world* w = (supple_live_world*)take(arena, 1, sizeof(supple_live_world), 64);
  Part* parts = (Part*)take(arena, (uint64_t)c->part_count, sizeof(Part), 64);
  Slot* all_slots = (Slot*)take(arena, (uint64_t)slots, sizeof(Slot), 64);
  Instance* instances = (Instance*)take(arena, (uint64_t)c->instance_count, sizeof(Instance), 64);
  float* lane_blocks = take_floats(arena, (uint64_t)blocks * BLOCK_FIELDS * LANES);
  unsigned char* older = (unsigned char*)take(arena, (uint64_t)blocks * LANES, 1, 32);
  for (i = 0; i < c->part_count; ++i) {
    uint64_t n = (uint64_t)c->parts[i].mode_count, n8 = (uint64_t)round_up((int)n);
    Part p;
    memset(&p, 0, sizeof p);
    p.modes = (int)n, p.n8 = (int)n8;
    if ((int)n8 > most) most = (int)n8;
    p.omega = (double*)take(arena, n, sizeof(double), 32), p.decay = (double*)take(arena, n, sizeof(double), 32);
    p.mass = take_floats(arena, n);
    p.arrays = take_floats(arena, n8 * PART_ARRAYS);
    if (c->parts[i].coriolis) p.coriolis = take_floats(arena, n8 * n * 3);
    if (parts) parts[i] = p;
  }
  for (i = 0; i < slots; ++i) {
    Slot s;
    memset(&s, 0, sizeof s);
    s.oscillators = (double*)take(arena, (uint64_t)most * OSC_ARRAYS, sizeof(double), 32);
    s.gains = take_floats(arena, (uint64_t)most * GAIN_ARRAYS);
    if (all_slots) all_slots[i] = s;
  }
  for (i = 0; i < c->instance_count; ++i) {
    Instance it;
    uint64_t n8;
    memset(&it, 0, sizeof it);
    it.part = c->instance_part ? c->instance_part[i] : 0;
    n8 = (uint64_t)round_up(c->parts[it.part].mode_count);
    it.z = take_floats(arena, n8), it.rate = take_floats(arena, n8);
    it.weights = take_floats(arena, n8), it.forcing = take_floats(arena, n8);
    if (instances) instances[i] = it;
  }
  {
    float* scratch = take_floats(arena, (uint64_t)most * 10);
    float* zeros = take_floats(arena, (uint64_t)most);
    if (!w) return NULL;
    memset(w, 0, sizeof *w);
    w->scratch = scratch, w->zeros = zeros;
  }
  w->part_count = c->part_count, w->instance_count = c->instance_count, w->slot_count = slots, w->block_count = blocks;
  w->parts = parts, w->slots = all_slots, w->instances = instances, w->blocks = lane_blocks, w->older = older;
  return w;
}

static const uint64_t kAlignSlack = 64;

size_t supple_live_size(const supple_live_config* config, char* message, size_t message_size) {
  Arena arena;
  if (check_config(config, message, message_size) != SUPPLE_LIVE_OK) return 0;
  arena.base = NULL, arena.used = 0;
  lay_out(&arena, config);
  if (arena.used > (uint64_t)(SIZE_MAX / 2)) {
    fail(SUPPLE_LIVE_BAD_ARGUMENT, message, message_size, "config: the world is larger than memory can be");
    return 0;
  }
  return (size_t)(arena.used + kAlignSlack);
}

static void fill_part(Part* part, const supple_live_part* from) {
  int i, k, l, n8 = part->n8;
  part->own = *from;
  part->own.name = part->own.bone = NULL, part->own.modes = NULL, part->own.coriolis = NULL, part->own.targets = NULL;
  for (i = 0; i < part->modes; ++i) {
    const supple_live_mode* m = from->modes + i;
    double w = 2 * kPi * m->frequency_hz;
    part->omega[i] = w, part->decay[i] = m->decay, part->mass[i] = m->mass;
    for (k = 0; k < 6; ++k) {
      ROW(part->arrays, TRANSFER + k)[i] = m->transfer[k];
      ROW(part->arrays, CENTRIFUGAL + k)[i] = m->centrifugal[k];
    }
    ROW(part->arrays, SOFTNESS)[i] = (float)(1 / (w * w));
    if (!from->coriolis) continue;
    for (l = 0; l < part->modes; ++l)
      for (k = 0; k < 3; ++k)
        part->coriolis[(size_t)(3 * l + k) * n8 + i] = from->coriolis[((size_t)i * part->modes + l) * 3 + k];
  }
}

#define LANE(world, instance, field) \
  (world)->blocks[((size_t)((instance) / LANES) * BLOCK_FIELDS + (field)) * LANES + (size_t)((instance) % LANES)]

/* Writes what the lanes need of the settings. */
static void fill_lane(supple_live_world* w, int instance) {
  const Instance* it = w->instances + instance;
  const supple_live_part* p = &w->parts[it->part].own;
  const supple_live_settings* s = &it->settings;
  const supple_live_dials* d = &s->dials;
  int k;
  for (k = 0; k < 3; ++k) {
    LANE(w, instance, GRAVITY + k) = s->use_gravity ? s->gravity[k] : 0;
    LANE(w, instance, REST + k) = s->use_gravity ? p->rest_gravity[k] : 0;
  }
  LANE(w, instance, SAG) = d->sag;
  LANE(w, instance, GAIN) = (d->sustained ? d->frequency * d->frequency : d->frequency) * s->force_scale;
  LANE(w, instance, STIFF) = d->frequency * d->frequency;
  LANE(w, instance, SPIN) = s->use_centrifugal ? 1.0f : 0.0f;
  LANE(w, instance, CUT2) = p->cut_m > 0 ? p->cut_m * p->cut_m : FLT_MAX;
  LANE(w, instance, CUT_COS) = p->cut_rad > 0 ? (float)cos(smaller(p->cut_rad, (float)kPi) / 2) : -1;
  LANE(w, instance, LIMIT) = p->force_limit > 0 ? p->force_limit : FLT_MAX;
  LANE(w, instance, ANGULAR) = p->angular_force_limit > 0 ? p->angular_force_limit : FLT_MAX;
}

static int find_slot(supple_live_world* w, int part, float frequency, float half_life) {
  int i, empty = -1;
  for (i = 0; i < w->slot_count; ++i) {
    Slot* s = w->slots + i;
    if (s->users == 0)
      empty = empty < 0 ? i : empty;
    else if (s->part == part && s->frequency == frequency && s->half_life == half_life)
      return i;
  }
  if (empty >= 0) {
    w->slots[empty].part = part;
    tune_slot(w->slots + empty, w->parts + part, frequency, half_life);
  }
  return empty;
}

static int exists(const supple_live_world* w, int instance) {
  return w && instance >= 0 && instance < w->instance_count;
}

supple_live_result supple_live_init(void* block, size_t block_size, const supple_live_config* config,
                                    supple_live_world** world, char* message, size_t message_size) {
  Arena arena;
  supple_live_world* w;
  const float none[3] = {0, 0, 0}, upright[4] = {0, 0, 0, 1};
  int i;
  size_t size = supple_live_size(config, message, message_size);
  if (!size) return SUPPLE_LIVE_BAD_ARGUMENT;
  if (!block || !world) return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, message_size, "block or world is NULL");
  if (block_size < size)
    return fail(SUPPLE_LIVE_TOO_SMALL, message, message_size, "the block has %.0f bytes, %.0f are needed",
                (double)block_size, (double)size);
  memset(block, 0, size);
  arena.base = (unsigned char*)block + (64 - (uintptr_t)block % 64) % 64, arena.used = 0;
  w = lay_out(&arena, config);
  w->dt1 = w->dt2 = 1.0 / 60;
  memcpy(w->start_gravity, config->gravity, sizeof w->start_gravity);
  if (config->gravity[0] == 0 && config->gravity[1] == 0 && config->gravity[2] == 0) w->start_gravity[1] = -9.81f;
  w->start_use_gravity = !config->no_gravity;
  for (i = 0; i < w->part_count; ++i) fill_part(w->parts + i, config->parts + i);
  for (i = 0; i < w->instance_count; ++i) {
    Instance* it = w->instances + i;
    it->active = w->parts[it->part].modes;
    it->settings = supple_live_default_settings(w, i);
    /* Neighbours are often of one part: look there before looking through all. */
    if (i && it[-1].part == it->part)
      it->slot = it[-1].slot;
    else
      it->slot = find_slot(w, it->part, it->settings.dials.frequency, it->settings.dials.half_life);
    ++w->slots[it->slot].users;
    fill_lane(w, i);
  }
  for (i = 0; i < w->block_count * LANES; ++i) { /* those that fill up the last block too */
    int k, r;
    for (k = 0; k < 7; ++k)
      for (r = 0; r < 5; ++r) LANE(w, i, 7 * r + k) = k < 3 ? none[k] : upright[k - 3];
  }
  *world = w;
  return SUPPLE_LIVE_OK;
}

void supple_live_set_pose(supple_live_world* world, int instance, const float position[3], const float rotation[4]) {
  supple_live_set_poses(world, instance, 1, position, 0, rotation, 0);
}

void supple_live_set_poses(supple_live_world* world, int first, int count, const float* positions,
                           size_t position_stride, const float* rotations, size_t rotation_stride) {
  const unsigned char *p = (const unsigned char*)positions, *r = (const unsigned char*)rotations;
  int i;
  if (!world || first < 0 || count < 0 || first > world->instance_count - count) return;
  if (!position_stride) position_stride = 3 * sizeof(float);
  if (!rotation_stride) rotation_stride = 4 * sizeof(float);
  for (i = first; i < first + count; ++i, p += position_stride, r += rotation_stride) {
    float* lane = &LANE(world, i, IN_POSE);
    float pose[7];
    memcpy(pose, p, 3 * sizeof(float));
    memcpy(pose + 3, r, 4 * sizeof(float));
    lane[0] = pose[0], lane[LANES] = pose[1], lane[2 * LANES] = pose[2], lane[3 * LANES] = pose[3];
    lane[4 * LANES] = pose[4], lane[5 * LANES] = pose[5], lane[6 * LANES] = pose[6];
  }
}

const float* supple_live_weights(const supple_live_world* world, int instance) {
  return exists(world, instance) ? world->instances[instance].weights : NULL;
}
int supple_live_mode_count(const supple_live_world* world, int instance) {
  return exists(world, instance) ? world->parts[world->instances[instance].part].modes : 0;
}

void supple_live_reset(supple_live_world* world, int instance) {
  if (world && instance < 0)
    memset(world->older, 0, (size_t)world->block_count * LANES);
  else if (exists(world, instance))
    world->older[instance] = 0;
}

supple_live_settings supple_live_default_settings(const supple_live_world* world, int instance) {
  supple_live_settings s;
  memset(&s, 0, sizeof s);
  if (!exists(world, instance)) return s;
  s.dials = world->parts[world->instances[instance].part].own.dials;
  memcpy(s.gravity, world->start_gravity, sizeof s.gravity);
  s.force_scale = world->parts[world->instances[instance].part].own.force_scale;
  if (s.force_scale == 0) s.force_scale = 1;
  s.use_gravity = world->start_use_gravity, s.use_centrifugal = 1, s.use_coriolis = 1;
  return s;
}

supple_live_settings supple_live_get_settings(const supple_live_world* world, int instance) {
  return exists(world, instance) ? world->instances[instance].settings : supple_live_default_settings(NULL, -1);
}

static int good_settings(const supple_live_settings* s) {
  return s && !wrong_with_dials(&s->dials) && all_finite(s->gravity, 3) && all_finite(&s->force_scale, 1);
}

supple_live_result supple_live_set_settings(supple_live_world* world, int instance,
                                            const supple_live_settings* settings) {
  Instance* it;
  int slot;
  if (!exists(world, instance) || !good_settings(settings)) return SUPPLE_LIVE_BAD_ARGUMENT;
  it = world->instances + instance;
  if (settings->dials.frequency != it->settings.dials.frequency ||
      settings->dials.half_life != it->settings.dials.half_life) {
    Slot* last = world->slots + it->slot;
    if (last->users == 1) { /* its own: tuned in place */
      tune_slot(last, world->parts + it->part, settings->dials.frequency, settings->dials.half_life);
    } else {
      slot = find_slot(world, it->part, settings->dials.frequency, settings->dials.half_life);
      if (slot < 0) return SUPPLE_LIVE_NO_SLOT;
      --last->users, ++world->slots[slot].users;
      it->slot = slot;
    }
  }
  it->settings = *settings;
  fill_lane(world, instance);
  return SUPPLE_LIVE_OK;
}

supple_live_result supple_live_set_part_settings(supple_live_world* world, int part,
                                                 const supple_live_settings* settings) {
  int i, slot = -1;
  if (!world || part < 0 || part >= world->part_count || !good_settings(settings)) return SUPPLE_LIVE_BAD_ARGUMENT;
  for (i = 0; i < world->instance_count; ++i) /* all let go first, so there is room for one */
    if (world->instances[i].part == part) --world->slots[world->instances[i].slot].users;
  for (i = 0; i < world->instance_count; ++i) {
    Instance* it = world->instances + i;
    if (it->part != part) continue;
    if (slot < 0) slot = find_slot(world, part, settings->dials.frequency, settings->dials.half_life);
    it->slot = slot, ++world->slots[slot].users;
    it->settings = *settings;
    fill_lane(world, i);
  }
  return SUPPLE_LIVE_OK;
}

supple_live_result supple_live_set_active_modes(supple_live_world* world, int instance, int count) {
  int n = supple_live_mode_count(world, instance);
  if (!n) return SUPPLE_LIVE_BAD_ARGUMENT;
  world->instances[instance].active = count < 0 || count > n ? n : count;
  return SUPPLE_LIVE_OK;
}

supple_live_result supple_live_set_forcing(supple_live_world* world, int instance, const float* forcing) {
  int n = supple_live_mode_count(world, instance);
  if (!n || (forcing && !all_finite(forcing, n))) return SUPPLE_LIVE_BAD_ARGUMENT;
  world->instances[instance].forced = forcing != NULL;
  if (forcing) memcpy(world->instances[instance].forcing, forcing, (size_t)n * sizeof(float));
  return SUPPLE_LIVE_OK;
}

supple_live_result supple_live_poke(supple_live_world* world, int instance, const float* displacement, size_t stride,
                                    const float force[3]) {
  int i, n = supple_live_mode_count(world, instance);
  Instance* it;
  const float* mass;
  if (n < 1 || !displacement || !force || !all_finite(force, 3)) return SUPPLE_LIVE_BAD_ARGUMENT;
  it = world->instances + instance, mass = world->parts[it->part].mass;
  if (!stride) stride = 3;
  for (i = 0; i < n; ++i)
    if (!(mass[i] > 0) || !all_finite(displacement + (size_t)i * stride, 3)) return SUPPLE_LIVE_BAD_ARGUMENT;
  if (!it->forced) memset(it->forcing, 0, (size_t)n * sizeof(float));
  it->forced = 1;
  for (i = 0; i < n; ++i) {
    const float* u = displacement + (size_t)i * stride;
    it->forcing[i] += (u[0] * force[0] + u[1] * force[1] + u[2] * force[2]) / mass[i];
  }
  return SUPPLE_LIVE_OK;
}

/* ---- Packs ------------------------------------------------------------------------------------------------------ */

typedef struct {
  const unsigned char* data;
  size_t at, size;
  int ended; /* more was asked for than there is */
} Cursor;

static size_t left(const Cursor* c) { return c->size - c->at; }

static uint32_t read_u32(Cursor* c) {
  const unsigned char* p = c->data + c->at;
  if (c->ended || left(c) < 4) {
    c->ended = 1;
    return 0;
  }
  c->at += 4;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static int32_t read_i32(Cursor* c) {
  uint32_t u = read_u32(c);
  int32_t i;
  memcpy(&i, &u, 4);
  return i;
}
static float read_f32(Cursor* c) {
  uint32_t u = read_u32(c);
  float f;
  memcpy(&f, &u, 4);
  return f;
}
static void read_floats(Cursor* c, float* out, int n) {
  int i;
  for (i = 0; i < n; ++i) out[i] = read_f32(c);
}
static const char* read_string(Cursor* c, Arena* arena) {
  size_t length, whole;
  char* s;
  if (c->ended || left(c) < 4) {
    c->ended = 1;
    return NULL;
  }
  length = (size_t)c->data[c->at] | (size_t)c->data[c->at + 1] << 8;
  whole = (length + 2 + 3) / 4 * 4;
  if (left(c) < whole) {
    c->ended = 1;
    return NULL;
  }
  s = (char*)take(arena, length + 1, 1, 1);
  if (s) memcpy(s, c->data + c->at + 2, length), s[length] = 0;
  c->at += whole;
  return s;
}

enum { PART_BYTES = 76, TARGET_BYTES = 8, MODE_BYTES = 76 }; /* the least that each takes in the file */

/* NULL when the part is well. */
static const char* read_part(Cursor* c, Arena* arena, supple_live_part* part, int* mode) {
  uint32_t flags, targets, modes, i;
  supple_live_target* to;
  supple_live_mode* all;
  const char* wrong;
  int has_coriolis;
  memset(part, 0, sizeof *part);
  *mode = -1;
  part->name = read_string(c, arena), part->bone = read_string(c, arena), part->node = read_i32(c);
  read_floats(c, part->rest_gravity, 3);
  part->size = read_f32(c), part->cut_m = read_f32(c), part->cut_rad = read_f32(c);
  part->force_limit = read_f32(c), part->angular_force_limit = read_f32(c), part->weight_limit = read_f32(c);
  part->force_scale = read_f32(c);
  part->dials.frequency = read_f32(c), part->dials.amplitude = read_f32(c), part->dials.sag = read_f32(c);
  part->dials.half_life = read_f32(c);
  flags = read_u32(c), targets = read_u32(c), modes = read_u32(c);
  if (c->ended) return "the file ends within it";
  if (flags > 3) return "flags that this reader does not know";
  part->dials.sustained = (int)(flags & 1), has_coriolis = (int)(flags >> 1);
  if (targets > left(c) / TARGET_BYTES) return "more targets than the file has room for";
  part->target_count = (int)targets;
  to = (supple_live_target*)take(arena, targets, sizeof *to, 8);
  part->targets = to;
  for (i = 0; i < targets; ++i) {
    supple_live_target t;
    t.mesh = read_i32(c), t.first = read_i32(c);
    if (t.mesh < 0 || t.first < 0) return "a target that does not exist";
    if (to) to[i] = t;
  }
  if (modes > MAX_MODES || modes > left(c) / MODE_BYTES) return "more modes than the file has room for";
  part->mode_count = (int)modes;
  wrong = wrong_with_part(part);
  if (wrong) return wrong;
  all = (supple_live_mode*)take(arena, modes, sizeof *all, 8);
  part->modes = all;
  for (i = 0; i < modes; ++i) {
    supple_live_mode m;
    *mode = (int)i;
    m.name = read_string(c, arena);
    m.frequency_hz = read_f32(c), m.decay = read_f32(c), m.mass = read_f32(c);
    m.reach = read_f32(c), m.share = read_f32(c);
    flags = read_u32(c);
    read_floats(c, m.transfer, 6);
    read_floats(c, m.centrifugal, 6);
    if (c->ended) return "the file ends within it";
    if (flags > 1) return "flags that this reader does not know";
    m.correction = (int)flags;
    wrong = wrong_with_mode(&m);
    if (wrong) return wrong;
    if (all) all[i] = m;
  }
  *mode = -1;
  if (has_coriolis) {
    uint64_t count = (uint64_t)modes * modes * 3, k;
    float* coriolis;
    if (count > left(c) / 4) return "the file ends within its coriolis";
    part->coriolis = coriolis = (float*)take(arena, count, sizeof(float), 8);
    for (k = 0; k < count; ++k) {
      float f = read_f32(c);
      if (!all_finite(&f, 1)) return "coriolis must be finite";
      if (coriolis) coriolis[k] = f;
    }
  }
  return NULL;
}

static supple_live_result read_pack(const void* data, size_t size, Arena* arena, supple_live_pack* pack, char* message,
                                    size_t message_size) {
  Cursor c;
  supple_live_part* parts;
  uint32_t version, count, i;
  c.data = (const unsigned char*)data, c.at = 8, c.size = size, c.ended = 0;
  if (!data || size < 8 || memcmp(data, "SUPPLIVE", 8) != 0)
    return fail(SUPPLE_LIVE_BAD_FILE, message, message_size, "not a live pack: it does not start with SUPPLIVE");
  version = read_u32(&c), count = read_u32(&c);
  pack->unit = read_f32(&c);
  read_floats(&c, pack->gravity, 3);
  if (c.ended) return fail(SUPPLE_LIVE_BAD_FILE, message, message_size, "the file ends within its first 32 bytes");
  if (version != 1)
    return fail(SUPPLE_LIVE_BAD_FILE, message, message_size, "version %lu; this reader knows version 1",
                (unsigned long)version);
  if (!(pack->unit > 0 && pack->unit <= FLT_MAX) || !all_finite(pack->gravity, 3))
    return fail(SUPPLE_LIVE_BAD_FILE, message, message_size, "unit and gravity must be finite, unit above 0");
  if (count > MAX_PARTS || count > left(&c) / PART_BYTES)
    return fail(SUPPLE_LIVE_BAD_FILE, message, message_size, "%lu parts: more than the file has room for",
                (unsigned long)count);
  parts = (supple_live_part*)take(arena, count, sizeof *parts, 8);
  for (i = 0; i < count; ++i) {
    supple_live_part part;
    int mode;
    const char* wrong = read_part(&c, arena, &part, &mode);
    if (wrong && mode < 0)
      return fail(SUPPLE_LIVE_BAD_FILE, message, message_size, "part %lu: %s", (unsigned long)i, wrong);
    if (wrong)
      return fail(SUPPLE_LIVE_BAD_FILE, message, message_size, "part %lu, mode %d: %s", (unsigned long)i, mode, wrong);
    if (parts) parts[i] = part;
  }
  if (left(&c))
    return fail(SUPPLE_LIVE_BAD_FILE, message, message_size, "%.0f bytes after the last part", (double)left(&c));
  pack->part_count = (int)count;
  pack->parts = parts;
  return SUPPLE_LIVE_OK;
}

supple_live_result supple_live_read_size(const void* data, size_t data_size, size_t* block_size, char* message,
                                         size_t message_size) {
  Arena arena;
  supple_live_pack pack;
  supple_live_result result;
  arena.base = NULL, arena.used = 0;
  result = read_pack(data, data_size, &arena, &pack, message, message_size);
  if (block_size) *block_size = result == SUPPLE_LIVE_OK ? (size_t)(arena.used + kAlignSlack) : 0;
  return result;
}

supple_live_result supple_live_read(const void* data, size_t data_size, void* block, size_t block_size,
                                    supple_live_pack* pack, char* message, size_t message_size) {
  Arena arena;
  size_t size;
  supple_live_result result = supple_live_read_size(data, data_size, &size, message, message_size);
  if (result != SUPPLE_LIVE_OK) return result;
  if (!block || !pack) return fail(SUPPLE_LIVE_BAD_ARGUMENT, message, message_size, "block or pack is NULL");
  if (block_size < size)
    return fail(SUPPLE_LIVE_TOO_SMALL, message, message_size, "the block has %.0f bytes, %.0f are needed",
                (double)block_size, (double)size);
  arena.base = (unsigned char*)block + (64 - (uintptr_t)block % 64) % 64, arena.used = 0;
  return read_pack(data, data_size, &arena, pack, message, message_size);
}
