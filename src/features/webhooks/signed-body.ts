import { createHash, createHmac } from 'node:crypto';

export interface SignedBody {
  /** As the header is to hold it. */
  readonly signature: string;
  readonly size: number;
  readonly sha256: string;
  /** The body itself, undefined where it is larger than was asked for. */
  readonly bytes: Uint8Array | undefined;
}

export interface BodySigning {
  /** The secret's whole text. */
  readonly key: string;
  /** Unix seconds in digits. */
  readonly timestamp: string;
  /** Up to which size the body is kept. */
  readonly most: number;
}

/** Signs a body of any size, piece by piece. */
export async function signBody(
  pieces: AsyncIterable<Uint8Array>,
  { key, timestamp, most }: BodySigning,
): Promise<SignedBody> {
  const mac = createHmac('sha256', key).update(`${timestamp}.`);
  const hash = createHash('sha256');
  let kept: Uint8Array[] | undefined = [];
  let size = 0;
  for await (const piece of pieces) {
    mac.update(piece);
    hash.update(piece);
    size += piece.length;
    if (size > most) kept = undefined;
    kept?.push(Buffer.from(piece));
  }
  return {
    signature: `sha256=${mac.digest('hex')}`,
    size,
    sha256: hash.digest('hex'),
    bytes: kept && Buffer.concat(kept),
  };
}
