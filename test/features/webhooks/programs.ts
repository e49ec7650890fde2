/** A delivery as programs log, print or export it. Each writes the same headers and body in its own notation. */
import { inspect } from 'node:util';

export interface Received {
  /** In lower case, as most programs have them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * `whole`: the received bytes or text are in it. `parsed`: it has only what a JSON parser made of the body. `unreadable`: part of the delivery is missing, or not
 * together.
 */
export type Keeps = 'whole' | 'parsed' | 'unreadable';

type Program = readonly [name: string, keeps: Keeps, write: (received: Received) => string];

const TIME = '2026-01-01T00:00:01.000Z';
const MS = Date.parse(TIME);

const json = JSON.stringify;
const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
const parsed = (body: Buffer): unknown => JSON.parse(body.toString());
const capital = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
const cgi = (name: string): string => `HTTP_${name.toUpperCase().replaceAll('-', '_')}`;
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

/** Ruby's inspect of a text. */
const ruby = (text: string): string => json(text).replaceAll('#{', '\\#{');

const NODE: readonly Program[] = [
  ['console.log of headers and body', 'whole', ({ headers, body }) => inspect({ headers, body: body.toString() })],
  [
    'console.log after other lines',
    'whole',
    ({ headers, body }) =>
      lines('Server listening on port 3000', inspect({ method: 'POST', headers, body: `${body}` }), 'done'),
  ],
  [
    'console.log of a request with rawHeaders',
    'whole',
    ({ headers, body }) =>
      lines(
        `<ref *1> IncomingMessage ${inspect({
          _events: Object.create(null),
          headers: Object.assign(Object.create(null), headers),
          rawHeaders: Object.entries(headers).flatMap(([name, value]) => [capital(name), value]),
          url: '/hook',
          complete: true,
          next: () => undefined,
          [Symbol('kCapture')]: false,
          body: `${body}`,
        })}`,
      ),
  ],
  [
    'console.log of fetch Headers',
    'whole',
    ({ headers, body }) => lines(inspect({ headers: new Map(Object.entries(headers)), text: 1, body: `${body}` })),
  ],
  ['console.log of a Buffer', 'unreadable', ({ headers, body }) => lines(inspect({ headers, body }))],
  ['console.log(headers), then the body', 'unreadable', ({ headers, body }) => lines(inspect(headers), `${body}`)],
  [
    'console.log of a parsed body',
    'parsed',
    ({ headers, body }) => lines(inspect({ headers, body: parsed(body) }, { depth: 9 })),
  ],
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
    'pino-pretty',
    'whole',
    ({ headers, body }) =>
      lines(
        '[00:00:01.000] INFO (7): delivery',
        `    req: ${json({ headers, body: `${body}` }, null, 2).replaceAll('\n', '\n    ')}`,
      ),
  ],
  [
    'pino, parsed',
    'parsed',
    ({ headers, body }) => lines(json({ level: 30, time: MS, req: { headers, body: parsed(body) } })),
  ],
  [
    'winston, simple',
    'whole',
    ({ headers, body }) =>
      lines('info: server started', `info: delivery ${json({ body: `${body}`, headers, timestamp: TIME })}`),
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
    'logging of a dict with bytes',
    'whole',
    ({ headers, body }) =>
      lines(
        'INFO:root:started',
        `INFO:hook:{'headers': ${python(renamed(headers, capital))}, 'body': ${pythonBytes(body)}}`,
      ),
  ],
  [
    'loguru, with a text',
    'whole',
    ({ headers, body }) =>
      lines(
        `2026-01-01 00:00:01.000 | INFO     | app:hook:12 - {'headers': ${python(headers)}, 'body': ${pythonText(`${body}`)}}`,
      ),
  ],
  [
    'ASGI scope',
    'whole',
    ({ headers, body }) =>
      lines(
        `{'type': 'http', 'client': ('127.0.0.1', 50000), 'headers': [${Object.entries(headers)
          .map((pair) => `(${pair.map((one) => pythonBytes(Buffer.from(one))).join(', ')})`)
          .join(', ')}], 'app': <fastapi.applications.FastAPI object at 0x7f>, 'body': ${pythonBytes(body)}}`,
      ),
  ],
  [
    'Flask, EnvironHeaders',
    'whole',
    ({ headers, body }) =>
      lines(
        `[2026-01-01 00:00:01,000] INFO in app: dict(headers=EnvironHeaders([${Object.entries(renamed(headers, capital))
          .map((pair) => `(${pair.map(pythonText).join(', ')})`)
          .join(', ')}]), data=${pythonBytes(body)})`
          .replace('dict(', '{')
          .replace(/\)$/, '}'),
      ),
  ],
  [
    'Django META',
    'whole',
    ({ headers, body }) =>
      lines(
        `{'META': ${python({ REQUEST_METHOD: 'POST', CONTENT_LENGTH: `${body.length}`, ...renamed(headers, cgi) })}, 'body': ${pythonBytes(body)}}`,
      ),
  ],
  [
    'WSGI environ, with the body beside it',
    'whole',
    ({ headers, body }) =>
      lines(
        `{'wsgi.input': <_io.BufferedReader name=4>, 'wsgi.version': (1, 0), ${python(renamed(headers, cgi)).slice(1, -1)}, 'body': ${pythonBytes(body)}}`,
      ),
  ],
  [
    'pprint',
    'whole',
    ({ headers, body }) => {
      const text = `${body}`;
      const pieces = [text.slice(0, 30), text.slice(30)].map((piece) => pythonText(piece));
      return lines(
        `{'body': ${pieces.join('\n         ')},`,
        ` 'headers': ${python(headers).replaceAll(', ', ',\n             ')}}`,
      );
    },
  ],
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
    'a dict of a parsed body',
    'parsed',
    ({ headers, body }) => lines(json({ headers, json: 1, body: parsed(body) }).replaceAll('":', '": ')),
  ],
  [
    'repr of headers, then of bytes',
    'unreadable',
    ({ headers, body }) => lines(`${python(headers)} ${pythonBytes(body)}`),
  ],
];

const SERVERS: readonly Program[] = [
  [
    'Rack env',
    'whole',
    ({ headers, body }) =>
      lines(
        `I, [2026-01-01T00:00:01.000000 #7]  INFO -- : {"rack.input"=>#<StringIO:0x00007f>, ${Object.entries(
          renamed(headers, cgi),
        )
          .map((pair) => pair.map(ruby).join('=>'))
          .join(', ')}, "body"=>${ruby(`${body}`)}}`,
      ),
  ],
  [
    'Rails, headers and raw_post',
    'whole',
    ({ headers, body }) => lines(json({ method: 'POST', env: renamed(headers, cgi), raw_body: `${body}` })),
  ],
  [
    'PHP json_encode',
    'whole',
    ({ headers, body }) => lines(json({ headers: renamed(headers, capital), body: `${body}` }).replaceAll('/', '\\/')),
  ],
  [
    'PHP var_export',
    'whole',
    ({ headers, body }) =>
      lines(
        'array (',
        "  'headers' => ",
        '  array (',
        ...Object.entries(headers).map(([name, value]) => `    '${capital(name)}' => '${value}',`),
        '  ),',
        `  'body' => '${`${body}`.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}',`,
        ')',
      )
        .replace('array (\n', '[\n')
        .replace(/\)\n$/, ']\n'),
  ],
  [
    'Go httputil.DumpRequest',
    'whole',
    (received) =>
      lines(`2026/01/01 00:00:00 listening`, `2026/01/01 00:00:01 ${dump(received)}`, '2026/01/01 00:00:02 done'),
  ],
  ['Go httputil.DumpRequest with %q', 'whole', (received) => lines(`2026/01/01 00:00:01 ${json(dump(received))}`)],
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
    'parsed',
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
    'parsed',
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
    'whole',
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
    'OpenTelemetry attributes',
    'whole',
    ({ headers, body }) =>
      lines(
        json({
          ...lists(renamed(headers, (name) => `http.request.header.${name}`)),
          'http.method': 'POST',
          body: `${body}`,
        }),
      ),
  ],
  [
    'an access log',
    'unreadable',
    () => lines('127.0.0.1 - - [01/Jan/2026:00:00:01 +0000] "POST /hook HTTP/1.1" 204 0 "-" "-"'),
  ],
  [
    'tcpdump -A',
    'whole',
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
    'aws logs filter-log-events',
    'whole',
    ({ headers, body }) =>
      json({
        events: [
          { timestamp: MS, message: 'START RequestId: 1\n', eventId: '1' },
          { timestamp: MS, message: `${TIME}\t1\tINFO\t${json({ headers, body: `${body}` })}\n`, eventId: '2' },
        ],
      }),
  ],
  [
    'aws logs tail, Node.js',
    'whole',
    ({ headers, body }) =>
      lines(
        `${TIME} 2026/01/01/[$LATEST]0 START RequestId: 1`,
        `${TIME} 2026/01/01/[$LATEST]0 ${TIME}\t1\tINFO\t${inspect({ version: '2.0', headers, body: `${body}`, isBase64Encoded: false })}`,
      ),
  ],
  [
    'wrangler tail --format json',
    'whole',
    ({ headers, body }) =>
      json({
        outcome: 'ok',
        eventTimestamp: MS,
        event: { request: { url: 'https://w/hook', method: 'POST', headers } },
        logs: [{ level: 'log', timestamp: MS, message: [json({ headers, body: `${body}` })] }],
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
    'gcloud logging read, textPayload',
    'whole',
    ({ headers, body }) =>
      json([
        { timestamp: TIME, textPayload: `INFO:hook:{'headers': ${python(headers)}, 'body': ${pythonBytes(body)}}` },
      ]),
  ],
  [
    'Vercel',
    'whole',
    ({ headers, body }) => lines(json({ level: 'info', timestamp: MS, message: json({ headers, body: `${body}` }) })),
  ],
  [
    'docker json-file',
    'whole',
    ({ headers, body }) =>
      lines(
        json({ log: 'started\n', stream: 'stdout', time: TIME }),
        json({ log: `${json({ headers, body: `${body}` })}\n`, stream: 'stdout', time: TIME }),
      ),
  ],
  [
    'kubectl logs of CRI',
    'whole',
    ({ headers, body }) => lines(`${TIME} stdout F ${json({ headers, body: `${body}` })}`),
  ],
  [
    'journalctl -o json',
    'whole',
    ({ headers, body }) => lines(json({ _PID: '7', MESSAGE: json({ headers, body: `${body}` }), PRIORITY: '6' })),
  ],
  [
    'syslog',
    'whole',
    ({ headers, body }) => lines(`Jan  1 00:00:01 host app[123]: ${json({ headers, body: `${body}` })}`),
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
    'parsed',
    ({ headers, body }) => lines(json({ ...headers, body: parsed(body), query: {}, timestamp: MS })),
  ],
  [
    'Hookdeck',
    'parsed',
    ({ headers, body }) =>
      json({ models: [{ id: 'evt', data: { headers, path: '/', body: parsed(body) } }], count: 1 }),
  ],
  [
    'RequestBin',
    'parsed',
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
    'whole',
    ({ headers, body }) =>
      lines(
        `curl 'https://hooks.example/in' \\\n${Object.entries(headers)
          .map(([name, value]) => `  -H '${name}: ${value}' \\\n`)
          .join('')}  --data-raw '${`${body}`.replaceAll("'", "'\\''")}'`,
      ),
  ],
  [
    'VS Code REST Client',
    'whole',
    ({ headers, body }) =>
      lines(
        '@host = http://localhost:3000',
        `@timestamp = ${headers['x-service-timestamp']}`,
        '',
        '### a delivery',
        '# @name hook',
        'POST {{host}}/hook HTTP/1.1',
        head({ ...headers, 'x-service-timestamp': '{{timestamp}}' }),
        `${body}`,
        '',
        '###',
        '',
        'GET {{host}}/health',
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
