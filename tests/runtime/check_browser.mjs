// What the vertex shader draws, in a headless browser, with three r111 (scripts) and a newer one (modules).
//
//   [THREE_CLASSIC=/usr/share/javascript/three] [THREE_DIR=<package three>] node check_browser.mjs
//
// Ends with 1 when something is off, with 3 when there is no browser or no three.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {findBrowser, result} from './browser.mjs';

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const classic = process.env.THREE_CLASSIC || '/usr/share/javascript/three', newer = process.env.THREE_DIR;
const runs = [];
if (fs.existsSync(path.join(classic, 'three.min.js'))) runs.push(['classic', classic]);
if (newer && fs.existsSync(path.join(newer, 'build', 'three.module.js'))) runs.push(['module', newer]);
if (!findBrowser() || !runs.length) {
  console.error('no browser or no three.js');
  process.exit(3);
}

let failed = 0;
function check(name, good, about = '') {
  if (!good) ++failed;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name} ${about}`);
}
const TYPES = {'.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript'};
for (const [kind, three] of runs) {
  const folders = {three, repository};
  const server = http.createServer((request, response) => {
    const [, top, ...rest] = decodeURIComponent(new URL(request.url, 'http://x').pathname).split('/');
    const file = folders[top] && path.join(folders[top], ...rest.filter(p => p !== '..'));
    if (!file || !fs.existsSync(file) || fs.statSync(file).isDirectory()) return void response.writeHead(404).end();
    response.writeHead(200, {'Content-Type': TYPES[path.extname(file)] || 'application/octet-stream'});
    fs.createReadStream(file).pipe(response);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${server.address().port}/repository/tests/runtime/check_shader.html?three=${kind}`;
  try {
    const out = await result(url);
    if (out.error) throw new Error(out.error);
    check(`three r${out.revision}`, out.checks.length > 0, out.webgl2 ? 'WebGL 2' : 'WebGL 1');
    for (const c of out.checks) {
      const name = `r${out.revision} ${c.path} ${JSON.stringify(c.options)}`, f = x => (100 * x).toFixed(2) + ' %';
      check(
          `${name}: as moved on the processor`, c.differs < 0.002 && c.moves > 0.01,
          `${f(c.differs)} of ${f(c.moves)}`);
      if (c.path === 'texture') {
        check(`${name}: normals matter`, c.options.normals === false ? c.flat === 0 : c.flat > 0.005, f(c.flat));
        check(`${name}: colours`, c.coloured > 0.01, f(c.coloured));
      }
      check(`${name}: given back`, c.disposed > 0.005, f(c.disposed));
    }
  } catch (e) {
    check(`three ${kind}`, false, e.message);
  }
  server.close();
}
console.log(failed ? `${failed} checks failed` : 'all checks passed');
process.exit(failed ? 1 : 0);
