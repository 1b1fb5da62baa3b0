// Reads what report/motion.cpp and report/bit_pack.cpp pack. No page needed: tests run it alone.
'use strict';
const supple_decode = (() => {
  const BLOCK = 32, ESCAPE = 20, ZEROS = 15;

  function from_base64(text) {
    const raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
    return bytes;
  }

  // Bits of a byte array, low ones first.
  class Bits {
    constructor(bytes) { this.bytes = bytes; this.at = 0; this.hold = 0; this.n = 0; }
    fill(n) {  // at most 24
      while (this.n < n) {
        this.hold |= this.bytes[this.at++] << this.n;  // past the end: zeros
        this.n += 8;
      }
    }
    take(n) {  // at most 16
      this.fill(n);
      const value = this.hold & ((1 << n) - 1);
      this.hold >>>= n;
      this.n -= n;
      return value;
    }
    // Up to 32 numbers into `out`, zigzag undone.
    block(out, n) {
      const k = this.take(4);
      if (k === ZEROS) return out.fill(0, 0, n);
      for (let i = 0; i < n; ++i) {
        this.fill(ESCAPE + 1);
        const zeros = ~this.hold, ones = Math.min(31 - Math.clz32(zeros & -zeros), ESCAPE);
        let v;
        if (ones === ESCAPE) {
          this.take(10), this.take(10);
          v = this.take(16);
          v = (v | this.take(16) << 16) >>> 0;
        } else {
          this.hold >>>= ones + 1;
          this.n -= ones + 1;
          v = ones << k | this.take(k);
        }
        out[i] = v >>> 1 ^ -(v & 1);
      }
    }
  }

  function list(bytes, count) {
    const bits = new Bits(bytes), out = new Int32Array(count), block = new Int32Array(BLOCK);
    for (let begin = 0, last = 0; begin < count; begin += BLOCK) {
      const n = Math.min(BLOCK, count - begin);
      bits.block(block, n);
      for (let i = 0; i < n; ++i) out[begin + i] = last += block[i];
    }
    return out;
  }

  // As motion_guides in report/motion.h. triangles: of points.
  function guides(n_points, triangles) {
    const out = new Int32Array(n_points).fill(-1);
    for (let t = 0; t < triangles.length; t += 3)
      for (let a = 0; a < 3; ++a)
        for (let b = 0; b < 3; ++b) {
          const p = triangles[t + a], q = triangles[t + b];
          if (q < p && q > out[p]) out[p] = q;
        }
    for (let p = 1; p < n_points; ++p) if (out[p] < 0) out[p] = p - 1;
    return out;
  }

  // One coordinate of all points over time; `now` holds it after each read.
  class Track {
    constructor(guide) {
      this.guide = guide;
      this.now = new Int32Array(guide.length), this.last = this.now.slice(), this.before = this.now.slice();
      this.block = new Int32Array(BLOCK);
    }
    read(bits) {
      const now = this.before, last = this.now, before = this.last, guide = this.guide, block = this.block;
      this.now = now, this.last = last, this.before = before;
      for (let begin = 0; begin < now.length; begin += BLOCK) {
        const n = Math.min(BLOCK, now.length - begin), way = bits.take(2);
        bits.block(block, n);
        for (let i = 0; i < n; ++i) {
          const p = begin + i, g = guide[p];
          let v = block[i] + last[p];
          if (way & 1) v += last[p] - before[p];
          if (way & 2 && g >= 0) {
            v += now[g] - last[g];
            if (way & 1) v -= last[g] - before[g];
          }
          now[p] = v;
        }
      }
      return now;
    }
  }

  // All frames, one at a call of next(): whole numbers, x y z a point, of the input and of the result.
  class Frames {
    constructor(bytes, n_points, triangles) {
      const guide = guides(n_points, triangles);
      this.bits = new Bits(bytes);
      this.n_points = n_points;
      this.tracks = [0, 1, 2, 3, 4, 5].map(() => new Track(guide));
    }
    next() {
      const input = new Uint16Array(3 * this.n_points), result = new Uint16Array(3 * this.n_points);
      for (let a = 0; a < 3; ++a) {
        const where = this.tracks[a].read(this.bits), departs = this.tracks[3 + a].read(this.bits);
        for (let p = 0; p < this.n_points; ++p) {
          input[3 * p + a] = where[p];
          result[3 * p + a] = where[p] + departs[p];
        }
      }
      return {input, result};
    }
  }

  // The motion of a page: text(id) gives an element's text.
  function motion(about, text) {
    const bytes = name => from_base64(text('motion-' + name) || '');
    const points = list(bytes('points'), about.vertices), shades = list(bytes('shades'), about.vertices);
    const triangles = list(bytes('triangles'), 3 * about.triangles);
    const colors = bytes('colors'), uvs = bytes('uvs'), softness = bytes('softness'), regions = bytes('regions');
    return {
      points, shades, triangles,
      colors: colors.length ? colors : null,
      softness: softness.length ? softness : null,
      regions: regions.length ? list(regions, about.vertices) : null,
      uvs: uvs.length ? new Float32Array(uvs.buffer) : null,
      frames: new Frames(bytes('frames'), about.points, triangles.map(v => points[v])),
    };
  }

  return {from_base64, list, guides, Frames, motion};
})();
if (typeof module !== 'undefined') module.exports = supple_decode;
