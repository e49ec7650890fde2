import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../src/features/trade/gateway/engine-connection.ts';
import { readPush } from '../../src/features/trade/gateway/push.ts';
import { parseJsonText } from '../../src/json-object.ts';
import { svc, temporaryHome } from '../support/svc.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const DEEP = nested(200_000);
const LIMIT = /nested more than 256 levels deep/;

describe('deeply nested JSON', () => {
  it('has one limit, without brackets in strings', () => {
    expect(() => parseJsonText(nested(257))).toThrow(LIMIT);
    expect(JSON.stringify(parseJsonText(nested(256)))).toBe(nested(256));
    expect(parseJsonText(JSON.stringify([`"${DEEP}\\`]))).toEqual([`"${DEEP}\\`]);
  });

  it('ends a connection to the gateway, but not the process', () => {
    expect(() => readMessage(`2["EUR/USD",${DEEP}]`)).toThrow(LIMIT);
    expect(readPush('EUR/USD', DEEP)).toBeUndefined();
  });

  it.each([
    ['silences import', ['silences', 'import', 'FILE', '--base-url', 'http://127.0.0.1:9'], LIMIT],
    ['webhooks inspect', ['webhooks', 'inspect', 'FILE'], /./],
    ['webhooks send --body', ['webhooks', 'send', '--to', 'http://127.0.0.1:9', '--body', 'FILE'], /./],
    ['webhooks replay', ['webhooks', 'replay', 'FILE', '--to', 'http://127.0.0.1:9'], /./],
  ])('%s refuses it', async (_name, argv, message) => {
    const file = join(temporaryHome(), 'deep.json');
    writeFileSync(file, DEEP);
    const env = { SVC_WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}`, SVC_TRADE_TOKEN: 'token-0123456789' };
    const run = await svc(
      argv.map((arg) => (arg === 'FILE' ? file : arg)),
      { env },
    );
    expect(run.code, run.stderr).not.toBe(70);
    expect(run.code, run.stderr).not.toBe(0);
    expect(run.stderr).toMatch(message);
    expect(run.stderr.length).toBeLessThan(1000);
  });
});
