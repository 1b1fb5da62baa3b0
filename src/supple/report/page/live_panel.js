// The panel beside the picture: dials, modes, level of detail, and the trace of one point.
'use strict';
const live_panel = (() => {
  const $ = id => document.getElementById(id);
  const DIALS = [['frequency', 'speed', 'Speed'], ['amplitude', 'amount', 'Amount'], ['sag', 'sag', 'Sag'],
                 ['halfLife', 'settle', 'Settle']];
  const shown = x => '×' + (x < 0.995 ? x.toFixed(2) : x < 9.95 ? x.toFixed(2) : x.toFixed(1));
  // A length as one would say it.
  const mm = metres => {
    const x = 1000 * metres;
    return (x >= 10 ? x.toFixed(0) : x >= 1 ? x.toFixed(1) : x.toFixed(2)) + ' mm';
  };
  const make = (tag, props = {}, ...children) => {
    const e = Object.assign(document.createElement(tag), props);
    e.append(...children);
    return e;
  };

  class Panel {
    constructor() {
      this.model = null;
      this.chosen = -1;  // part; -1: all
      this.bars = [];
      this.trace = [];
      for (const [key, id] of DIALS) {
        const slider = $('dial-' + id);
        slider.addEventListener('input', () => this.dial(key, Math.pow(2, Number(slider.value))));
        slider.addEventListener('dblclick', () => this.dial(key, 1));
      }
      $('part').addEventListener('change', () => { this.chosen = Number($('part').value); this.refresh(); });
      $('detail').addEventListener('input', () => {
        for (const part of this.model.live.parts)
          part.activeModes = Math.min(part.modes.length, Number($('detail').value));
        this.refresh();
      });
      $('neutral').addEventListener('click', () => {
        for (const [key] of DIALS) this.dial(key, 1);
      });
    }
    get parts() {
      const all = this.model.live.parts;
      return this.chosen < 0 ? all : [all[this.chosen]];
    }
    dial(key, value) {
      for (const part of this.parts) part.settings[key] = value;
      this.refresh();
    }
    take(model) {
      this.model = model;
      this.chosen = -1;
      this.trace = [];
      const parts = model.live.parts;
      $('part').replaceChildren(...(parts.length > 1 ? [make('option', {value: -1, textContent: 'All parts'})] : []),
                                ...parts.map((p, i) => make('option', {value: i, textContent: p.name})));
      if (parts.length === 1) this.chosen = 0;
      const most = Math.max(...parts.map(p => p.modes.length));
      $('detail').max = most, $('detail').value = most;
      this.refresh();
    }
    refresh() {
      const first = this.parts[0].settings;
      for (const [key, id] of DIALS) {
        $('dial-' + id).value = Math.log2(Math.min(4, Math.max(0.25, first[key])));
        $('value-' + id).textContent = shown(first[key]);
      }
      const active = this.model.live.parts.reduce((s, p) => s + p.modes.filter((_, i) => p.swings(i)).length, 0);
      const total = this.model.live.parts.reduce((s, p) => s + p.modes.length, 0);
      $('value-detail').textContent = `${active} of ${total} modes`;
      this.bars = [];
      $('modes').replaceChildren(...this.parts.flatMap(part => this.list(part)));
    }
    list(part) {
      const whole = part.modes.reduce((s, m) => s + (m.share || 0), 0) || 1;
      const head = make('h3', {textContent: part.name});
      head.append(make('small', {textContent: ` on ${part.data.bone || 'a node'}`}));
      const rows = part.modes.map((mode, i) => {
        const box = make('input', {type: 'checkbox', checked: !part.muted[i]});
        box.addEventListener('change', () => { part.muted[i] = box.checked ? 0 : 1; this.refresh(); });
        const bar = make('i'), hz = mode.frequency_hz * part.settings.frequency;
        this.bars.push({part, i, bar});
        const row = make(
            'label', {className: 'mode' + (i < part.activeModes ? '' : ' off')}, box,
            make(
                'span',
                {className: 'hz', textContent: mode.correction ? 'steady' : hz.toFixed(hz < 10 ? 2 : 1) + ' Hz'}),
            make('span', {className: 'level'}, bar),
            make('span', {className: 'share', textContent: (100 * (mode.share || 0) / whole).toFixed(0) + ' %'}));
        row.title = mode.name + (mode.correction ? ': makes steady leaning and hanging right' : '');
        return row;
      });
      return [head, ...rows];
    }

    // How far the probe of a part is from where its bone alone would have it [m], and the same along one direction
    // [m, signed], for the trace.
    measure(index) {
      const part = this.model.live.parts[index], phi = this.model.probes[index].motion, u = [0, 0, 0];
      part.weights.forEach((w, i) => { for (let k = 0; k < 3; ++k) u[k] += w * phi[3 * i + k]; });
      return u;
    }
    // Called for each step.
    note(time) {
      const u = this.model.live.parts.map((_, i) => Math.hypot(...this.measure(i)));
      this.trace.push([time, ...u]);
      while (this.trace.length && this.trace[0][0] < time - 4) this.trace.shift();
    }
    // Called for each picture.
    draw() {
      for (const {part, i, bar} of this.bars) {
        const far = Math.abs(part.weights[i] - part.hanging[2][i]) * (part.modes[i].reach || 0);
        bar.style.width = Math.min(100, 100 * far / (0.04 * (part.data.size || 0.3))) + '%';
      }
      const canvas = $('trace'), w = canvas.clientWidth, h = canvas.clientHeight,
            ratio = Math.min(2, devicePixelRatio || 1);
      if (!w) return;
      if (canvas.width !== Math.round(w * ratio))
        canvas.width = Math.round(w * ratio), canvas.height = Math.round(h * ratio);
      const c = canvas.getContext('2d'), rows = this.trace, last = rows.length ? rows[rows.length - 1][0] : 0;
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      c.clearRect(0, 0, w, h);
      const picked = this.parts.map(p => this.model.live.parts.indexOf(p) + 1);
      const most = Math.max(1e-4, ...rows.map(r => Math.max(...picked.map(k => r[k]))));
      this.top = Math.max(most, (this.top || 0) * 0.97);
      c.strokeStyle = '#3a3f47';
      for (let s = 0; s <= 4; ++s) c.beginPath(), c.moveTo(w * s / 4, 0), c.lineTo(w * s / 4, h), c.stroke();
      picked.forEach((k, n) => {
        c.strokeStyle = ['#7fb2ff', '#ffb86b', '#8be28b', '#e88be2', '#f0e36b', '#6be3e0'][n % 6];
        c.lineWidth = 1.5;
        c.beginPath();
        rows.forEach(
            (r, j) => c[j ? 'lineTo' : 'moveTo'](w * (1 + (r[0] - last) / 4), h - 2 - (h - 6) * r[k] / this.top));
        c.stroke();
      });
      $('trace-top').textContent = 'up to ' + mm(this.top);
    }
  }
  return {Panel, DIALS, mm};
})();
