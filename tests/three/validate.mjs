// What the Khronos validator says of glTF files.
//
//   GLTF_VALIDATOR_DIR=<folder of the package gltf-validator> node validate.mjs FILE...
//
// Prints [{"file", "errors", "warnings", "codes": {CODE: times} of errors and warnings}].
// Ends with 3 when the validator is not found.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const folder = process.env.GLTF_VALIDATOR_DIR;
if (!folder || !fs.existsSync(path.join(folder, 'package.json'))) {
  console.error('the validator is not found: set GLTF_VALIDATOR_DIR to the folder of its package');
  process.exit(3);
}
const validator = createRequire(import.meta.url)(path.resolve(folder));

const results = [];
for (const file of process.argv.slice(2)) {
  // A text file names others beside it.
  const beside = (uri) =>
    fs.promises.readFile(path.join(path.dirname(file), decodeURIComponent(uri))).then((bytes) => new Uint8Array(bytes));
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)),
                                               {externalResourceFunction: beside, maxIssues: 0});
  const codes = {};
  for (const message of report.issues.messages)
    if (message.severity < 2) codes[message.code] = (codes[message.code] ?? 0) + 1;
  results.push({file, errors: report.issues.numErrors, warnings: report.issues.numWarnings, codes});
}
console.log(JSON.stringify(results));
