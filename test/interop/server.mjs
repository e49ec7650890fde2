// node server.mjs <name>: one authorization server on loopback. Its address is the first line of its output.
import { once } from 'node:events';
import express from 'express';

const app = express();
const listener = app.listen(0, '127.0.0.1');
await once(listener, 'listening');
const url = `http://127.0.0.1:${listener.address().port}`;

// The token requests, as they came over the wire.
const counts = { refreshed: 0, refused: 0, revoked: 0 };
app.use((request, response, next) => {
  let body = '';
  const push = request.push.bind(request);
  request.push = (chunk, ...rest) => {
    body += chunk ?? '';
    return push(chunk, ...rest);
  };
  response.on('finish', () => {
    const form = new URLSearchParams(body);
    if (form.has('token_type_hint') && response.statusCode === 200) counts.revoked += 1;
    if (form.get('grant_type') !== 'refresh_token') return;
    counts[response.statusCode === 200 ? 'refreshed' : 'refused'] += 1;
  });
  next();
});

// A person who signs in without being asked for anything, and comes back with a cookie.
const signedIn = (request) => /(?:^|; )user=ann(?:;|$)/.test(request.headers.cookie ?? '');
app.get('/sign-in', (request, response) => {
  response.setHeader('set-cookie', 'user=ann; Path=/; HttpOnly');
  response.redirect(request.query.next);
});
const askPerson = (request, response) => response.redirect(`/sign-in?next=${encodeURIComponent(request.originalUrl)}`);

const { create } = await import(`./servers/${process.argv[2]}.mjs`);
const { accepts, forget } = await create({ app, url, signedIn, askPerson });

// The service behind it: what svc calls to see whether a token is accepted.
app.get(/\/v1\/webhooks$/, async (request, response) => {
  const token = request.headers.authorization?.replace(/^Bearer /, '');
  if (token !== undefined && (await accepts(token).catch(() => false))) response.json({ items: [] });
  else response.status(401).json({ error: { code: 'unauthorized', message: 'the token is not accepted' } });
});
app.get('/control/counts', (_request, response) => response.json(counts));
app.post('/control/forget', async (_request, response) => {
  await forget();
  response.json({});
});
process.stdout.write(`${url}\n`);
