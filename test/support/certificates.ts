import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';

/** An authority of the test and what it signs, made by openssl in a directory of its own. */
export class Authority {
  readonly directory = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  readonly cert: string;
  #count = 0;

  constructor() {
    this.#openssl(`req -x509 -days 30 ${NEW_KEY} -subj /CN=Test-CA-${randomUUID()} -keyout ca.key -out ca.pem`);
    this.cert = this.#read('ca.pem');
  }

  get file(): string {
    return join(this.directory, 'ca.pem');
  }

  /** `days` may be negative: a certificate that has expired. */
  sign(names: string, days = 30): Pair {
    const name = `leaf${++this.#count}`;
    this.#openssl(`req ${NEW_KEY} -subj /CN=leaf -keyout ${name}.key -out ${name}.csr`);
    writeFileSync(join(this.directory, `${name}.ext`), `subjectAltName=${names}\n`);
    this.#openssl(
      `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -extfile ${name}.ext -out ${name}.pem`,
    );
    return { cert: this.#read(`${name}.pem`), key: this.#read(`${name}.key`) };
  }

  /** Writes a pair where openssl itself can use it. */
  save({ cert, key }: Pair): { readonly certFile: string; readonly keyFile: string } {
    const base = join(this.directory, `saved${++this.#count}`);
    writeFileSync(`${base}.pem`, cert);
    writeFileSync(`${base}.key`, key, { mode: 0o600 });
    return { certFile: `${base}.pem`, keyFile: `${base}.key` };
  }

  selfSigned(): Pair {
    this.#openssl(
      `req -x509 -days 30 ${NEW_KEY} -subj /CN=self -addext subjectAltName=IP:127.0.0.1 -keyout self.key -out self.pem`,
    );
    return { cert: this.#read('self.pem'), key: this.#read('self.key') };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }

  /** The arguments have no spaces. */
  #openssl(args: string): void {
    execFileSync('openssl', args.split(' '), { cwd: this.directory, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  #read(name: string): string {
    return readFileSync(join(this.directory, name), 'utf8');
  }
}

/** For all tests of a file: an authority, and a pair that it signed for these names. */
export function fileAuthority(names: string): { readonly authority: Authority; readonly pair: Pair } {
  const authority = new Authority();
  afterAll(() => authority.remove());
  return { authority, pair: authority.sign(names) };
}
