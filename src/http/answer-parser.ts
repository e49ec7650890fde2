/** undici's parser of answers without undici around it: llhttp, which Node.js has too, as WebAssembly. */
import { HeadersOverflowError, HTTPParserError, ResponseContentLengthMismatchError } from 'undici/lib/core/errors.js';
import llhttp from './llhttp.cjs';

/** What a connection is told of the answer on it. A refusal ends the parsing. */
export interface AnswerSink {
  /** The first byte of an answer. */
  begin(): boolean;
  head(status: number, headers: Record<string, string>, keepAlive: boolean, upgrade: boolean): boolean;
  body(chunk: Buffer): boolean;
  end(): boolean;
}

/** The most bytes that are parsed at a time. */
export const LONGEST_CHUNK = 64 * 1024;
const MOST_HEADER_BYTES = 16 * 1024;

const RESPONSE = 2;
const OK = 0;
const REFUSED = -1;
const NO_BODY = 1;
const END_OF_HEAD = '\r\n\r\n';

/** A head that has come before. Answers in a row often differ in their bodies alone, and what was parsed need not be again. */
interface KnownHead {
  /** To the empty line, with it. */
  readonly text: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bodyLength: number;
}

interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(size: number): number;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_execute(parser: number, at: number, length: number): number;
  llhttp_finish(parser: number): number;
  llhttp_get_error_reason(parser: number): number;
  llhttp_get_error_pos(parser: number): number;
}

/** Makes parsers that share one instance of the program, and so must not be used within each other. */
export class AnswerParsers {
  readonly #program: Llhttp;
  /** Where the bytes to be parsed stand in the program's memory. */
  readonly #at: number;
  #memory: Buffer = Buffer.alloc(0);
  #chunk: Buffer = Buffer.alloc(0);
  #current!: AnswerParser;
  /** The latest one of an answer that came in one piece. */
  known: KnownHead | undefined;

  constructor() {
    const span = (at: number, length: number): string => {
      const start = at - this.#at;
      return this.#chunk.toString('latin1', start, start + length);
    };
    const env = {
      wasm_on_url: () => OK,
      wasm_on_status: () => OK,
      wasm_on_message_begin: () => this.#current.begin(),
      wasm_on_header_field: (_: number, at: number, length: number) => this.#current.field(span(at, length)),
      wasm_on_header_value: (_: number, at: number, length: number) => this.#current.value(span(at, length)),
      wasm_on_headers_complete: (_: number, status: number, upgrade: number, keepAlive: number) =>
        this.#current.head(status, upgrade === 1, keepAlive === 1),
      wasm_on_body: (_: number, at: number, length: number) => {
        const start = at - this.#at;
        return this.#current.body(this.#chunk.subarray(start, start + length));
      },
      wasm_on_message_complete: () => this.#current.end(),
    };
    const instance = new WebAssembly.Instance(new WebAssembly.Module(llhttp()), { env });
    this.#program = instance.exports as unknown as Llhttp;
    this.#at = this.#program.malloc(LONGEST_CHUNK);
  }

  open(sink: AnswerSink): AnswerParser {
    return new AnswerParser(this, this.#program.llhttp_alloc(RESPONSE), sink);
  }

  free(pointer: number): void {
    this.#program.llhttp_free(pointer);
  }

  /** The error, where the bytes are no answer. */
  execute(parser: AnswerParser, pointer: number, chunk: Buffer): Error | undefined {
    const { memory } = this.#program;
    // It moves whenever it grows.
    if (this.#memory.buffer !== memory.buffer) this.#memory = Buffer.from(memory.buffer);
    this.#memory.set(chunk, this.#at);
    this.#current = parser;
    this.#chunk = chunk;
    const code = this.#program.llhttp_execute(pointer, this.#at, chunk.length);
    if (code === OK) return undefined;
    return this.#fault(pointer, chunk.subarray(this.#program.llhttp_get_error_pos(pointer) - this.#at));
  }

  finish(parser: AnswerParser, pointer: number): Error | undefined {
    this.#current = parser;
    return this.#program.llhttp_finish(pointer) === OK ? undefined : this.#fault(pointer, Buffer.alloc(0));
  }

  #fault(pointer: number, rest: Buffer): Error {
    const reason = this.#program.llhttp_get_error_reason(pointer);
    const memory = Buffer.from(this.#program.memory.buffer);
    const text = reason === 0 ? '' : memory.toString('latin1', reason, memory.indexOf(0, reason));
    const message = `Response does not match the HTTP/1.1 protocol (${text})`;
    return Object.assign(new HTTPParserError(message), { data: rest.toString('latin1') });
  }
}

/** Of one connection, for one answer after the other. */
export class AnswerParser {
  readonly #parsers: AnswerParsers;
  readonly #pointer: number;
  readonly #sink: AnswerSink;
  /** Whether an answer is over and the next has not begun: never after the last one of a connection. */
  #between = true;
  #keepAlive = true;
  /** The latest head, where its answer can be told from its bytes alone. */
  #plain: Pick<KnownHead, 'status' | 'headers'> | undefined;
  #headers: Record<string, string> = Object.create(null);
  #headerBytes = 0;
  #name = '';
  #value: string | undefined;
  #received = 0;
  #length: number | undefined;
  #fault: Error | undefined;

  constructor(parsers: AnswerParsers, pointer: number, sink: AnswerSink) {
    this.#parsers = parsers;
    this.#pointer = pointer;
    this.#sink = sink;
  }

  execute(chunk: Buffer): Error | undefined {
    const { known } = this.#parsers;
    const between = this.#between;
    if (between && known !== undefined && isWholeAnswer(chunk, known)) return this.#repeat(chunk, known);
    const fault = this.#explained(this.#parsers.execute(this, this.#pointer, chunk));
    if (between && this.#between && this.#plain !== undefined) this.#parsers.known = knownHead(chunk, this.#plain);
    return fault;
  }

  /** At the end of the connection, which is the end of some answers. */
  finish(): Error | undefined {
    return this.#explained(this.#parsers.finish(this, this.#pointer));
  }

  free(): void {
    this.#parsers.free(this.#pointer);
  }

  begin(): number {
    this.#between = false;
    return this.#sink.begin() ? OK : REFUSED;
  }

  field(text: string): number {
    if (this.#value === undefined) this.#name += text;
    else {
      this.#keep();
      this.#name = text;
    }
    return this.#count(text);
  }

  value(text: string): number {
    this.#value = (this.#value ?? '') + text;
    return this.#count(text);
  }

  head(status: number, upgrade: boolean, keepAlive: boolean): number {
    this.#keep();
    const headers = this.#headers;
    this.#headers = Object.create(null);
    this.#headerBytes = 0;
    const length = headers['content-length'];
    this.#length = status < 200 || length === undefined ? undefined : Number.parseInt(length, 10);
    this.#keepAlive = keepAlive;
    this.#plain = status === 200 && keepAlive && length !== undefined ? { status, headers } : undefined;
    if (!this.#sink.head(status, headers, keepAlive, upgrade)) return REFUSED;
    return status < 200 ? NO_BODY : OK;
  }

  body(chunk: Buffer): number {
    this.#received += chunk.length;
    return this.#sink.body(chunk) ? OK : REFUSED;
  }

  end(): number {
    const wrong = this.#isOtherLength();
    if (wrong) this.#fault = new ResponseContentLengthMismatchError();
    this.#headers = Object.create(null); // of a trailer
    this.#headerBytes = this.#received = 0;
    this.#name = '';
    this.#value = this.#length = undefined;
    this.#between = this.#keepAlive;
    return !wrong && this.#sink.end() ? OK : REFUSED;
  }

  #repeat(chunk: Buffer, { text, status, headers }: KnownHead): Error | undefined {
    const body = chunk.subarray(text.length);
    const sink = this.#sink;
    const taken =
      sink.begin() && sink.head(status, headers, true, false) && (body.length === 0 || sink.body(body)) && sink.end();
    return taken ? undefined : new HTTPParserError('the rest is not wanted');
  }

  #isOtherLength(): boolean {
    return this.#length !== undefined && this.#received !== this.#length;
  }

  #explained(fault: Error | undefined): Error | undefined {
    if (fault === undefined) return undefined;
    if (this.#isOtherLength()) return new ResponseContentLengthMismatchError();
    return this.#fault ?? fault;
  }

  #keep(): void {
    if (this.#value === undefined) return;
    const name = this.#name.toLowerCase();
    const before = this.#headers[name];
    this.#headers[name] = before === undefined ? this.#value : `${before}, ${this.#value}`;
    this.#name = '';
    this.#value = undefined;
  }

  #count(text: string): number {
    this.#headerBytes += text.length;
    if (this.#headerBytes < MOST_HEADER_BYTES) return OK;
    this.#fault = new HeadersOverflowError();
    return REFUSED;
  }
}

/** What can be told again of a chunk that is one whole answer, and nothing else. */
function knownHead(chunk: Buffer, { status, headers }: Pick<KnownHead, 'status' | 'headers'>): KnownHead | undefined {
  const bodyLength = Number(headers['content-length']);
  const text = chunk.toString('latin1', 0, chunk.length - bodyLength);
  const end = text.indexOf(END_OF_HEAD);
  // No head at all where blank lines alone came, and two where an interim answer stood before it.
  if (end < 0 || end + END_OF_HEAD.length !== text.length) return undefined;
  return { text, status, headers, bodyLength };
}

function isWholeAnswer(chunk: Buffer, { text, bodyLength }: KnownHead): boolean {
  return chunk.length === text.length + bodyLength && chunk.toString('latin1', 0, text.length) === text;
}
