// What runs svc, and the peers beside it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { alertmanagerFolder } from '../scripts/alertmanagers.mjs';
import { fetchNode, OTHER_NODE, unpackNode } from '../scripts/nodes.mjs';
import { fetchPacked, PLATFORM, packedFolder } from '../scripts/packed.mjs';
import { root, run } from '../scripts/setup.mjs';
import { makeFolder, takeTurns, time } from './measure.mjs';

const STRIPE = '1.52.0';

/**
 * By column of the table: a command that runs svc, and the start of Node.js by which its time is divided. A column is left out if its
 * program cannot be found or built.
 */
export function findPrograms() {
  const programs = { node: { svc: nodeWithSvc(process.execPath), start: `${process.execPath} -e 0` } };
  const other = findIfAny(`Node.js ${OTHER_NODE}`, findOtherNode);
  if (other !== undefined) programs.otherNode = { svc: nodeWithSvc(other), start: `${other} -e 0` };
  const executable = buildExecutable();
  if (executable !== undefined) programs.executable = { svc: executable, start: programs.node.start };
  return programs;
}

function nodeWithSvc(node) {
  return `${node} ${root}bin/svc.cjs`;
}

function findOtherNode() {
  fetchNode(OTHER_NODE);
  return unpackNode(OTHER_NODE, makeFolder('node'));
}

/** Returns what `find` returns, or undefined if there is no network to fetch it with. */
function findIfAny(name, find) {
  try {
    return find();
  } catch (error) {
    console.error(`${name} could not be fetched: ${error.message}`);
    return undefined;
  }
}

function buildExecutable() {
  const os = { darwin: 'macos', win32: 'windows' }[process.platform] ?? process.platform;
  const target = `${os}-${process.arch}`;
  const options = { stdio: ['ignore', 2, 2] };
  if (run(process.execPath, ['scripts/executables.mjs', '--target', target, '--built'], options) !== 0)
    return undefined;
  return join(root, 'build', target, process.platform === 'win32' ? 'svc.exe' : 'svc');
}

/** The command of each peer, or undefined. `npm test` unpacks an Alertmanager with its amtool. */
export function findPeers() {
  const unpacked = join(alertmanagerFolder('0.25'), 'usr/bin');
  return {
    amtool: findCommand('amtool', [unpacked]),
    alertmanager: findCommand('prometheus-alertmanager', [unpacked]) ?? findCommand('alertmanager'),
    curl: findCommand('curl'),
    openssl: findCommand('openssl'),
    'stripe-cli': findIfAny('stripe-cli', findStripe),
    sample: `${process.execPath} ${root}bench/sample.mjs`,
  };
}

function findCommand(name, otherFolders = []) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...otherFolders];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function findStripe() {
  const entry = `stripe-${STRIPE}`;
  fetchPacked(entry, `@stripe/cli-${PLATFORM}`, STRIPE, ['bin']);
  return join(packedFolder(entry), 'bin/stripe');
}

/** Such as `amtool 0.25.0, curl 7.88.1`. */
export function describePeers(peers) {
  const asked = { amtool: '--version', curl: '--version', openssl: 'version', 'stripe-cli': 'version' };
  const found = Object.keys(asked).filter((name) => peers[name] !== undefined);
  const versions = found.map((name) => execFileSync(peers[name], [asked[name]], { encoding: 'utf8' }));
  return found.map((name, index) => `${name} ${/\d+\.\d+[\w.]*/.exec(versions[index])}`).join(', ');
}

/**
 * Samples of each line of svc in each program, beside the start of Node.js, as `node start` and `executable list` for a line named
 * `list`; and of each peer that was found, under its name.
 */
export async function compareLines(bench, lines, { peers = {}, rounds = 31, env = {} } = {}) {
  const commands = {};
  for (const [column, { svc, start }] of Object.entries(bench.programs)) {
    commands[`${column} start`] = start;
    for (const [name, line] of Object.entries(lines)) commands[`${column} ${name}`] = `${svc} ${line}`;
  }
  for (const [name, line] of Object.entries(peers)) {
    if (bench.peers[name] !== undefined) commands[name] = `${bench.peers[name]} ${line}`;
  }
  return takeTurns(Object.keys(commands), roundsOf(bench, rounds), (name) => time(commands[name], env));
}

export function roundsOf(bench, usual) {
  return bench.isQuick ? 1 : usual;
}

export function loadOf(bench, usual) {
  return bench.isQuick ? usual / 100 : usual;
}
