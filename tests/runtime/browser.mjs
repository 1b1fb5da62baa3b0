// A headless browser for tests: opens a page, waits until the element #result holds JSON, returns it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {spawn} from 'node:child_process';

export function findBrowser() {
  const names = process.env.CHROMIUM ? [process.env.CHROMIUM]
                                     : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return names.find(name => fs.existsSync(name));
}

// more: further options of the browser, as --screenshot=FILE. Returns what was printed.
export function open(url, more = [], seconds = 240) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
  return new Promise((resolve, reject) => {
    const browser = spawn(findBrowser(), [
      '--headless=new', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-extensions', '--disable-dev-shm-usage',
      '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
      '--mute-audio', '--hide-scrollbars', `--user-data-dir=${profile}`, ...more, url],
      {stdio: ['ignore', 'pipe', process.env.BROWSER_LOG ? 'inherit' : 'ignore']});
    let text = '';
    browser.stdout.on('data', d => { text += d; });
    const timer = setTimeout(() => browser.kill('SIGKILL'), 1000 * seconds);
    browser.on('error', reject);
    browser.on('close', code => {
      clearTimeout(timer);
      fs.rmSync(profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
      code === 0 ? resolve(text) : reject(new Error(`the browser ended with ${code}`));
    });
  });
}

// The JSON in #result of a page printed by --dump-dom.
export async function result(url, more = []) {
  const dom = await open(url, ['--dump-dom', '--virtual-time-budget=200000', ...more]);
  const found = /<pre id="result"[^>]*>([\s\S]*?)<\/pre>/.exec(dom);
  if (!found) throw new Error('the page has no #result');
  const plain = found[1].replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&amp;/g, '&');
  try {
    return JSON.parse(plain);
  } catch {
    throw new Error(`#result is not JSON: ${plain.slice(0, 300)}`);
  }
}
