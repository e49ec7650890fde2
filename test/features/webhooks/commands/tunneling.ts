/** A tunnel program for tests: speaks TLS on loopback, and passes every connection on to the listener. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCRATCH } from '../../../support/scratch.ts';

export interface TunnelScript {
  /** For `--tunnel`. */
  readonly command: string;
  /** What its certificate is checked with, and the file that has it. */
  readonly ca: string;
  readonly caFile: string;
  /** Where it writes its process id. */
  readonly pidFile: string;
}

const SCRIPT = `
const { readFileSync, writeFileSync } = require('node:fs');
const { connect } = require('node:net');
const [key, cert, pidFile, port, only] = process.argv.slice(2);
const tls = { key: readFileSync(key), cert: readFileSync(cert) };
const docs = require('node:https').createServer(tls, (_request, response) => response.end('the manual'));
const server = require('node:tls').createServer(tls, (outer) => {
  const inner = connect(Number(port), '127.0.0.1');
  for (const [from, to] of [[outer, inner], [inner, outer]]) {
    from.on('error', () => to.destroy());
    from.pipe(to);
  }
});
docs.listen(0, '127.0.0.1', () => {
  writeFileSync(pidFile, String(process.pid));
  console.error('docs: see https://localhost:' + docs.address().port + '/manual');
  if (only !== 'docs') server.listen(0, '127.0.0.1');
});
server.on('listening', () => {
  console.error('\\u001b[32mYour tunnel:\\u001b[0m https://localhost:' + server.address().port + ' is open');
});
`;

export function tunnelScript(): TunnelScript {
  const folder = mkdtempSync(join(SCRATCH, 'svc-tunnel-'));
  const [script, key, cert, pidFile] = ['tunnel.cjs', 'key.pem', 'cert.pem', 'pid'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  writeFileSync(script, SCRIPT);
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  );
  const command = `${process.execPath} ${script} ${key} ${cert} ${pidFile} {port}`;
  return { command, ca: readFileSync(cert, 'utf8'), caFile: cert, pidFile };
}

/** Whether it runs; one that ended may wait for its parent. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
