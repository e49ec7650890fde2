/**
 * Loaded into a process by --require: counts its steps in the file system under FILE_STEPS_ROOT, and at one of them it dies or is
 * refused. FILE_STEPS_KILL=n: kill -9 at the nth point; a step has one before it and one after it, and a write one with half of it done.
 * FILE_STEPS_FAIL=n with FILE_STEPS_CODE: the nth step fails with that code; where FILE_STEPS_FOR_EVER is set, and so does every one
 * after it that takes room or changes something. FILE_STEPS_LOG: where the points and steps are written at the end.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { FILE_STEPS_ROOT: root, FILE_STEPS_LOG: log, FILE_STEPS_CODE: code } = process.env;
const { FILE_STEPS_KILL: killAt, FILE_STEPS_FAIL: failAt, FILE_STEPS_FOR_EVER: forEver } = process.env;
const real = { ...fs };
const WRITES = ['writeSync', 'writeFileSync'];
/** A disk that is full lets files be removed, closed and renamed. */
const NEEDS_ROOM = ['openSync', 'mkdirSync', 'linkSync', 'copyFileSync', 'fsyncSync', ...WRITES];
const STEPS = [
  ...NEEDS_ROOM,
  'renameSync',
  'rmSync',
  'unlinkSync',
  'ftruncateSync',
  'fchmodSync',
  'fchownSync',
  'closeSync',
];
const FAILS = code === 'ENOSPC' ? NEEDS_ROOM : STEPS.filter((name) => name !== 'closeSync');

const files = new Set();
const points = [];
const steps = [];

function point(name) {
  points.push(name);
  if (points.length === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}

const isOurs = (target) => (typeof target === 'number' ? files.has(target) : String(target).startsWith(root));

/** What is written, and where, of `writeSync(file, …)` and `writeFileSync(file, …)`. */
function half(name, [file, data, offset = 0, length, position]) {
  if (typeof file !== 'number') return;
  const bytes = Buffer.from(data);
  const whole = name === 'writeSync' && typeof length === 'number' ? length : bytes.length - offset;
  real.writeSync(file, bytes, offset, whole >> 1, name === 'writeSync' ? position : undefined);
}

function failure(name, target) {
  const error = new Error(`${code}: as the test says, ${name} '${target}'`);
  return Object.assign(error, { code, errno: -1, syscall: name.replace('Sync', ''), path: String(target) });
}

/** Counts a step that can fail, and fails it if it is its turn. */
function step(name, args) {
  const isRead = name === 'openSync' && String(args[1] ?? 'r') === 'r';
  if (!FAILS.includes(name) || (isRead && code === 'ENOSPC')) return;
  steps.push(name);
  const at = Number(failAt);
  if (steps.length === at && WRITES.includes(name)) half(name, args);
  if (steps.length === at || (forEver !== undefined && steps.length > at)) throw failure(name, args[0]);
}

for (const name of STEPS) {
  fs[name] = (...args) => {
    if (!isOurs(args[0])) return real[name](...args);
    step(name, args);
    point(`before ${name}`);
    if (WRITES.includes(name) && points.length + 1 === Number(killAt)) half(name, args);
    if (WRITES.includes(name)) point(`within ${name}`);
    const result = real[name](...args);
    if (name === 'openSync') files.add(result);
    if (name === 'closeSync') files.delete(args[0]);
    point(`after ${name}`);
    return result;
  };
}
syncBuiltinESMExports();

if (log !== undefined) process.on('exit', () => real.writeFileSync(log, JSON.stringify({ points, steps })));
