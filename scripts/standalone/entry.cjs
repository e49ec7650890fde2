'use strict';
// Where the standalone executable begins. The files of the package are inside it, each with what V8 made of it in earlier runs,
// and are loaded when they are needed, as they are from a folder.
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const loaded = new Map();

/** What `require` is to the files inside. They name each other by relative paths, and no two of them are named alike. */
function load(id) {
  if (!id.startsWith('.')) return require(id);
  const name = id.slice(id.lastIndexOf('/') + 1);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const text = Buffer.from(getRawAsset(name)).toString();
  if (name.endsWith('.json')) {
    module.exports = JSON.parse(text);
  } else {
    const script = new Script(text, { filename: name, cachedData: Buffer.from(getRawAsset(`${name}.cache`)) });
    script.runInThisContext()(module.exports, load, module, process.execPath);
  }
  return module.exports;
}

// As it was typed, it may be a name on the path. That it is the same as the first tells that no script is run.
process.argv[1] = process.execPath;
load('./svc.cjs');
