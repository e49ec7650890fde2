import { describe, expect, it } from 'vitest';
import { postSilence, wire } from '../support/alertmanager.ts';
import { HOUR, iso, onBothServers } from '../support/alertmanagers.ts';

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

const badRegex = (pattern: string, why: string): string =>
  `silence invalid: invalid label matcher 0: invalid regular expression ${JSON.stringify(pattern)}: error parsing regexp: ${why}`;
const regex = (pattern: string): object => ({ matchers: [{ name: 'a', value: pattern, isRegex: true }] });
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
  // 422: something is missing or has the wrong form
  ...['comment', 'createdBy', 'endsAt', 'matchers', 'startsAt'].map((field) =>
    framed('silences', `no ${field}`, without(field), 422, 602, `${field} in body is required`),
  ),
  framed('silences', 'null is missing', silence({ endsAt: null }), 422, 602, 'endsAt in body is required'),
  framed('silences', 'an empty object: the first of all', '{}', 422, 602, 'comment in body is required'),
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
    name: 'another method',
    method: 'PUT',
    path: '/api/v2/status',
    status: 405,
    type: 'application/json',
    answer: '{"code":405,"message":"method PUT is not allowed, but [GET] are"}',
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
];

onBothServers((url, comparable) => {
  describe('refuses', () => {
    it.each(REFUSALS)('$name', async ({ method = 'GET', path, headers = {}, body, status, type, answer }) => {
      const got = await wire(url(), path, { method, headers, ...(body === undefined ? {} : { body }) });
      expect([got.status, got.headers['content-type'], comparable(got.body)]).toEqual([
        status,
        type,
        comparable(answer),
      ]);
    });
  });

  describe('accepts', () => {
    it.each(['application/json; charset=utf-8', 'application/JSON', 'application/json;'])(
      'the type %s',
      async (type) => {
        const headers = { 'content-type': type };
        expect((await wire(url(), '/api/v2/alerts', { method: 'POST', headers, body: '[]' })).status).toBe(200);
      },
    );

    it('a path with a trailing slash', async () => {
      const got = await wire(url(), '/api/v2/silences/?filter=nobody%3Dhas');
      expect([got.status, got.body]).toEqual([200, '[]\n']);
    });

    it('an upper-case UUID, but does not find it', async () => {
      const id = await postSilence(url(), { matchers: [MATCHER] });
      const loud = id.toUpperCase();
      expect((await wire(url(), `/api/v2/silence/${loud}`)).status).toBe(404);
      expect((await wire(url(), `/api/v2/silence/${loud}`, { method: 'DELETE' })).status).toBe(500);
      const update = { method: 'POST', headers: JSON_TYPE, body: silence({ id: loud }) };
      expect((await wire(url(), '/api/v2/silences', update)).status).toBe(404);
    });
  });
});
