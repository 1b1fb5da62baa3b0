// three.js of THREE_DIR in node, without a browser; ends the program with 3 where it is not there.
import fs from 'node:fs';
import {register} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const folder = process.env.THREE_DIR;
if (!folder || !fs.existsSync(path.join(folder, 'build', 'three.module.js'))) {
  console.error('three.js is not found: set THREE_DIR to the folder of its package');
  process.exit(3);
}
// The loader asks for these of a browser; pictures are never loaded.
globalThis.self ??= globalThis;
globalThis.window ??= globalThis;
globalThis.ProgressEvent ??= class {};

// A loader's addon asks for the package by its name.
const three = pathToFileURL(path.join(folder, 'build', 'three.module.js')).href;
register('data:text/javascript,' + encodeURIComponent(`
  export async function resolve(name, context, next) {
    return name === 'three' ? {url: ${JSON.stringify(three)}, shortCircuit: true} : next(name, context);
  }`));
export const THREE = await import(three);
export const addon = (...parts) => import(pathToFileURL(path.join(folder, 'examples', 'jsm', ...parts)));
export const {GLTFLoader} = await addon('loaders', 'GLTFLoader.js');
