/** Tokens of single sign-on are thousands of characters long. svc works with them, and hides them as any other. */
import { expect, it } from 'vitest';
import { answer, faultServer } from '../support/servers.ts';
import { svc } from '../support/svc.ts';

it('a token of 14,000 characters is sent, and shown nowhere', async () => {
  const token = 'aZ09-_'.repeat(2_334).slice(0, 14_000);
  await using server = await faultServer((socket, request) => {
    const sent = request.headers['authorization'] ?? '';
    socket.write(request.path.startsWith('/api/v2/alerts') ? answer(200, '[]') : answer(401, `"no, ${sent}"`));
  });
  const env = { SVC_ALERTS_URL: server.url, SVC_ALERTS_TOKEN: token };

  const list = await svc(['alerts', 'list', '-v'], { env });
  expect([list.code, list.stderr]).toEqual([0, expect.stringContaining('GET ')]);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${token}`);

  const refused = await svc(['silences', 'list', '--debug'], { env });
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('refused the credential: no, ***');
  expect(list.stderr + refused.stderr).not.toContain(token.slice(0, 12));
});
