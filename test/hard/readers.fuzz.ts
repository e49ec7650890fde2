/** Every reader of responses, files and input on corrupted samples: it returns well-formed data or refuses. */

import { mkdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerCompletion } from '../../src/cli/completion/answer.ts';
import { completionModel } from '../../src/cli/completion/model.ts';
import { parseTime } from '../../src/cli/time.ts';
import { parseDuration } from '../../src/duration.ts';
import { SvcError } from '../../src/errors.ts';
import { explainAlertmanager } from '../../src/features/alerts/api.ts';
import { parseMatcherArguments } from '../../src/features/alerts/matcher-arguments.ts';
import { explainCatalog } from '../../src/features/catalog/api.ts';
import { GROUPS } from '../../src/features/index.ts';
import { Authorization } from '../../src/features/oauth/authorization.ts';
import { discover, type ServerMetadata } from '../../src/features/oauth/discovery.ts';
import { readPastedQuery } from '../../src/features/oauth/login.ts';
import { registerClient } from '../../src/features/oauth/registration.ts';
import { requestToken } from '../../src/features/oauth/token-endpoint.ts';
import {
  decodePayload,
  PacketFault,
  readMessage,
  readOpening,
} from '../../src/features/trade/gateway/engine-connection.ts';
import { tradingError } from '../../src/features/trade/gateway/envelope.ts';
import { explainTrading, refusal } from '../../src/features/trade/gateway/failed-answer.ts';
import { explainRecordings } from '../../src/features/webhooks/api.ts';
import { httpDeliveries } from '../../src/features/webhooks/captures/http-dump.ts';
import { capturedDeliveries } from '../../src/features/webhooks/captures/json.ts';
import { readEvent } from '../../src/features/webhooks/delivery.ts';
import { signatureOf, signingSecret, trimmed, verifySignature } from '../../src/features/webhooks/signature.ts';
import { parseBaseUrl } from '../../src/http/address.ts';
import { type FailedAnswer, parseRetryAfter, serviceMessage, statusFailure } from '../../src/http/answers.ts';
import { answered } from '../../src/http/endpoint.ts';
import { client as clientSchema, login as loginSchema, secretEntry } from '../../src/store/schemas.ts';
import { CorruptDocument, parseDocument } from '../../src/store/secret-file.ts';
import { parseSettings, settingsPath } from '../../src/store/settings.ts';
import { SECRET } from '../features/webhooks/vectors.ts';
import { FORBIDDEN } from '../output/rendering.ts';
import { credentialsText } from '../support/credentials.ts';
import { login } from '../support/rotating-server.ts';
import { type FaultServer, faultServer } from '../support/servers.ts';
import { temporaryHome } from '../support/svc.ts';
import { targetFor } from '../support/targets.ts';
import { mutated, readOrRefused, readOrRefusedLater } from './mutations.ts';

const NOW = Date.UTC(2026, 2, 1, 12);
const text = (arbitrary: fc.Arbitrary<Buffer>): fc.Arbitrary<string> => arbitrary.map((bytes) => bytes.toString());

function parseUnlessCorrupt(content: string): ReturnType<typeof parseDocument> | undefined {
  try {
    return parseDocument(content);
  } catch (error) {
    if (error instanceof CorruptDocument) return undefined;
    throw error;
  }
}

function accessTokenIn(entry: unknown): readonly string[] {
  const { data } = secretEntry.safeParse(entry);
  const login = data !== undefined && 'value' in data ? loginSchema.safeParse(data.value).data : undefined;
  return login === undefined ? [] : [login.access_token];
}

describe('files', () => {
  it('of credentials', async () => {
    await fc.assert(
      fc.asyncProperty(
        text(mutated(JSON.parse(credentialsText(login('https://a.example.com', 60))))),
        async (content) => {
          const document = await readOrRefusedLater(async () => parseUnlessCorrupt(content));
          if (document === undefined || document instanceof SvcError) return;
          expect(parseDocument(JSON.stringify(document))).toEqual(document);
          for (const token of Object.values(document.secrets).flatMap(accessTokenIn))
            expect(token).toMatch(/^[\x21-\x7e]+$/);
        },
      ),
    );
  });

  it('of settings', () => {
    const sample = {
      profile: 'p',
      profiles: { default: { 'alerts.author': 'ann' }, p: { 'alerts.url': 'https://a' } },
    };
    fc.assert(
      fc.property(mutated(sample), (bytes) => {
        const document = readOrRefused(() => parseSettings(bytes, 'settings.json'));
        if (!(document instanceof SvcError)) {
          expect(parseSettings(Buffer.from(JSON.stringify(document)), 'settings.json')).toEqual(document);
        }
      }),
    );
  });
});

it('archives and dumps of requests', () => {
  const header = { name: 'x-service-signature', value: 'sha256=00' };
  const request = { headers: [header], bodySize: 2, postData: { text: '{}', encoding: 'base64' } };
  const archive = { log: { entries: [{ startedDateTime: '2026-03-01T12:00:00Z', request }] } };
  const dump = 'POST / HTTP/1.1\r\nHost: a\r\nX-Service-Signature: sha256=00\r\nContent-Length: 2\r\n\r\n{}';
  fc.assert(
    fc.property(mutated(archive, request, header), mutated(dump), (har, http) => {
      for (const deliveries of [
        readOrRefused(() => capturedDeliveries(har, 'a.har')?.deliveries),
        readOrRefused(() => capturedDeliveries(wrapped(har), 'a.har')?.deliveries),
        readOrRefused(() => httpDeliveries(http, 'a.http')),
      ]) {
        if (deliveries === undefined || deliveries instanceof SvcError) continue;
        for (const { headers } of deliveries) for (const [, value] of headers) expect(value).toBeTypeOf('string');
      }
    }),
  );
});

/** The corrupted text, as a request if it is JSON. */
function wrapped(bytes: Buffer): Buffer {
  return Buffer.from(
    `{"log":{"entries":[{"startedDateTime":${bytes},"request":${bytes}},{"request":{"headers":[${bytes}]}}]}}`,
  );
}

describe('names for <Tab>', () => {
  const home = temporaryHome();
  const paths = { config: home, state: home };
  const model = completionModel(GROUPS);
  const ask = async (prefix: string, settings: string | Uint8Array) => {
    mkdirSync(home, { recursive: true });
    writeFileSync(settingsPath(paths), settings);
    return answerCompletion([`matching=${prefix}`, 'config', 'use'], await model, { paths });
  };
  const name = fc.oneof(
    text(mutated('team-a', 'node', '$(touch x)', "it's")),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const settingsOf = (names: readonly string[]) =>
    JSON.stringify({ profiles: Object.fromEntries(names.map((one) => [one, {}])) });

  it('are offered unchanged or not at all, on one line each', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 5 }), name, async (names, start) => {
        for (const prefix of ['', start.slice(0, 1)]) {
          const [kind, ...lines] = (await ask(prefix, settingsOf(names))).split('\n');
          // No answer for a file that cannot be read, and options after a dash.
          expect(kind).toMatch(/^(values\t|options\t)?$/);
          if (kind !== 'values\t') continue;
          expect(lines.pop()).toBe('');
          for (const line of lines) {
            expect(line).not.toMatch(FORBIDDEN);
            expect(['default', ...names]).toContain(line);
            expect(line.startsWith(prefix)).toBe(true);
          }
        }
      }),
    );
  });

  it('in a corrupt file are ignored', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(settingsOf(['team-a', 'team-b'])), async (bytes) => {
        expect((await ask('', bytes)).replaceAll(/[\t\n]/g, '')).not.toMatch(FORBIDDEN);
      }),
    );
  });
});

describe('typed text', () => {
  it.each([
    [
      'a matcher',
      ['a="b"', 'a=~b|c', '{a="b",c!~"d.*"}', 'alertname', '"ü \\" x"="y"'],
      (one: string) => parseMatcherArguments([one]),
    ],
    ['a duration', ['1h30m', '90s', '2w3d', '1.5h', '250ms'], parseDuration],
    [
      'a time',
      [
        '2026-03-01T12:00:00Z',
        '2026-03-01T12:00:00.123+05:30',
        '2026-03-01',
        '1h30m',
        'in 2h',
        '2h ago',
        'now',
        '1767225600',
      ],
      (one: string) => parseTime(one, { now: NOW, bare: 'back', unix: true, dates: true }),
    ],
    [
      'an address',
      ['https://a.example.com:8443/x/?y=1#z', 'http://[::1]:9093', 'https://u:p@h', 'localhost:9093'],
      (one: string) => parseBaseUrl(one),
    ],
  ])('%s', (_name, samples, read: (one: string) => unknown) => {
    fc.assert(
      fc.property(text(mutated(...samples)), (one) => {
        const found = readOrRefused(() => read(one));
        if (found instanceof SvcError) expect(found.exit).toBe(2);
      }),
    );
  });
});

describe('a failure', () => {
  const SAMPLES = [
    'silence not found',
    '"bad matcher format"',
    { code: 602, message: 'matchers in body is required' },
    { error: { code: 'not_found', message: 'no such endpoint' } },
    { error: 'invalid_grant', error_description: 'gone' },
    { detail: [{ loc: ['query', 'limit'], msg: 'too large', type: 'value_error' }] },
    { detail: 'Product not found' },
    { response: { executed: false, error: '{"code":3,"message":"ORA-20301: x","parameters":["1"]}' } },
    { code: 1, message: 'no {0}', parameters: ['x'], requestId: 'r' },
    '<!doctype html><title>Bad gateway</title>',
  ];
  const answer = fc.record({
    status: fc.constantFrom(
      301,
      400,
      401,
      403,
      404,
      405,
      406,
      408,
      409,
      410,
      415,
      422,
      429,
      431,
      500,
      502,
      503,
      504,
      599,
      999,
    ),
    contentType: fc.constantFrom('application/json', 'text/html', 'text/plain', ''),
    text: text(mutated(...SAMPLES)),
    headers: fc.oneof(
      fc.constant({}),
      fc.string().map((location) => ({ location })),
    ),
  });
  const endpoint = fc.constantFrom(
    { method: 'GET', path: '/products', effect: 'read' } as const,
    { method: 'POST', path: '/silences', effect: 'write' } as const,
    { method: 'DELETE', path: '/silence/{id}', effect: 'write' } as const,
  );

  it.each([
    ['of the alert manager', explainAlertmanager],
    ['of the recording service', explainRecordings],
    ['of the catalog', explainCatalog],
    ['of the gateway', explainTrading],
    [
      'of none in particular',
      (said: FailedAnswer, { effect }: { readonly effect: 'read' | 'write' }) => statusFailure(said, 'GET /', effect),
    ],
  ] as const)('%s has a short message', (_name, explain) => {
    fc.assert(
      fc.property(answer, endpoint, (said, shape) => {
        const outcome = readOrRefused(() => explain(said, shape));
        if (outcome !== undefined) expect(outcome.message.length).toBeLessThan(2_000);
        expect(serviceMessage(said).length).toBeLessThan(1_000);
      }),
    );
  });

  it('with repeated text is read in linear time', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...['<title', '<title>', '"token":"', 'token=', 'Bearer ', 'https://u:p@', 'whsec_', 'Cmd=', '\r\n', '\\"'],
      ),
      fc.string({ minLength: 1, maxLength: 3 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('text/html', 'text/plain'),
        (pieces, contentType) => {
          const unit = pieces.join('');
          const said = unit.repeat(Math.ceil(65_536 / unit.length));
          readOrRefused(() => serviceMessage({ contentType, text: said }));
          readOrRefused(() => tradingError(said));
        },
      ),
    );
  });

  it('with status 200', () => {
    fc.assert(
      fc.property(text(mutated(...SAMPLES)), (said) => {
        for (const error of [said, json(said)]) {
          const outcome = readOrRefused(() => refusal(tradingError(error), 'the order'));
          expect(outcome.message.length).toBeLessThan(2_000);
        }
      }),
    );
  });

  it('with a Retry-After', () => {
    fc.assert(
      fc.property(
        text(mutated('120', 'Sun, 01 Mar 2026 12:00:30 GMT', '0', 'Sunday, 01-Mar-26 12:00:30 GMT')),
        (said) => {
          const ms = readOrRefused(() => parseRetryAfter(said, NOW));
          expect(ms === undefined || (typeof ms === 'number' && ms >= 0 && Number.isFinite(ms))).toBe(true);
        },
      ),
    );
  });
});

function json(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

describe('signing in', () => {
  let server: FaultServer;
  let body: Buffer = Buffer.alloc(0);
  beforeAll(async () => {
    server = await faultServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
  });
  afterAll(() => server.close());

  const REDIRECT = 'http://127.0.0.1:8250/callback';
  const metadata = (url: string): ServerMetadata => ({
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    registration_endpoint: `${url}/oauth/register`,
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
  });

  it('discovery', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(metadata(server.url)), async (bytes) => {
        body = bytes;
        const found = await readOrRefusedLater(() => discover(targetFor(server.url)));
        if (found instanceof SvcError) {
          expect(['bad_answer', 'wrong_shape', 'guarded', 'answer_too_large']).toContain(found.code);
          return;
        }
        expect(found.issuer).toBe(server.url);
        expect(found.code_challenge_methods_supported).toContain('S256');
        for (const address of [found.authorization_endpoint, found.token_endpoint]) {
          expect(new URL(address)).toMatchObject({ username: '', password: '', hash: '' });
          expect(new URL(address).protocol).toMatch(/^https?:$/);
        }
      }),
    );
  });

  it('registration', async () => {
    const sample = {
      client_id: 'c1',
      client_secret: 's',
      client_secret_expires_at: 0,
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: [REDIRECT],
      client_name: 'svc',
    };
    await fc.assert(
      fc.asyncProperty(mutated(sample), async (bytes) => {
        body = bytes;
        const request = { method: 'client_secret_basic' as const, clientName: 'svc', redirectUris: [REDIRECT] };
        const known = { ...metadata(server.url), token_endpoint_auth_methods_supported: [request.method] };
        const found = await readOrRefusedLater(async () =>
          answered(await registerClient(targetFor(server.url), known, request)),
        );
        if (found instanceof SvcError) {
          expect(['outcome_unknown', 'not_as_asked', 'bad_answer']).toContain(found.code);
          return;
        }
        expect(found).toMatchObject({ token_endpoint_auth_method: request.method, redirect_uris: [REDIRECT] });
        expect([found.client_id, found.client_secret]).toEqual([expect.any(String), expect.any(String)]);
        expect(clientSchema.safeParse(found).success).toBe(true);
      }),
    );
  });

  it('tokens', async () => {
    const sample = {
      access_token: 'at-0123456789',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'rt-0123456789',
      scope: 'mcp:connect',
      email: 'a@example.com',
    };
    await fc.assert(
      fc.asyncProperty(mutated(sample), async (bytes) => {
        body = bytes;
        const found = await readOrRefusedLater(() =>
          requestToken({
            target: targetFor(server.url),
            endpoint: `${server.url}/oauth/token`,
            client: { client_id: 'c1', token_endpoint_auth_method: 'none' },
            fields: { grant_type: 'refresh_token', refresh_token: 'rt-old-0123456789' },
          }),
        );
        if (found instanceof SvcError) {
          expect(found.message).not.toContain('rt-old-0123456789');
          return;
        }
        const { access_token, expires_in, refresh_token } = found;
        // What is granted can be stored, sent and read again.
        const [before] = login(server.url, 60).credentials;
        const stored = { ...before, ...found, expires_at: expires_in ?? 0 };
        const expected = { access_token, ...(refresh_token === undefined ? {} : { refresh_token }) };
        expect(loginSchema.safeParse(stored).data).toMatchObject(expected);
        expect(() => new Headers({ authorization: `Bearer ${access_token}` })).not.toThrow();
      }),
    );
  });

  it('the authorization response', () => {
    const query = 'code=c0de-0123456789&state=s&iss=https%3A%2F%2Fa.example.com';
    fc.assert(
      fc.property(
        text(mutated(query, `${REDIRECT}?${query}`, 'error=access_denied&state=s&error_description=no')),
        (said) => {
          const authorization = new Authorization({
            server: metadata('https://a.example.com'),
            clientId: 'c1',
            redirectUri: REDIRECT,
          });
          expect(readOrRefused(() => authorization.judge(said))).toMatchObject({ kind: 'refused' });
          expect(() => readPastedQuery(said, REDIRECT)).not.toThrow();
        },
      ),
    );
  });
});

describe('an event', () => {
  const EVENT = {
    id: 'evt_1',
    type: 'recording.completed',
    created_at: '2026-03-01T12:00:00Z',
    data: { id: 'r', n: 1.5 },
  };

  it('has the names that JSON.parse finds', () => {
    fc.assert(
      fc.property(mutated(EVENT), (bytes) => {
        const event = readEvent(bytes);
        if (event !== undefined) expect(event.value).toEqual(JSON.parse(bytes.toString().replace(/^\ufeff/, '')));
      }),
    );
  });

  it('is valid as signed, and invalid after a change', () => {
    const body = Buffer.from(JSON.stringify(EVENT));
    const time = String(NOW / 1000);
    const signature = signatureOf(SECRET, time, body);
    const clock = { nowS: NOW / 1000, toleranceS: 300 };
    fc.assert(
      fc.property(
        fc.oneof(
          mutated(EVENT).map((bytes) => ({ bytes, stamp: time, signed: signature })),
          text(mutated(time)).map((stamp) => ({ bytes: body, stamp, signed: signature })),
          text(mutated(signature)).map((signed) => ({ bytes: body, stamp: time, signed })),
        ),
        ({ bytes, stamp, signed }) => {
          const found = verifySignature(
            { timestamps: [stamp], signatures: [signed] },
            bytes,
            [signingSecret(SECRET, 'test')],
            clock,
          );
          const isWhole = bytes.equals(body) && trimmed(stamp) === time && trimmed(signed) === signature;
          if (found.verdict !== 'valid') {
            expect(isWhole).toBe(false);
            return;
          }
          expect(bytes.equals(body)).toBe(true);
          expect(trimmed(stamp)).toBe(time);
          expect(trimmed(signed).toLowerCase()).toBe(signature);
        },
      ),
    );
  });
});

it('packets of the gateway', () => {
  const samples = [
    '96:0{"sid":"s","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":5000}2:40',
    '2:42',
    '6:42["x"]',
    '18:44{"message":"no"}',
    'b4AAEC',
  ];
  fc.assert(
    fc.property(text(mutated(...samples)), (said) => {
      readOrRefused(() => {
        try {
          for (const packet of decodePayload(said)) {
            readMessage(packet.slice(1));
            readOpening(packet);
          }
        } catch (error) {
          if (!(error instanceof PacketFault)) throw error;
        }
      });
    }),
  );
});
