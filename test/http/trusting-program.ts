/** A program of its own, for what Node reads from its environment only at its start: one request over TLS. */
import { readFileSync } from 'node:fs';
import type { SvcError } from '../../src/errors.ts';
import { Client } from '../../src/http/client.ts';
import { targetFor } from '../support/targets.ts';
import { probe } from './endpoints.ts';

const [url = '', ca = ''] = process.argv.slice(2);
const extra = process.env['NODE_EXTRA_CA_CERTS'];
const tls = { insecure: false, ...(ca && { ca }), ...(extra && { extraCa: readFileSync(extra, 'utf8') }) };
const client = new Client(targetFor(url, { tls }), { basePath: '' });
client
  .call(probe)
  .then(
    () => process.stdout.write('done'),
    (error: SvcError) => process.stdout.write(error.code),
  )
  .finally(() => client.close());
