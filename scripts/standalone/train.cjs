'use strict';
// Runs typical command lines, against a sandbox, the way the executable will, and keeps what V8 compiled for them beside each file.
// Arguments: the folder of the files, and a command line; without one, it runs itself with each.
const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const LINES = [
  'alerts list',
  'alerts list -o json',
  'alerts list -o csv --color always',
  'silences list -o json --query length(@)',
  'silences create alertname=DiskFull -c training --yes',
  'silences import',
  'webhooks list',
  'webhooks sign - --as http',
  'catalog products list',
  'trade accounts',
  'config list',
  'completion bash',
  '__complete alerts list --',
];

const [folder, ...line] = process.argv.slice(2);
const scripts = new Map();

if (line.length > 0) {
  runLine();
} else {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.cjs')))
    scripts.set(name, new Script(readFileSync(join(folder, name), 'utf8'), { filename: name }));
  keep();
  for (const words of LINES) {
    const argv = [__filename, folder, ...words.split(' ')];
    // svc sandbox run passes on the credentials of the sandbox alone.
    const env = { ...process.env, SVC_WEBHOOK_SECRET: 'whsec_training' };
    const { status, stderr } = spawnSync(process.execPath, argv, { input: '[]', encoding: 'utf8', env });
    if (status !== 0) throw new Error(`svc ${words} ended with ${status}: ${stderr}`);
  }
}

/** The more a run made V8 compile, the larger: the largest is kept. */
function keep() {
  for (const [name, script] of scripts) {
    const path = join(folder, `${name}.cache`);
    const data = script.createCachedData();
    if (!existsSync(path) || statSync(path).size < data.length) writeFileSync(path, data);
  }
}

/** entry.cjs itself, on the files of the folder. */
function runLine() {
  process.argv.splice(2, 1);
  process.on('exit', keep);
  class Kept extends Script {
    constructor(text, { filename }) {
      super(text, { filename });
      scripts.set(filename, this);
    }
  }
  const stand = {
    'node:sea': { getRawAsset: (name) => (name.endsWith('.cache') ? [] : readFileSync(join(folder, name))) },
    'node:vm': { Script: Kept },
  };
  const entry = new Function('require', readFileSync(join(__dirname, 'entry.cjs'), 'utf8'));
  entry((id) => stand[id] ?? require(id));
}
