/**
 * Each field of a recorded response is changed in turn, and a command reads the result. A field is missing, null, of another type, or
 * of a shape that nobody expects; each object has a new field. What happens is one of four:
 *
 * - `same`: as many rows, and the same exit status. A number as a text reads as the number, and an identifier that is a number as its text;
 * - `left out`: the row alone is missing, stderr names its position and the field, and the exit status is 10 (of a gate: 11);
 * - `refused`: nothing is printed, stderr names the field, and the exit status is 3 or, after a write, 8;
 * - `empty`: a list without rows, as servers in Go write it.
 *
 * For a missing field and for null a test names every field that svc cannot do without. A strange shape may be any of the first three.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { isObject } from '../../src/json-object.ts';
import { type Run, svc, temporaryHome } from '../support/svc.ts';

type Path = readonly (string | number)[];
type Outcome = 'same' | 'left out' | 'refused' | 'empty';

/** What happens without a field, by how much svc needs it: where it is missing, and where it is null. */
const OUTCOMES = {
  same: ['same', 'same'],
  'left out': ['left out', 'left out'],
  refused: ['refused', 'refused'],
  'the list': ['refused', 'empty'],
} as const satisfies Readonly<Record<string, readonly [missing: Outcome, asNull: Outcome]>>;
type Need = keyof typeof OUTCOMES;

export interface Recording {
  /** `GET /v1/webhooks`: the request whose response is changed. */
  readonly request: string;
  readonly body: unknown;
  /** Reads the response. */
  readonly argv: readonly string[];
  /** A command with a verdict that depends on the same rows. */
  readonly gate?: readonly string[];
  /** What svc cannot do without, as `items.*.id`. */
  readonly needed?: Readonly<Record<string, Exclude<Need, 'same'>>>;
  /** Other responses that the command needs, by request. */
  readonly others?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The command prints rows as received: what is null or a text is shown so. */
  readonly asReceived?: true;
  /** Answers all other requests. */
  readonly upstream?: string;
}

/** Every field by its name, `items.*.id`, and where it is first: at an item of a list that has it. */
export function fieldsOf(value: unknown): ReadonlyMap<string, Path> {
  const fields = new Map<string, Path>();
  const visit = (inner: unknown, path: Path): void => {
    const entries = Array.isArray(inner) ? [...inner.entries()] : Object.entries(isObject(inner) ? inner : {});
    for (const [key, child] of entries) {
      const at = [...path, key];
      const name = nameOf(at);
      if (typeof key === 'string' && !fields.has(name)) fields.set(name, at);
      visit(child, at);
    }
  };
  visit(value, []);
  return fields;
}

function nameOf(path: Path): string {
  return path.map((key) => (typeof key === 'number' ? '*' : key)).join('.');
}

/** A copy in which the parent of the field is changed. */
function changed(value: unknown, path: Path, change: (parent: Record<string, unknown>, name: string) => void): unknown {
  const copy = structuredClone(value);
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], copy);
  change(parent as Record<string, unknown>, String(path.at(-1)));
  return copy;
}

const missing = (value: unknown, path: Path) => changed(value, path, (parent, name) => delete parent[name]);

function set(value: unknown, path: Path, made: (old: unknown) => unknown): unknown {
  return changed(value, path, (parent, name) => {
    parent[name] = made(parent[name]);
  });
}

/** A scalar becomes an object, and an object or a list a scalar. */
const strange = (old: unknown): unknown => (typeof old === 'object' && old !== null ? 'strange' : { strange: true });

/** A number or a truth value becomes a text, and a text a number. */
const retyped = (old: unknown): unknown => (typeof old === 'string' ? 7 : String(old));

interface Read {
  readonly code: number;
  readonly rows: number;
  readonly table: string;
  readonly stderr: string;
}

/** How many fields were visited, and how often a command ran. */
export interface Visited {
  readonly fields: number;
  readonly runs: number;
}

function forward(request: IncomingMessage, response: ServerResponse, upstream: string): void {
  const { method, headers } = request;
  const onward = httpRequest(new URL(request.url ?? '', upstream), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

/** The time of svc and of the service: a difference would be in the output, and change from run to run. */
const NOW = Date.parse('2026-01-15T12:00:00Z');

/** Serves the recording, changed, on loopback. The text `ISSUER` stands for its own address. */
class Peer {
  body: unknown;
  runs = 0;
  readonly #recording: Recording;
  readonly #server = createServer((request, response) => {
    const body = this.#answer(request);
    const { upstream } = this.#recording;
    if (body === undefined && upstream !== undefined) {
      forward(request, response, upstream);
      return;
    }
    const headers = { 'content-type': 'application/json', date: new Date(NOW).toUTCString() };
    response.writeHead(body === undefined ? 404 : 200, headers);
    response.end(JSON.stringify(body ?? {}).replaceAll('"ISSUER"', JSON.stringify(this.url)));
  });

  constructor(recording: Recording) {
    this.#recording = recording;
    this.body = recording.body;
  }

  #answer({ method, url = '' }: IncomingMessage): unknown {
    const { request, others } = this.#recording;
    const line = request.includes('?') ? `${method} ${url}` : `${method} ${url.split('?')[0]}`;
    return line === request ? this.body : others?.[line];
  }

  listen(): Promise<void> {
    return new Promise((done) => this.#server.listen(0, '127.0.0.1', done));
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(done));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async run(argv: readonly string[]): Promise<Run> {
    this.runs++;
    const { url } = this;
    const env = {
      SVC_ALERTS_URL: url,
      SVC_WEBHOOKS_URL: url,
      SVC_WEBHOOKS_TOKEN: 'token-of-the-test',
      SVC_CATALOG_URL: url,
      SVC_TRADE_URL: url,
      ...this.#recording.env,
    };
    return svc(argv, { env, home: temporaryHome(), at: NOW });
  }

  async read(body: unknown): Promise<Read> {
    this.body = body;
    const { code, stdout, stderr } = await this.run([...this.#recording.argv, '-o', 'csv']);
    return { code, rows: Math.max(0, recordsIn(stdout) - 1), table: stdout, stderr };
  }
}

/** A line break within quotes is part of a value. */
function recordsIn(csv: string): number {
  return csv.replace(/"[^"]*"/g, '').split('\n').length - 1;
}

/** Changes every field of a recording in turn. Throws where something else happens than `needed` says. */
export async function visitFields(recording: Recording): Promise<Visited> {
  const { body, needed = {}, gate } = recording;
  const fields = fieldsOf(body);
  for (const name of Object.keys(needed)) if (!fields.has(name)) throw new Error(`the recording has no field ${name}`);
  const peer = new Peer(recording);
  await peer.listen();
  try {
    const before = await peer.read(body);
    const verdict = gate === undefined ? undefined : (await peer.run(gate)).code;
    for (const [name, path] of fields) await checkField(peer, recording, { name, path, before, verdict });
    for (const path of objectsOf(body)) {
      const read = await peer.read(set(body, [...path, 'a_field_of_tomorrow'], () => ({ is: ['new'] })));
      expect.soft([read.code, read.rows], `a new field in ${nameOf(path)}`).toEqual([before.code, before.rows]);
    }
    return { fields: fields.size, runs: peer.runs };
  } finally {
    await peer.close();
  }
}

interface Field {
  readonly name: string;
  readonly path: Path;
  /** What the unchanged recording reads as, and the exit status of the gate. */
  readonly before: Read;
  readonly verdict: number | undefined;
}

async function checkField(peer: Peer, recording: Recording, { name, path, before, verdict }: Field): Promise<void> {
  const { body, needed = {}, gate, asReceived = false } = recording;
  const [ifMissing, ifNull] = OUTCOMES[needed[name] ?? 'same'];
  const about = (change: string): string => `${recording.argv.join(' ')}: ${name} ${change}`;
  const without = await peer.read(missing(body, path));
  checkOutcome(without, before, ifMissing, path, about('is missing'));
  if (gate !== undefined) {
    const { code } = await peer.run(gate);
    expect.soft(code, `${gate.join(' ')}: ${name} is missing`).toBe(ifMissing === 'same' ? verdict : 11);
  }
  const asNull = await peer.read(set(body, path, () => null));
  checkOutcome(asNull, before, ifNull, path, about('is null'));
  if (ifNull === 'same' && !asReceived) expect.soft(asNull.table, about('is null')).toBe(without.table);
  const asStrange = await peer.read(set(body, path, strange));
  checkOutcome(asStrange, before, outcomeOf(asStrange), path, about('is strange'));
  if (!asReceived) await checkRetyped(peer, body, path, about);
}

/** A number as a text reads as the number, and an identifier as a number reads as its text. */
async function checkRetyped(peer: Peer, body: unknown, path: Path, about: (change: string) => string): Promise<void> {
  const value = path.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], body);
  if (typeof value === 'object') return;
  const read = await peer.read(set(body, path, retyped));
  const meant = await peer.read(set(body, path, (old) => (typeof old === 'string' ? '7' : old)));
  const change = about(`is ${JSON.stringify(retyped(value))}`);
  if (meant.code === 0) expect.soft(read, change).toEqual(meant);
  else expect.soft([read.code, read.rows], change).toEqual([meant.code, meant.rows]);
}

function outcomeOf({ code, rows }: Read): Outcome {
  if (code === 10) return 'left out';
  return rows === 0 && code !== 0 ? 'refused' : 'same';
}

function checkOutcome(read: Read, before: Read, outcome: Outcome, path: Path, about: string): void {
  const field = String(path.at(-1));
  if (outcome === 'same' || outcome === 'empty') {
    const rows = outcome === 'same' ? before.rows : 0;
    expect.soft([read.code, read.rows], `${about}: ${read.stderr}`).toEqual([before.code, rows]);
    return;
  }
  // After a write, the outcome is what matters, and not the field.
  if (read.code !== 8) expect.soft(read.stderr, about).toContain(field);
  if (outcome === 'left out') {
    expect.soft([read.code, read.rows], `${about}: ${read.stderr}`).toEqual([10, before.rows - 1]);
    const position = path.find((key) => typeof key === 'number') as number;
    expect.soft(read.stderr, about).toMatch(new RegExp(`left out.* ${position + 1}: `));
  } else {
    expect([3, 8], `${about}: ${read.stderr}`).toContain(read.code);
    expect.soft(read.rows, about).toBe(0);
  }
}

/** The first object of each kind: the response, one item of each list, and those within. */
function objectsOf(value: unknown): readonly Path[] {
  const objects = new Map<string, Path>();
  const visit = (inner: unknown, path: Path): void => {
    if (isObject(inner) && !objects.has(nameOf(path))) objects.set(nameOf(path), path);
    const entries = Array.isArray(inner) ? [...inner.entries()] : Object.entries(isObject(inner) ? inner : {});
    for (const [key, child] of entries) visit(child, [...path, key]);
  };
  visit(value, []);
  return [...objects.values()];
}
