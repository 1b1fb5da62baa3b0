// Motions of the whole model for the page: where its root is, by time. Smooth where a body would be; the landing of a
// jump and the stop are sharp on purpose. Lengths are for a person and shrink with the model.
'use strict';
const live_motion = (() => {
  const ease = x => x <= 0 ? 0 : x >= 1 ? 1 : x * x * x * (10 - 15 * x + 6 * x * x);
  const window = (t, seconds) => ease(t / 0.25) * ease((seconds - t) / 0.25);

  // Off the ground in T seconds, free flight, as quickly to rest again: never below the ground.
  function jump(t) {
    const v = 2.3, T = 0.07, g = 9.81, flight = 2 * v / g;
    t -= 0.15;
    if (t <= 0) return 0;
    if (t < T) return v * t * t / (2 * T);
    if (t < T + flight) return v * T / 2 + v * (t - T) - g * (t - T) ** 2 / 2;
    const left = Math.max(0, 2 * T + flight - t);
    return v * left * left / (2 * T);
  }
  // Gets going, goes, and stops within a few hundredths of a second; then slowly back.
  function stop(t) {
    const v = 1.5, run = v * (0.25 + 0.45 + 0.035);
    if (t < 0.5) return v * 0.5 * (() => { const x = t / 0.5; return x * x * x - x * x * x * x / 2; })();
    if (t < 0.95) return v * (0.25 + t - 0.5);
    if (t < 1.02) return v * (0.25 + 0.45 + (t - 0.95) - (t - 0.95) ** 2 / 0.14);
    return run * (1 - ease((t - 2.6) / 1.6));
  }
  const MOTIONS = {
    jump: {seconds: 1.2, at: t => ({move: [0, jump(t), 0], yaw: 0})},
    twist: {seconds: 2.2, at: t => ({
      move: [0, 0, 0], yaw: 0.9 * (ease(t / 0.35) - 2 * ease((t - 0.6) / 0.45) + ease((t - 1.35) / 0.35))})},
    stop: {seconds: 4.4, at: t => ({move: [0, 0, stop(t)], yaw: 0})},
    shake: {seconds: 1.8, at: t => {
      const w = window(t, 1.8), s = f => Math.sin(2 * Math.PI * f * t);
      return {
        move: [0.025 * w * s(4.1), 0.03 * w * (1 - Math.cos(2 * Math.PI * 3.3 * t)) / 2, 0.015 * w * s(2.7)],
        yaw: 0.1 * w * s(3)
      };
    }},
  };

  // A point that follows another one like a well damped spring; smooth in velocity.
  class Follower {
    constructor(rate) {
      this.rate = rate;
      this.reset();
    }
    reset() {
      this.value = [0, 0, 0], this.speed = [0, 0, 0], this.target = [0, 0, 0];
    }
    // Exact for a target that stands still over the step.
    step(dt) {
      const r = this.rate, e = Math.exp(-r * dt);
      for (let k = 0; k < 3; ++k) {
        const x = this.value[k] - this.target[k], v = this.speed[k], b = v + r * x;
        this.value[k] = this.target[k] + (x + b * dt) * e;
        this.speed[k] = (v - r * b * dt) * e;
      }
      return this.value;
    }
  }

  class Player {
    constructor(size) {
      this.size = size;
      this.reset();
    }
    reset() {
      this.name = null, this.time = 0, this.lying = 0, this.lie = false;
      this.from = {move: [0, 0, 0], yaw: 0}, this.since = 0;
      this.drag = new Follower(22);
    }
    start(name) {
      if (!(name in MOTIONS)) return;  // an address may say anything
      const now = this.bare(), first = MOTIONS[name].at(0);
      this.from = {move: now.move.map((x, k) => x - first.move[k]), yaw: now.yaw - first.yaw};
      this.since = 0, this.name = name, this.time = 0;
    }
    bare() {
      const m = this.name ? MOTIONS[this.name].at(this.time) : {move: [0, 0, 0], yaw: 0};
      const r = 9, left = (1 + r * this.since) * Math.exp(-r * this.since);
      return {move: m.move.map((x, k) => x + left * this.from.move[k]), yaw: m.yaw + left * this.from.yaw};
    }
    // The root after dt: {move [m], yaw, lean} with lean from 0 (standing) to 1 (on its back).
    step(dt) {
      this.time += dt, this.since += dt;
      if (this.name && this.time > MOTIONS[this.name].seconds && this.since > 1) this.name = null;
      this.lying = Math.min(1, Math.max(0, this.lying + (this.lie ? dt : -dt) / 1.1));
      const b = this.bare(), d = this.drag.step(dt);
      return {move: b.move.map((x, k) => this.size * x + d[k]), yaw: b.yaw, lean: ease(this.lying)};
    }
  }
  return {MOTIONS, Follower, Player, ease};
})();
