import { describe, expect, test } from 'vitest';
import { postSilence, wire } from '../support/alertmanager.ts';
import { HOUR, iso, onBothServers } from './servers.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const MATCHER = { name: 'a', value: 'b', isRegex: false };

interface Refusal {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly type: string | undefined;
  /** The body word for word. */
  readonly answer: string;
}

function silence(changes: object): string {
  return JSON.stringify({
    matchers: [MATCHER],
    startsAt: iso(0),
    endsAt: iso(HOUR),
    createdBy: 'me',
    comment: 'c',
    ...changes,
  });
}

function posted(path: 'silences' | 'alerts', name: string, body: string, status: number, answer: string): Refusal {
  const request = { method: 'POST', path: `/api/v2/${path}`, headers: JSON_TYPE, body };
  return { name, ...request, status, type: 'application/json', answer };
}

/** A JSON text and a line feed. */
function text(name: string, changes: object, status: number, message: string): Refusal {
  return posted('silences', `a silence: ${name}`, silence(changes), status, `${JSON.stringify(message)}\n`);
}

/** `{code, message}`, without a line feed. */
function framed(
  path: 'silences' | 'alerts',
  name: string,
  body: string,
  status: number,
  code: number,
  message: string,
): Refusal {
  return posted(path, `${path}: ${name}`, body, status, JSON.stringify({ code, message }));
}

function undecodable(path: 'silences' | 'alerts', name: string, body: string, reason: string): Refusal {
  const parameter = path === 'silences' ? 'silence' : 'alerts';
  return framed(path, name, body, 400, 400, `parsing ${parameter} body from "" failed, because ${reason}`);
}

function without(field: string): string {
  const { [field]: _, ...rest } = JSON.parse(silence({})) as Record<string, unknown>;
  return JSON.stringify(rest);
}

const badTime = (value: string, rest: string, element: string): string =>
  `parsing time "${value}" as "2006-01-02 15:04:05": cannot parse "${rest}" as "${element}"`;
const badRegex = (pattern: string, why: string): string =>
  `silence invalid: invalid label matcher 0: invalid regular expression ${JSON.stringify(pattern)}: error parsing regexp: ${why}`;
const regex = (pattern: string): object => ({ matchers: [{ name: 'a', value: pattern, isRegex: true }] });
const structOf = (kind: string): string =>
  `json: cannot unmarshal ${kind} into Go value of type struct { ID string "json:\\"id,omitempty\\"" }`;

const REFUSALS: readonly Refusal[] = [
  // 400 with a text: the silence makes no sense
  text('end before start', { endsAt: iso(-1) }, 400, 'Failed to create silence: start time must be before end time'),
  text(
    'end is start',
    { startsAt: iso(HOUR), endsAt: iso(HOUR) },
    400,
    'Failed to create silence: start time must be before end time',
  ),
  text(
    'all past',
    { startsAt: iso(-2 * HOUR), endsAt: iso(-HOUR) },
    400,
    "Failed to create silence: end time can't be in the past",
  ),
  text('empty endsAt is 1970', { endsAt: '' }, 400, 'Failed to create silence: start time must be before end time'),
  text(
    'no end for ever',
    { endsAt: '9999-12-31T23:59:59Z' },
    400,
    'timestamp: &types.Timestamp{Seconds: 253402732799,\nNanos: 0,\n} after 10000-01-01',
  ),
  text(
    'matches everything',
    { matchers: [{ ...MATCHER, value: '' }] },
    400,
    'silence invalid: at least one matcher must not match the empty string',
  ),
  text(
    'matches everything by regex',
    regex('.*'),
    400,
    'silence invalid: at least one matcher must not match the empty string',
  ),
  text(
    'hyphen in a name',
    { matchers: [MATCHER, { ...MATCHER, name: 'a-b' }] },
    400,
    'silence invalid: invalid label matcher 1: invalid label name "a-b"',
  ),
  text(
    'colon in a name',
    { matchers: [{ ...MATCHER, name: 'a:b' }] },
    400,
    'silence invalid: invalid label matcher 0: invalid label name "a:b"',
  ),
  text(
    'name outside ASCII',
    { matchers: [{ ...MATCHER, name: 'é' }] },
    400,
    'silence invalid: invalid label matcher 0: invalid label name "é"',
  ),
  text('open parenthesis', regex('('), 400, badRegex('(', 'missing closing ): `(`')),
  text('lookahead', regex('(?!x)a'), 400, badRegex('(?!x)a', 'invalid or unsupported Perl syntax: `(?!`')),
  text('lookbehind', regex('(?<=x)a'), 400, badRegex('(?<=x)a', 'invalid or unsupported Perl syntax: `(?<`')),
  text('backreference', regex('(a)\\1'), 400, badRegex('(a)\\1', 'invalid escape sequence: `\\1`')),
  text('repeated repetition', regex('a**'), 400, badRegex('a**', 'invalid nested repetition operator: `**`')),
  text('nothing to repeat', regex('|*'), 400, badRegex('|*', 'missing argument to repetition operator: `*`')),
  text('repeated too often', regex('a{1001}'), 400, badRegex('a{1001}', 'invalid repeat count: `{1001}`')),
  text('class the wrong way round', regex('[b-a]'), 400, badRegex('[b-a]', 'invalid character class range: `b-a`')),
  text('open class', regex('x[a'), 400, badRegex('x[a', 'missing closing ]: `[a`')),
  text('unknown script', regex('\\p{Foo}'), 400, badRegex('\\p{Foo}', 'invalid character class range: `\\p{Foo}`')),
  text('backslash at the end', regex('a\\'), 400, badRegex('a\\', 'trailing backslash at end of expression: ``')),
  text('named group', regex('(?<n>a)'), 400, badRegex('(?<n>a)', 'invalid or unsupported Perl syntax: `(?<`')),
  // 404 with a text
  text('an unknown id', { id: UNKNOWN }, 404, 'silence not found'),
  text('an id that is no UUID', { id: 'xyz' }, 404, 'silence not found'),
  // 400 with an object: the body cannot be decoded
  undecodable('silences', 'cut off', '{"matchers":', 'unexpected EOF'),
  undecodable('silences', 'no JSON', 'hello', "invalid character 'h' looking for beginning of value"),
  undecodable(
    'silences',
    'trailing comma',
    '{"a":1,}',
    "invalid character '}' looking for beginning of object key string",
  ),
  undecodable('silences', 'compressed', '\x1f\x8b', "invalid character '\\x1f' looking for beginning of value"),
  undecodable('silences', 'a list', '[]', structOf('array')),
  undecodable('silences', 'a text', '"x"', structOf('string')),
  undecodable(
    'silences',
    'comment is a number',
    silence({ comment: 5 }),
    'json: cannot unmarshal number into Go struct field Silence.comment of type string',
  ),
  undecodable(
    'silences',
    'startsAt is a number',
    silence({ startsAt: 1_700_000_000 }),
    'json: cannot unmarshal number into Go struct field Silence.startsAt of type string',
  ),
  undecodable(
    'silences',
    'id is a number',
    silence({ id: 5 }),
    'json: cannot unmarshal number into Go struct field .id of type string',
  ),
  undecodable(
    'silences',
    'matchers is an object',
    silence({ matchers: {} }),
    'json: cannot unmarshal object into Go struct field Silence.matchers of type models.Matchers',
  ),
  undecodable(
    'silences',
    'a matcher is a text',
    silence({ matchers: ['a=b'] }),
    'json: cannot unmarshal string into Go struct field Silence.matchers of type models.Matcher',
  ),
  undecodable(
    'silences',
    'a value is a number',
    silence({ matchers: [{ ...MATCHER, value: 5 }] }),
    'json: cannot unmarshal number into Go struct field Matcher.matchers.value of type string',
  ),
  undecodable(
    'silences',
    'isRegex is a text',
    silence({ matchers: [{ ...MATCHER, isRegex: 'false' }] }),
    'json: cannot unmarshal string into Go struct field Matcher.matchers.isRegex of type bool',
  ),
  undecodable('silences', 'yesterday', silence({ endsAt: 'yesterday' }), badTime('yesterday', 'yesterday', '2006')),
  undecodable('silences', 'no time', silence({ endsAt: '2027-11-20' }), badTime('2027-11-20', '', '15')),
  undecodable(
    'silences',
    '30 February',
    silence({ endsAt: '2027-02-30T10:00:00Z' }),
    badTime('2027-02-30T10:00:00Z', 'T10:00:00Z', ' '),
  ),
  undecodable(
    'silences',
    'zone without a colon',
    silence({ endsAt: '2027-11-20T12:00:00+0200' }),
    badTime('2027-11-20T12:00:00+0200', 'T12:00:00+0200', ' '),
  ),
  undecodable(
    'silences',
    'small letters',
    silence({ endsAt: '2027-11-20t12:00:00z' }),
    badTime('2027-11-20t12:00:00z', 't12:00:00z', ' '),
  ),
  undecodable(
    'silences',
    'second 60',
    silence({ endsAt: '2027-11-20T12:00:60Z' }),
    badTime('2027-11-20T12:00:60Z', 'T12:00:60Z', ' '),
  ),
  undecodable(
    'silences',
    'hour 24',
    silence({ endsAt: '2027-11-20T24:00:00Z' }),
    badTime('2027-11-20T24:00:00Z', 'T24:00:00Z', ' '),
  ),
  undecodable(
    'alerts',
    'one object',
    '{}',
    'json: cannot unmarshal object into Go value of type models.PostableAlerts',
  ),
  undecodable(
    'alerts',
    'a label is a number',
    '[{"labels":{"a":1}}]',
    'json: cannot unmarshal number into Go struct field Alert.labels of type string',
  ),
  undecodable(
    'alerts',
    'annotations are a list',
    '[{"labels":{"a":"b"},"annotations":[]}]',
    'json: cannot unmarshal array into Go struct field .annotations of type models.LabelSet',
  ),
  // 422: something is missing or has the wrong form
  ...['comment', 'createdBy', 'endsAt', 'matchers', 'startsAt'].map((field) =>
    framed('silences', `no ${field}`, without(field), 422, 602, `${field} in body is required`),
  ),
  framed('silences', 'null is missing', silence({ endsAt: null }), 422, 602, 'endsAt in body is required'),
  framed('silences', 'an empty object: the first of all', '{}', 422, 602, 'comment in body is required'),
  framed('silences', 'no body', '', 422, 602, 'silence in body is required'),
  framed(
    'silences',
    'no matchers',
    silence({ matchers: [] }),
    422,
    612,
    'matchers in body should have at least 1 items',
  ),
  framed(
    'silences',
    'no isRegex',
    silence({ matchers: [MATCHER, {}] }),
    422,
    602,
    'matchers.1.isRegex in body is required',
  ),
  framed(
    'silences',
    'no name',
    silence({ matchers: [{ value: 'b', isRegex: false }] }),
    422,
    602,
    'matchers.0.name in body is required',
  ),
  framed('alerts', 'no body', '', 422, 602, 'alerts in body is required'),
  framed('alerts', 'no labels', '[{"labels":{"a":"b"}},{}]', 422, 602, '1.labels in body is required'),
  framed(
    'alerts',
    'no link',
    '[{"labels":{"a":"b"},"generatorURL":"not a url"}]',
    422,
    601,
    '0.generatorURL in body must be of type uri: "not a url"',
  ),
  ...['GET', 'DELETE'].map((method) => ({
    name: `${method} of what is no UUID`,
    method,
    path: '/api/v2/silence/xyz',
    status: 422,
    type: 'application/json',
    answer: '{"code":601,"message":"silenceID in path must be of type uuid: \\"xyz\\""}',
  })),
  // What is not there
  { name: 'GET of an unknown silence', path: `/api/v2/silence/${UNKNOWN}`, status: 404, type: undefined, answer: '' },
  {
    name: 'DELETE of an unknown silence',
    method: 'DELETE',
    path: `/api/v2/silence/${UNKNOWN}`,
    status: 500,
    type: 'application/json',
    answer: '"silence not found"\n',
  },
  {
    name: 'an unknown path',
    path: '/api/v2/nope',
    status: 404,
    type: 'application/json',
    answer: '{"code":404,"message":"path /api/v2/nope was not found"}',
  },
  {
    name: 'an escaped slash',
    path: '/api/v2/alerts%2Fgroups',
    status: 404,
    type: 'application/json',
    answer: '{"code":404,"message":"path /api/v2/alerts%2Fgroups was not found"}',
  },
  ...['GET', 'POST', 'DELETE'].map((method) => ({
    name: `${method} below a wrong base path`,
    method,
    path: `/prefix/api/v2/silence/${UNKNOWN}`,
    status: 404,
    type: 'text/plain; charset=utf-8',
    answer: '404 page not found\n',
  })),
  // Redirects
  {
    name: 'POST to a double slash',
    method: 'POST',
    path: '/api/v2//alerts',
    headers: JSON_TYPE,
    body: '[]',
    status: 301,
    type: undefined,
    answer: '',
  },
  // Media types
  {
    name: 'another content type',
    method: 'POST',
    path: '/api/v2/silences',
    headers: { 'content-type': 'text/plain' },
    body: '{}',
    status: 415,
    type: 'application/json',
    answer: '{"code":415,"message":"unsupported media type \\"text/plain\\", only [application/json] are allowed"}',
  },
  {
    name: 'no content type',
    method: 'POST',
    path: '/api/v2/alerts',
    body: '[]',
    status: 415,
    type: 'application/json',
    answer:
      '{"code":415,"message":"unsupported media type \\"application/octet-stream\\", only [application/json] are allowed"}',
  },
  {
    name: 'a parameter without a value',
    method: 'POST',
    path: '/api/v2/alerts',
    headers: { 'content-type': 'application/json; charset' },
    body: '[]',
    status: 400,
    type: 'application/json',
    answer:
      '{"code":400,"message":"parsing Content-Type header from \\"application/json; charset\\" failed, because mime: invalid media parameter"}',
  },
  ...['text/plain', 'application/json;q=0'].map((accept) => ({
    name: `Accept: ${accept}`,
    path: '/api/v2/status',
    headers: { accept },
    status: 406,
    type: 'application/json',
    answer: '{"code":406,"message":"unsupported media type requested, only [application/json] are available"}',
  })),
];

onBothServers((url, comparable) => {
  describe('refuses', () => {
    test.each(REFUSALS)('$name', async ({ method = 'GET', path, headers = {}, body, status, type, answer }) => {
      const got = await wire(url(), path, { method, headers, ...(body === undefined ? {} : { body }) });
      expect([got.status, got.headers['content-type'], comparable(got.body)]).toEqual([
        status,
        type,
        comparable(answer),
      ]);
    });

    test.each([
      ['status', ['GET']],
      ['receivers', ['GET']],
      ['alerts', ['GET', 'POST']],
      ['alerts/groups', ['GET']],
      ['silences', ['GET', 'POST']],
      [`silence/${UNKNOWN}`, ['GET', 'DELETE']],
    ])('other methods of %s', async (path, allowed) => {
      for (const method of ['HEAD', 'OPTIONS', 'PUT', 'PATCH']) {
        const got = await wire(url(), `/api/v2/${path}`, { method });
        expect([got.status, String(got.headers.allow).split(',').sort()]).toEqual([405, allowed.toSorted()]);
        if (method === 'HEAD') expect(got.body).toBe('');
        else expect(JSON.parse(got.body)).toMatchObject({ code: 405, message: expect.stringContaining(method) });
      }
    });

    test('redirects name the clean path', async () => {
      for (const path of ['//api/v2/alerts', '/api//v2/alerts', '/api/v2/./alerts', '/x/../api/v2/alerts']) {
        const { status, headers } = await wire(url(), `${path}?filter=a%3Db`);
        expect([status, headers.location]).toEqual([301, '/api/v2/alerts?filter=a%3Db']);
      }
    });

    test.each([
      ['silences', silence({ matchers: [null] })],
      ['alerts', '[null]'],
    ])('a null among the %s: the connection is dropped', async (path, body) => {
      await expect(wire(url(), `/api/v2/${path}`, { method: 'POST', headers: JSON_TYPE, body })).rejects.toMatchObject({
        code: 'ECONNRESET',
      });
    });
  });

  describe('accepts', () => {
    test.each(['application/json; charset=utf-8', 'application/JSON', 'application/json;'])(
      'the type %s',
      async (type) => {
        const headers = { 'content-type': type };
        expect((await wire(url(), '/api/v2/alerts', { method: 'POST', headers, body: '[]' })).status).toBe(200);
      },
    );

    test('a path with a slash at its end', async () => {
      const got = await wire(url(), '/api/v2/silences/?filter=nobody%3Dhas');
      expect([got.status, got.body]).toEqual([200, '[]\n']);
    });

    test('a POST whose answer is not wanted as JSON: it is carried out, its type is empty', async () => {
      const request = { method: 'POST', headers: { ...JSON_TYPE, accept: 'text/plain' }, body: silence({}) };
      const got = await wire(url(), '/api/v2/silences', request);
      expect([got.status, got.headers['content-type']]).toEqual([200, '']);
      const { silenceID } = JSON.parse(got.body) as { silenceID: string };
      expect((await wire(url(), `/api/v2/silence/${silenceID}`)).status).toBe(200);
    });

    test('a UUID in capitals, but does not find it', async () => {
      const id = await postSilence(url(), { matchers: [MATCHER] });
      const loud = id.toUpperCase();
      expect((await wire(url(), `/api/v2/silence/${loud}`)).status).toBe(404);
      expect((await wire(url(), `/api/v2/silence/${loud}`, { method: 'DELETE' })).status).toBe(500);
      const update = { method: 'POST', headers: JSON_TYPE, body: silence({ id: loud }) };
      expect((await wire(url(), '/api/v2/silences', update)).status).toBe(404);
    });
  });
});
