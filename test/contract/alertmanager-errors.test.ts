import { expect, it } from 'vitest';
import { wire } from '../support/alertmanager.ts';
import { HOUR, iso, onBothServers } from '../support/alertmanagers.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const MATCHER = { name: 'a', value: 'b', isRegex: false };

/** A request, and the status and the body word for word of its answer. */
type Refusal = readonly [request: string, body: string | undefined, status: number, answer: string];

const SILENCE = { matchers: [MATCHER], startsAt: iso(0), endsAt: iso(HOUR), createdBy: 'me', comment: 'c' };
const silence = (changes: object): string => JSON.stringify({ ...SILENCE, ...changes });
const matching = (...matchers: readonly object[]): string => silence({ matchers });
const regex = (value: string): string => matching({ name: 'a', value, isRegex: true });

const TO_SILENCES = 'POST /api/v2/silences';
const TO_ALERTS = 'POST /api/v2/alerts';
/** A JSON text and a line feed: the silence makes no sense. */
const text = (body: string, message: string, status = 400): Refusal => [
  TO_SILENCES,
  body,
  status,
  `${JSON.stringify(message)}\n`,
];
const badRegex = (pattern: string, why: string): Refusal =>
  text(
    regex(pattern),
    `silence invalid: invalid label matcher 0: invalid regular expression ${JSON.stringify(pattern)}: error parsing regexp: ${why}`,
  );
/** `{code, message}` without a line feed: something is missing or has another form. */
const invalid = (request: string, body: string | undefined, code: number, message: string, status = 422): Refusal => [
  request,
  body,
  status,
  JSON.stringify({ code, message }),
];
const undecodable = (body: string, reason: string): Refusal =>
  invalid(TO_SILENCES, body, 400, `parsing silence body from "" failed, because ${reason}`, 400);

const REFUSALS: readonly Refusal[] = [
  text(silence({ endsAt: iso(-HOUR) }), 'Failed to create silence: start time must be before end time'),
  text(
    silence({ startsAt: iso(-2 * HOUR), endsAt: iso(-HOUR) }),
    "Failed to create silence: end time can't be in the past",
  ),
  text(regex('.*'), 'silence invalid: at least one matcher must not match the empty string'),
  text(
    matching(MATCHER, { ...MATCHER, name: 'a-b' }),
    'silence invalid: invalid label matcher 1: invalid label name "a-b"',
  ),
  badRegex('(', 'missing closing ): `(`'),
  badRegex('(?!x)a', 'invalid or unsupported Perl syntax: `(?!`'),
  badRegex('(a)\\1', 'invalid escape sequence: `\\1`'),
  badRegex('a\\', 'trailing backslash at end of expression: ``'),
  text(silence({ id: UNKNOWN }), 'silence not found', 404),
  undecodable('{"matchers":', 'unexpected EOF'),
  undecodable('hello', "invalid character 'h' looking for beginning of value"),
  ...['comment', 'createdBy', 'endsAt', 'matchers', 'startsAt'].map((field) =>
    invalid(TO_SILENCES, silence({ [field]: undefined }), 602, `${field} in body is required`),
  ),
  invalid(TO_SILENCES, silence({ endsAt: null }), 602, 'endsAt in body is required'),
  invalid(TO_SILENCES, matching(), 612, 'matchers in body should have at least 1 items'),
  invalid(TO_SILENCES, matching(MATCHER, {}), 602, 'matchers.1.isRegex in body is required'),
  invalid(TO_SILENCES, matching({ value: 'b', isRegex: false }), 602, 'matchers.0.name in body is required'),
  invalid(TO_ALERTS, '[{"labels":{"a":"b"}},{}]', 602, '1.labels in body is required'),
  ...['GET', 'DELETE'].map((method) =>
    invalid(`${method} /api/v2/silence/xyz`, undefined, 601, 'silenceID in path must be of type uuid: "xyz"'),
  ),
  [`GET /api/v2/silence/${UNKNOWN}`, undefined, 404, ''],
  [`DELETE /api/v2/silence/${UNKNOWN}`, undefined, 500, '"silence not found"\n'],
  invalid('PUT /api/v2/status', undefined, 405, 'method PUT is not allowed, but [GET] are', 405),
  invalid('GET /api/v2/nope', undefined, 404, 'path /api/v2/nope was not found', 404),
  [`DELETE /prefix/api/v2/silence/${UNKNOWN}`, undefined, 404, '404 page not found\n'],
];

/** The type that goes with a body of this form. */
function typeOf(answer: string): string | undefined {
  if (answer === '') return undefined;
  return /^["{]/.test(answer) ? 'application/json' : 'text/plain; charset=utf-8';
}

onBothServers((url, comparable) => {
  it('refuses what makes no sense, is incomplete or is not there', async () => {
    for (const [request, body, status, answer] of REFUSALS) {
      const [method = '', path = ''] = request.split(' ');
      const got = await wire(url(), path, { method, ...(body === undefined ? {} : { headers: JSON_TYPE, body }) });
      const wanted = [request, body, status, typeOf(answer), comparable(answer)];
      expect([request, body, got.status, got.headers['content-type'], comparable(got.body)]).toEqual(wanted);
    }
  });
});
