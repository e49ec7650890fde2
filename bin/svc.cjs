#!/usr/bin/env node
'use strict';
// The version and the help pages are texts prepared at build time: printing one loads nothing but this file and their table.
const major = Number.parseInt(process.versions.node, 10);
if (major < 20) {
  process.stderr.write(`svc: needs Node.js 20.19 or later, and this is ${process.versions.node}\n`);
  process.exit(70);
}
const argv = process.argv.slice(2);
const text = prepared();
if (argv[0] === '__complete') {
  const { answerCompletion, processContext } = built(() => require('../dist/complete.cjs'));
  const model = built(() => require('../dist/completion.json'));
  print(answerCompletion(argv.slice(1), model, processContext()));
} else if (text === undefined) {
  keepCompiledCode();
  const { main, processContext } = built(() => require('../dist/main.cjs'));
  main(argv, processContext(), () => built(() => require('../dist/prepared.json')).aliases).then((code) => {
    process.exitCode = code;
    if (code === 130 || code === 143) leave(code === 130 ? 'SIGINT' : 'SIGTERM');
  });
} else {
  print(text);
}

/** The text that the command line asks for, where it asks for one and nothing else. */
function prepared() {
  const last = argv[argv.length - 1];
  const asksVersion = argv.length === 1 && (last === '--version' || last === '-V');
  const words = last === '--help' || last === '-h' ? argv.slice(0, -1) : argv[0] === 'help' ? argv.slice(1) : undefined;
  if (!asksVersion && (words === undefined || narrow())) return undefined;
  const { version, help, aliases } = built(() => require('../dist/prepared.json'));
  if (asksVersion) return version;
  const named = words.join(' ');
  const id = Object.hasOwn(aliases, named) ? aliases[named] : named;
  return Object.hasOwn(help, id) ? help[id] : undefined;
}

/**
 * On Node.js 22 and newer, the next start reads compiled code from the user's cache instead of compiling it again. It is executed: so
 * only from folders that nobody else can write.
 */
function keepCompiledCode() {
  if (major < 22) return;
  const { enableCompileCache } = require('node:module');
  const { XDG_CACHE_HOME, HOME } = process.env;
  if (enableCompileCache === undefined || process.geteuid === undefined || process.versions.bun !== undefined) return;
  const { mkdirSync, statSync } = require('node:fs');
  const isOwn = (folder) => {
    const { uid, mode } = statSync(folder);
    return uid === process.geteuid() && (mode & 0o022) === 0;
  };
  const parent = XDG_CACHE_HOME || `${HOME}/.cache`;
  if (!parent.startsWith('/')) return;
  try {
    if (!isOwn(XDG_CACHE_HOME || HOME)) return;
    mkdirSync(`${parent}/svc`, { recursive: true, mode: 0o700 });
    if (isOwn(parent) && isOwn(`${parent}/svc`)) enableCompileCache(`${parent}/svc`);
  } catch {
    // Without a folder for it, svc starts as on older versions.
  }
}

/** A checkout has none of these before its first build. The paths are literal, so that a bundler finds them. */
function built(load) {
  try {
    return load();
  } catch (error) {
    // A module that is there but misses another one is in the stack, too.
    if (error.code !== 'MODULE_NOT_FOUND' || error.requireStack?.length !== 1) throw error;
    require('node:fs').writeSync(2, 'svc: not built yet: run npm ci && npm run build\n');
    process.exit(70);
  }
}

/** The prepared pages are for terminals of 80 columns and more; a pipe has no width. */
function narrow() {
  return require('node:tty').isatty(1) && process.stdout.columns < 80;
}

/** Straight to the descriptor: Node's stream is loaded only for a pipe that is full. A reader that went away is no error. */
function print(text) {
  const { writeSync } = require('node:fs');
  let bytes = Buffer.from(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.on('error', () => {}).write(bytes);
    else if (error.code !== 'EPIPE') {
      process.exitCode = 2;
      process.stderr.write(`svc: cannot write to standard output: ${error.message.replace(/^E\w+: |, write$/g, '')}\n`);
    }
  }
}

/** An interrupted svc waits for nothing: a reader that takes nothing, a name that is looked up, or a pipe without a writer. */
function leave(signal) {
  // An exit would wait for the thread that looks it up or opens it; the signal's own end does not.
  const waiting = ['GetAddrInfoReqWrap', 'FSReqPromise'];
  if (process.getActiveResourcesInfo().some((name) => waiting.includes(name))) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit();
}
