/** A delivery as programs log, print or export it. Each writes the same headers and body in its own notation. */
import { inspect } from 'node:util';

export interface Received {
  /** In lower case, as most programs have them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `whole`: the received bytes or text are in it, in JSON or as a request. `unreadable`: they are not, or in another notation. */
export type Keeps = 'whole' | 'unreadable';

type Program = readonly [name: string, keeps: Keeps, write: (received: Received) => string];

const TIME = '2026-01-01T00:00:01.000Z';
const MS = Date.parse(TIME);

const json = JSON.stringify;
const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
const parsed = (body: Buffer): unknown => JSON.parse(body.toString());
const capital = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
const renamed = (headers: Received['headers'], rename: (name: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value]));
const lists = (headers: Received['headers']): Record<string, string[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
const named = (headers: Received['headers']): object[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));
const head = (headers: Received['headers'], end = '\n'): string =>
  Object.entries(headers)
    .map(([name, value]) => `${capital(name)}: ${value}${end}`)
    .join('');
const dump = ({ headers, body }: Received, end = '\r\n'): string =>
  `POST /hook HTTP/1.1${end}${head({ host: 'hooks.example', ...headers, 'content-length': `${body.length}` }, end)}${end}${body}`;

/** Python's repr of a text, and with `b` of bytes. */
function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\\n\t]|'/g, (one) =>
    one === "'" && quote === '"' ? one : ({ '\n': '\\n', '\t': '\\t' }[one] ?? `\\${one}`),
  );
  return `${quote}${escaped}${quote}`;
}
function pythonBytes(body: Buffer): string {
  return `b${pythonText(body.toString('latin1'))}`.replace(
    /[\x80-\xff]/g,
    (byte) => `\\x${byte.charCodeAt(0).toString(16)}`,
  );
}
const python = (headers: Record<string, string>): string =>
  `{${Object.entries(headers)
    .map((pair) => pair.map(pythonText).join(': '))
    .join(', ')}}`;

const NODE: readonly Program[] = [
  ['console.log of headers and body', 'unreadable', ({ headers, body }) => inspect({ headers, body: body.toString() })],
  [
    'console.log after other lines',
    'unreadable',
    ({ headers, body }) =>
      lines('Server listening on port 3000', inspect({ method: 'POST', headers, body: `${body}` }), 'done'),
  ],
  ['console.log of a Buffer', 'unreadable', ({ headers, body }) => lines(inspect({ headers, body }))],
  ['console.log(headers), then the body', 'unreadable', ({ headers, body }) => lines(inspect(headers), `${body}`)],
  [
    'pino',
    'whole',
    ({ headers, body }) =>
      lines(
        json({ level: 30, time: MS, pid: 7, hostname: 'h', msg: 'server started' }),
        json({
          level: 30,
          time: MS,
          pid: 7,
          hostname: 'h',
          req: { id: 1, method: 'POST', url: '/hook', headers, body: `${body}` },
          res: { statusCode: 204 },
          msg: 'done',
        }),
      ),
  ],
  ['pino, with a Buffer', 'whole', ({ headers, body }) => lines(json({ level: 30, time: MS, headers, body }))],
  [
    'pino, parsed',
    'unreadable',
    ({ headers, body }) => lines(json({ level: 30, time: MS, req: { headers, body: parsed(body) } })),
  ],
  [
    'winston, json',
    'whole',
    ({ headers, body }) => lines(json({ level: 'info', message: 'delivery', meta: { headers, body: `${body}` } })),
  ],
  [
    'bunyan',
    'whole',
    ({ headers, body }) =>
      lines(
        json({
          name: 'hook',
          hostname: 'h',
          pid: 7,
          level: 30,
          req: { method: 'POST', headers, rawBody: `${body}` },
          msg: '',
          time: TIME,
          v: 0,
        }),
      ),
  ],
  [
    'Firebase functions',
    'whole',
    ({ headers, body }) => lines(json({ severity: 'INFO', headers, body: parsed(body), rawBody: body })),
  ],
];

const PYTHON: readonly Program[] = [
  [
    'json.dumps',
    'whole',
    ({ headers, body }) =>
      lines(
        json({ headers: renamed(headers, capital), body: `${body}` }).replace(
          /[\x7f-\uffff]/g,
          (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
        ),
      ),
  ],
  [
    'repr of headers, then of bytes',
    'unreadable',
    ({ headers, body }) => lines(`${python(headers)} ${pythonBytes(body)}`),
  ],
];

const SERVERS: readonly Program[] = [
  [
    'PHP json_encode',
    'whole',
    ({ headers, body }) => lines(json({ headers: renamed(headers, capital), body: `${body}` }).replaceAll('/', '\\/')),
  ],
  [
    'Go slog',
    'whole',
    ({ headers, body }) =>
      lines(
        json({
          time: TIME,
          level: 'INFO',
          msg: 'delivery',
          headers: lists(renamed(headers, capital)),
          body: `${body}`,
        }),
      ),
  ],
  [
    'Spring CommonsRequestLoggingFilter',
    'unreadable',
    ({ headers, body }) =>
      lines(
        `2026-01-01T00:00:01.000Z DEBUG 7 --- [nio-8080-exec-1] o.s.w.f.CommonsRequestLoggingFilter : REQUEST DATA : POST /hook, client=127.0.0.1, headers=[host:"h", ${Object.entries(
          headers,
        )
          .map(([name, value]) => `${name}:"${value}"`)
          .join(', ')}], payload=${body}]`.replace('POST /hook,', '[POST /hook,'),
      ),
  ],
  [
    'logstash-logback-encoder',
    'whole',
    ({ headers, body }) =>
      lines(json({ '@timestamp': TIME, '@version': '1', message: 'delivery', headers, body: `${body}` })),
  ],
  [
    'Zalando Logbook',
    'unreadable',
    ({ headers, body }) =>
      lines(json({ origin: 'remote', type: 'request', headers: lists(headers), body: parsed(body) })),
  ],
  [
    'nginx, flat',
    'whole',
    ({ headers, body }) =>
      lines(
        json({
          time: TIME,
          status: 204,
          http_x_service_timestamp: headers['x-service-timestamp'],
          http_x_service_signature: headers['x-service-signature'],
          request_body: `${body}`,
        }),
      ),
  ],
  [
    'nginx without escape=json',
    'unreadable',
    ({ headers, body }) =>
      lines(
        `{"headers":${json(headers)},"body":"${`${body.toString('latin1')}`.replace(/["\\\n\x7f-\xff]/g, (one) => `\\x${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}"}`,
      ),
  ],
  [
    'Envoy access log',
    'whole',
    ({ headers, body }) => lines(json({ start_time: TIME, response_code: 204, ...headers, request_body: `${body}` })),
  ],
  [
    'an access log',
    'unreadable',
    () => lines('127.0.0.1 - - [01/Jan/2026:00:00:01 +0000] "POST /hook HTTP/1.1" 204 0 "-" "-"'),
  ],
  [
    'tcpdump -A',
    'unreadable',
    (received) =>
      lines(
        '00:00:01.000000 IP localhost.50000 > localhost.http: Flags [P.], seq 1:444, ack 1, win 512, length 443: HTTP: POST /hook HTTP/1.1',
        `E...@.@.@..{...........P..........${dump(received, '\n')}`,
        '00:00:01.100000 IP localhost.http > localhost.50000: Flags [P.], seq 1:27, ack 444, win 512, length 26: HTTP: HTTP/1.1 204 No Content',
      ),
  ],
  ['HTTPie --print=HBh', 'whole', (received) => `${dump(received, '\n')}\n\n\nHTTP/1.1 204 No Content\nServer: x\n\n`],
  ['Wireshark, after a blank line', 'whole', (received) => `\n\r\n${dump(received)}`],
];

const CLOUDS: readonly Program[] = [
  [
    'API Gateway 1.0',
    'whole',
    ({ headers, body }) =>
      json(
        {
          httpMethod: 'POST',
          headers,
          multiValueHeaders: lists(headers),
          requestContext: { requestTimeEpoch: MS },
          body: `${body}`,
          isBase64Encoded: false,
        },
        null,
        2,
      ),
  ],
  [
    'API Gateway 2.0',
    'whole',
    ({ headers, body }) =>
      json({
        version: '2.0',
        headers,
        requestContext: { timeEpoch: MS },
        body: body.toString('base64'),
        isBase64Encoded: true,
      }),
  ],
  [
    'ALB',
    'whole',
    ({ headers, body }) =>
      json({
        requestContext: { elb: {} },
        httpMethod: 'POST',
        multiValueHeaders: lists(headers),
        body: `${body}`,
        isBase64Encoded: false,
      }),
  ],
  [
    'Azure Functions',
    'whole',
    ({ headers, body }) =>
      json({ invocationId: '1', req: { method: 'POST', headers, rawBody: `${body}`, body: parsed(body) } }),
  ],
  [
    'gcloud logging read, jsonPayload',
    'whole',
    ({ headers, body }) =>
      json([
        { timestamp: TIME, jsonPayload: { message: 'x' } },
        { timestamp: TIME, jsonPayload: { headers, rawBody: `${body}` } },
      ]),
  ],
  [
    'journalctl -o json',
    'unreadable',
    ({ headers, body }) => lines(json({ _PID: '7', MESSAGE: json({ headers, body: `${body}` }), PRIORITY: '6' })),
  ],
];

const INSPECTORS: readonly Program[] = [
  [
    'webhook.site',
    'whole',
    ({ headers, body }) =>
      json({
        data: [
          { uuid: 'u', method: 'POST', headers: lists(headers), content: `${body}`, created_at: '2026-01-01 00:00:01' },
        ],
        total: 1,
      }),
  ],
  [
    'ngrok',
    'whole',
    (received) =>
      json({
        requests: [
          {
            id: 'a',
            start: TIME,
            request: {
              method: 'POST',
              headers: lists(received.headers),
              raw: Buffer.from(dump(received)).toString('base64'),
            },
          },
        ],
      }),
  ],
  [
    'smee.io',
    'unreadable',
    ({ headers, body }) => lines(json({ ...headers, body: parsed(body), query: {}, timestamp: MS })),
  ],
  [
    'Hookdeck',
    'unreadable',
    ({ headers, body }) =>
      json({ models: [{ id: 'evt', data: { headers, path: '/', body: parsed(body) } }], count: 1 }),
  ],
  [
    'RequestBin',
    'unreadable',
    ({ headers, body }) =>
      json({ event: { method: 'POST', path: '/', headers, body: parsed(body), client_ip: '1.1.1.1' } }),
  ],
  [
    'a HAR of Chromium or Firefox',
    'whole',
    ({ headers, body }) =>
      json({
        log: {
          version: '1.2',
          entries: [
            { startedDateTime: TIME, request: { method: 'GET', headers: [], bodySize: 0 }, response: { status: 200 } },
            {
              startedDateTime: TIME,
              request: {
                method: 'POST',
                headers: named(headers),
                bodySize: body.length,
                postData: { mimeType: 'application/json', text: `${body}` },
              },
              response: { status: 204, headers: named({ server: 'x' }), content: { size: 0, text: '' } },
            },
          ],
        },
      }),
  ],
  [
    'a HAR without bodies',
    'unreadable',
    ({ headers, body }) =>
      json({ log: { entries: [{ request: { method: 'POST', headers: named(headers), bodySize: body.length } }] } }),
  ],
  [
    'curl, copied from a browser',
    'unreadable',
    ({ headers, body }) =>
      lines(
        `curl 'https://hooks.example/in' \\\n${Object.entries(headers)
          .map(([name, value]) => `  -H '${name}: ${value}' \\\n`)
          .join('')}  --data-raw '${`${body}`.replaceAll("'", "'\\''")}'`,
      ),
  ],
  [
    'JetBrains HTTP Client',
    'whole',
    ({ headers, body }) =>
      `// deliveries\nPOST http://localhost:3000/hook\n${head(headers)}\n${body}\n\n> {%\n  client.log("x");\n%}\n\n###\nGET http://localhost:3000/\n`,
  ],
  [
    'Bruno',
    'unreadable',
    ({ headers, body }) =>
      `meta {\n  name: hook\n}\n\nheaders {\n${head(headers).replace(/^/gm, '  ').trimEnd()}\n}\n\nbody:json {\n  ${body}\n}\n`,
  ],
];

export const PROGRAMS: readonly Program[] = [...NODE, ...PYTHON, ...SERVERS, ...CLOUDS, ...INSPECTORS];

/** With everything that re-encoding may change: spaces, a line end, escapes, an apostrophe and other letters. */
export const RICH = Buffer.from(
  '{"id": "evt_1", "type": "summary.completed",\n "data": {"audio_id": "a_1", "title": "Zoë\'s \\"5 < 6\\" \\/ caf\\u00e9 日本", "duration_ms": 1.0, "path": "C:\\\\x"}}',
);
