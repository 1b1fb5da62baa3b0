// A page of live flesh in a headless browser: what it measures about itself, and that it asks for nothing outside.
//
//   node check_page.mjs PAGE.html
//
// Ends with 1 when something is off, with 3 when there is no browser.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {findBrowser, result} from './browser.mjs';

const page = process.argv[2];
if (!page || !fs.existsSync(page)) {
  console.error('usage: node check_page.mjs PAGE.html');
  process.exit(2);
}
if (!findBrowser()) {
  console.error('no browser');
  process.exit(3);
}
let failed = 0;
function check(name, good, about = '') {
  if (!good) ++failed;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name} ${about}`);
}
const close = (got, wanted, by) => Math.abs(got / wanted - 1) < by;
const f = x => Number(x).toPrecision(4);

const text = fs.readFileSync(page, 'utf8');
check('no outside requests', !/<(script|link|img)[^>]+(src|href)=["']?(https?:)?\/\//i.test(text));
check('all places filled in', !/\{\{[A-Z]+\}\}/.test(text));
// Used as by a person, in a copy.
const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'page-')), play = path.join(copy, 'play.html');
const script = fs.readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), 'page_play.js'), 'utf8');
// A headless browser draws when it likes; here pictures come with its clock.
const clock =
    '<script>window.requestAnimationFrame = f => window.played || setTimeout(() => f(performance.now()), 40);</script>';
fs.writeFileSync(
    play,
    text.replace('<head>', () => '<head>' + clock)
        .replace(/<\/body>\s*<\/html>\s*$/, () => `<script>\n${script}</script>\n</body>\n</html>\n`));

// Both at once.
const played = result(pathToFileURL(play).href, ['--window-size=900,500']).catch(e => ({error: e.message}));
const out = await result(pathToFileURL(path.resolve(page)).href + '#test');
if (out.error) check('the page', false, out.error);
check('packs', out.packs && out.packs.length > 0);
for (const pack of out.packs || []) {
  check(`${pack.name}: draws`, pack.draws && pack.programs_ok, `modes ${pack.modes.join(' ')}`);
  for (const p of pack.parts) {
    const name = `${pack.name} ${p.part}:`;
    check(`${name} moves`, p.finite && p.most_mm > 0.05, f(p.most_mm) + ' mm');
    check(
        `${name} 30 and 120 steps a second`, p.fps30 !== null && p.fps30 < 0.15 && p.fps120 < 0.03,
        `${f(p.fps30)} ${f(p.fps120)}`);
    if (p.mode) {
      check(
          `${name} mode ${p.mode} rings as it says`, close(p.hz, p.hz_wanted, 0.01),
          `${f(p.hz)} of ${f(p.hz_wanted)} Hz`);
      check(`${name} and decays so`, close(p.decay, p.decay_wanted, 0.06), `${f(p.decay)} of ${f(p.decay_wanted)} /s`);
      check(`${name} Speed 2`, close(p.speed2, p.speed2_wanted, 0.01), `${f(p.speed2)} of ${f(p.speed2_wanted)}`);
      check(`${name} Settle 2`, close(p.settle2, 0.5, 0.06), f(p.settle2));
      check(`${name} Amount 2`, close(p.amount2, 2, 0.01), f(p.amount2));
    }
    check(
        `${name} Sag is linear`, p.sag_linear < 0.02,
        `${f(p.sag_linear)}, lying ${f(p.lie_mm)} mm, by sag ${f(p.lie_changes_mm)} mm`);
  }
  const q = pack.push;
  check(
      `${pack.name}: the rod pushes`,
      q.found && q.force_n > 0 && q.pushed_mm > 0.2 * q.asked_mm && q.worst_mm < 3 * q.asked_mm,
      q.found ? `${f(q.pushed_mm)} of ${f(q.asked_mm)} mm, ${f(q.force_n)} N` : 'nothing under it');
  if (q.found) {
    check(`${pack.name}: steadily`, q.jitter_mm < 0.03 * q.asked_mm, f(q.jitter_mm) + ' mm');
    check(`${pack.name}: and it comes back`, Math.abs(q.left_mm) < 0.05 * q.asked_mm, f(q.left_mm) + ' mm');
  }
}

const used = await played;
if (used.error) check('used as by a person', false, used.error);
for (const c of used.checks || []) check(c.name, c.good, c.about);
fs.rmSync(copy, {recursive: true, force: true});
console.log(failed ? `${failed} checks failed` : 'all checks passed');
process.exit(failed ? 1 : 0);
