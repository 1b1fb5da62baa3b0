// The space bar in the page of a run, whatever has the focus: plays or pauses once, and does nothing else.
//   node check_keys.mjs PAGE.html
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

import {result} from '../runtime/browser.mjs';

function keys() {
  const $ = id => document.getElementById(id), out = {};
  const press = (target, key) => ['keydown', 'keyup'].map(
      kind => !target.dispatchEvent(new KeyboardEvent(kind, {key, bubbles: true, cancelable: true})));
  const tell = () => {
    if ($('viewer').hidden) return void setTimeout(tell, 100);
    out.wire = $('wire').checked;
    out.regions = [...document.querySelectorAll('#legend-regions li')].map(item => item.textContent);
    for (const id of ['play', 'frame', 'heat', 'reset']) {
      const before = $('play').textContent, stopped = press($(id), ' ');
      out[id] = {turned: $('play').textContent !== before, stopped, heat: $('heat').checked};
    }
    press($('heat'), 'Enter');
    out.enter = $('heat').checked;
    const shown = document.createElement('pre');
    shown.id = 'result';
    shown.textContent = JSON.stringify(out);
    document.body.append(shown);
  };
  tell();
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keys-')), page = path.join(folder, 'page.html');
const html = fs.readFileSync(process.argv[2], 'utf8');
fs.writeFileSync(page, html.replace('</body>', `<script>(${keys})();</script></body>`));
try {
  console.log(JSON.stringify(await result(pathToFileURL(page).href)));
} finally {
  fs.rmSync(folder, {recursive: true, force: true});
}
