// What a browser shows of a .glb: three.js and its loader, nothing of ours, against positions that are expected.
//
//   [THREE_DIR=<package three>] [THREE_CLASSIC=/usr/share/javascript/three] node play.mjs FILE.glb EXPECTED.json
//
// EXPECTED: {"clip", "rigid", "times": [...], "shapes": [{"positions": [[x, y, z, ...] a time]} a primitive]}; rigid is
// the clip without flesh. Plays it with THREE_DIR where given, and with Debian's r111 (scripts) where installed. Prints
// [{"revision", "worst": from what is expected, "moved": from the rigid clip, "changed": over time (the file's units),
// "pictures": [{"ours", "rigid": share of pixels that differ} a time]}]. Ends with 3 when there is no browser or no
// three.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {findBrowser, result} from '../runtime/browser.mjs';

const [file, expected] = process.argv.slice(2);
const newer = process.env.THREE_DIR, classic = process.env.THREE_CLASSIC || '/usr/share/javascript/three';
const address = (...parts) => pathToFileURL(path.resolve(...parts)).href, runs = [];
if (newer && fs.existsSync(path.join(newer, 'build', 'three.module.js')))
  runs.push(['module', `<script type="importmap">${
      JSON.stringify({imports: {three: address(newer, 'build', 'three.module.js')}})}</script>
    <script type="module">
      import * as THREE from 'three';
      import {GLTFLoader} from '${address(newer, 'examples', 'jsm', 'loaders', 'GLTFLoader.js')}';
      window.libraries = {THREE, GLTFLoader};
    </script>`]);
if (fs.existsSync(path.join(classic, 'three.min.js')))
  runs.push(['classic', `<script src="${address(classic, 'three.min.js')}"></script>
    <script src="${address(classic, 'examples', 'js', 'loaders', 'GLTFLoader.js')}"></script>
    <script>window.libraries = {THREE, GLTFLoader: THREE.GLTFLoader};</script>`]);
if (!findBrowser()) {
  console.error('there is no browser: install chromium');
  process.exit(3);
}
if (!runs.length) {
  console.error('three.js is not found: install libjs-three, or set THREE_DIR to the folder of its package');
  process.exit(3);
}

// The file with bytes for accessors that have none, which stand for zeros: r111 does not know them.
function filled(glb) {
  const length = glb.readUInt32LE(12), json = JSON.parse(glb.toString('utf8', 20, 20 + length));
  const binary = Buffer.from(glb.subarray(28 + length)), bare = json.accessors.filter(a => !('bufferView' in a || a.sparse));
  const most = Math.max(0, ...bare.map(a => 12 * a.count));
  for (const a of bare) a.bufferView = json.bufferViews.length;
  if (most) json.bufferViews.push({buffer: 0, byteOffset: binary.length, byteLength: most});
  json.buffers[0].byteLength = binary.length + most;
  const plain = JSON.stringify(json), text = Buffer.from(plain + ' '.repeat(3 - (Buffer.byteLength(plain) + 3) % 4));
  const heads = [0x46546c67, 2, 28 + text.length + binary.length + most, text.length, 0x4e4f534a].map(word);
  return Buffer.concat([...heads, text, word(binary.length + most), word(0x004e4942), binary, Buffer.alloc(most)]);
}
function word(n) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(n);
  return bytes;
}

const template = fs.readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), 'play.html'), 'utf8');
const glb = fs.readFileSync(file);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'play-')), page = path.join(folder, 'play.html'), seen = [];
try {
  for (const [kind, libraries] of runs) {
    const given = JSON.stringify({
      glb: (kind === 'classic' ? filled(glb) : glb).toString('base64'),
      expected: JSON.parse(fs.readFileSync(expected, 'utf8')),
    });
    fs.writeFileSync(page, template.replace('LIBRARIES', () => libraries)
                               .replace('GIVEN', () => given.replace(/</g, '\\u003c')));
    seen.push(await result(pathToFileURL(page).href, ['--allow-file-access-from-files']));
  }
} finally {
  fs.rmSync(folder, {recursive: true, force: true});
}
console.log(JSON.stringify(seen));
