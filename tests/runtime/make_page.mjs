// Puts the page together as the program does, from the same sources: for trying it out and for tests.
//
//   node make_page.mjs OUT.html NAME=FILE.glb[,kind=tissue][,title=Words] ...
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const page = path.join(repository, 'src', 'supple', 'report', 'page'), runtime = path.join(repository, 'runtime', 'js');
const three = process.env.THREE_CLASSIC || '/usr/share/javascript/three';
const read = (...parts) => fs.readFileSync(path.join(...parts), 'utf8');

// Modules as one script: imports go, the word export goes, what the page uses is handed out.
export function runtimeScript() {
  const text = ['kinematics.js', 'oscillators.js', 'part.js', 'deform.js', 'attach.js'].map(f => read(runtime, f)
      .split('\n').filter(line => !line.startsWith('import ')).map(line => line.replace(/^export /, '')).join('\n'));
  return '\'use strict\';\nconst supple_live = (() => {\n' + text.join('\n') +
      '\nreturn {LivePart, attach, nodesOf};\n})();\n';
}

export function makePage(packs, title = 'Live flesh') {
  const scripts = [
    'live_surface.js', 'live_motion.js', 'live_tool.js', 'live_stage.js', 'live_panel.js', 'live_check.js',
    'live_main.js'
  ];
  const escape = t => t.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
  const places = {
    TITLE: escape(title),
    STYLE: read(page, 'live_page.css'),
    LICENCE: '<!--\n' + read(page, 'three_licence.txt') + '-->',
    PACKS: packs
               .map(
                   p => `<script type="text/plain" data-pack="${escape(p.name)}" data-title="${escape(p.title)}" ` +
                       `data-kind="${escape(p.kind)}" data-note="${escape(p.note || '')}">${
                            Buffer.from(p.bytes).toString('base64')}</script>`)
               .join('\n'),
    THREE: ['three.min.js', 'examples/js/controls/OrbitControls.js', 'examples/js/loaders/GLTFLoader.js']
               .map(f => read(three, f))
               .join('\n'),
    RUNTIME: runtimeScript(),
    SCRIPT: scripts.map(f => read(page, f)).join('\n'),
  };
  return read(page, 'live_page.html').replace(/\{\{([A-Z]+)\}\}/g, (_, name) => places[name]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, ...given] = process.argv.slice(2);
  const packs = given.map(arg => {
    const [first, ...more] = arg.split(','), [name, file] = first.split('=');
    const pack = {name, title: name[0].toUpperCase() + name.slice(1), kind: 'character', bytes: fs.readFileSync(file)};
    for (const m of more) pack[m.split('=')[0]] = m.split('=').slice(1).join('=');
    return pack;
  });
  fs.writeFileSync(out, makePage(packs));
}
