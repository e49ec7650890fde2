/** The input of a command that reads deliveries, and its bytes. */
import { SvcError } from '../../../errors.ts';

export const DELIVERY_FORMATS = ['auto', 'body', 'http', 'har', 'json', 'ndjson'] as const;
export type DeliveryFormat = (typeof DELIVERY_FORMATS)[number];

/** An unread body of any size. */
export interface StreamedBody {
  readonly source: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface Input {
  readonly format: DeliveryFormat;
  /** The signature was given separately from the input. */
  readonly signed: boolean;
  /** Refuses a body without headers, with this advice. Otherwise any unknown format is a body. */
  readonly refuseBodies?: string | undefined;
  /** The bytes of a file or of `-`, in chunks; the next chunk overwrites the buffer. */
  chunks(path: string): AsyncIterable<Uint8Array>;
  /** Reports something that is skipped without a failure. */
  notice(text: string): void;
  /** Reports something that cannot be read; the rest is still read. */
  unusable(error: SvcError): void;
}

/** A container is read completely, and no string can be longer. */
const LARGEST_CONTAINER = 256 << 20;

export async function gather(
  pieces: AsyncIterable<Uint8Array>,
  source: string,
  most = LARGEST_CONTAINER,
): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) throw new SvcError('file_unusable', `${source}: larger than ${most >> 20} MiB`);
    all.push(Buffer.from(piece));
  }
  return Buffer.concat(all);
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const MOST_REPORTED = 20;

/** Failures of an input that is still read on: the first fails the command, others are notices. */
export class InputErrors {
  readonly #notice: (text: string) => void;
  #first: SvcError | undefined;
  #count = 0;

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  add(error: SvcError): void {
    if (this.#count > 0 && this.#count < MOST_REPORTED) this.#notice(error.message);
    this.#first ??= error;
    this.#count++;
  }

  /** Why not everything could be read: `verb` says for what. */
  failure(verb: 'checked' | 'shown'): SvcError | undefined {
    const first = this.#first;
    if (first === undefined || this.#count === 1) return first;
    return new SvcError('file_unusable', `${first.message} (and ${this.#count - 1} more could not be ${verb})`, {
      hint: first.hint,
    });
  }
}
