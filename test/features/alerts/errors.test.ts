import { expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/errors.ts';
import { ENDPOINTS, explainAlertmanager } from '../../../src/features/alerts/api.ts';

type Endpoint = keyof typeof ENDPOINTS;
const JSON_TYPE = 'application/json';

it.each<readonly [Endpoint, number, string, string, ErrorCode, string, string | undefined]>([
  // endpoint, status, content type, body, then code, what the message says, what the hint says
  [
    'postSilence',
    400,
    JSON_TYPE,
    '"silence invalid: at least one matcher must not match the empty string"\n',
    'refused',
    'at least one matcher must not match',
    'add a matcher',
  ],
  [
    'postSilence',
    400,
    JSON_TYPE,
    '"Failed to create silence: start time must be before end time"\n',
    'refused',
    'refused the request: Failed to create silence: start time',
    undefined,
  ],
  [
    'postSilence',
    400,
    JSON_TYPE,
    '{"code":400,"message":"parsing silence body from \\"\\" failed"}',
    'refused',
    'refused the request: parsing silence body from ""',
    undefined,
  ],
  [
    'postSilence',
    422,
    JSON_TYPE,
    '{"code":602,"message":"comment in body is required"}',
    'refused',
    'comment in body is required',
    undefined,
  ],
  [
    'postSilence',
    415,
    JSON_TYPE,
    '{"code":415,"message":"unsupported media type"}',
    'refused',
    'unsupported media type',
    undefined,
  ],
  [
    'status',
    406,
    JSON_TYPE,
    '{"code":406,"message":"unsupported media type requested"}',
    'refused',
    'unsupported media type requested',
    undefined,
  ],
  [
    'postAlerts',
    405,
    JSON_TYPE,
    '{"code":405,"message":"method POST is not allowed, but [GET] are"}',
    'refused',
    'method POST is not allowed',
    'check the path',
  ],
  [
    'alerts',
    431,
    'text/plain',
    '431 Request Header Fields Too Large',
    'refused',
    '431 Request Header',
    'fewer or shorter matchers',
  ],
  ['alerts', 431, '', '', 'refused', 'status 431', 'fewer or shorter matchers'],
  ['alerts', 400, JSON_TYPE, '"bad matcher format: \\"a-b\\"=\\"c\\""', 'refused', 'bad matcher format', 'before 0.27'],
  [
    'alerts',
    400,
    JSON_TYPE,
    '"error parsing regexp: invalid or unsupported Perl syntax: `(?!`"',
    'refused',
    'error parsing regexp',
    'RE2',
  ],
  ['postAlerts', 400, JSON_TYPE, '"at least one label pair required"', 'refused', 'at least one label pair', undefined],
  [
    'postAlerts',
    400,
    JSON_TYPE,
    '{"code":400,"message":"parsing alerts body failed"}',
    'refused',
    'parsing alerts',
    undefined,
  ],
  [
    'postSilence',
    400,
    JSON_TYPE,
    '"silence invalid: invalid label name \\"a:b\\""',
    'refused',
    'invalid label name',
    'before 0.27',
  ],
  [
    'postAlerts',
    422,
    JSON_TYPE,
    '{"code":602,"message":"1.labels in body is required"}',
    'refused',
    '1.labels in body',
    undefined,
  ],
  // a missing silence, in the service's own words
  ['silence', 404, '', '', 'not_found', 'no silence has this id', 'silences list -a'],
  ['postSilence', 404, JSON_TYPE, '"silence not found"\n', 'not_found', 'no silence has this id', 'silences list -a'],
  ['deleteSilence', 404, JSON_TYPE, '', 'not_found', 'no silence has this id', 'silences list -a'],
  ['deleteSilence', 404, '', '', 'not_found', 'no silence has this id', 'silences list -a'],
  ['deleteSilence', 500, JSON_TYPE, '"silence not found"\n', 'not_found', 'no silence has this id', 'silences list -a'],
  // a wrong address
  [
    'silence',
    404,
    'text/plain',
    '404 page not found\n',
    'wrong_path',
    'does not know GET /silence/{silenceID}: 404 page not found',
    'check the path of --base-url',
  ],
  [
    'deleteSilence',
    404,
    'text/plain',
    '404 page not found\n',
    'wrong_path',
    'DELETE /silence',
    'check the path of --base-url',
  ],
  ['deleteSilence', 404, 'text/plain', '', 'wrong_path', 'no reason given', 'check the path of --base-url'],
  [
    'deleteSilence',
    404,
    'text/html',
    '<html><title>Not here</title></html>',
    'wrong_path',
    'Not here',
    'check the path of --base-url',
  ],
  [
    'deleteSilence',
    404,
    JSON_TYPE,
    '{"code":404,"message":"path /x was not found"}',
    'wrong_path',
    'path /x was not found',
    'check the path of --base-url',
  ],
  [
    'postSilence',
    404,
    'text/plain',
    '404 page not found\n',
    'wrong_path',
    'POST /silences',
    'check the path of --base-url',
  ],
  ['silences', 404, '', '', 'wrong_path', 'does not know GET /silences', 'check the path of --base-url'],
  ['alerts', 404, JSON_TYPE, '"nothing"', 'wrong_path', 'GET /alerts', 'check the path of --base-url'],
  ['alerts', 410, JSON_TYPE, '"API v1 is gone"', 'wrong_path', 'API v1 is gone', 'check the path of --base-url'],
  [
    'alerts',
    401,
    'text/plain',
    'Unauthorized\n',
    'unauthorized',
    'requires a credential: Unauthorized',
    'SVC_ALERTS_TOKEN',
  ],
  // failures of the server
  [
    'silences',
    500,
    JSON_TYPE,
    `"silence 'x' has multiple matcher sets which is not supported by this API version"`,
    'refused',
    "silence 'x' has multiple matcher sets",
    'exclude the silence',
  ],
])('%s answered %d %s %s', (name, status, contentType, text, code, message, hint) => {
  const error = explainAlertmanager({ status, contentType, text, headers: {} }, ENDPOINTS[name]);
  expect(error).toMatchObject({ code, httpStatus: status });
  expect(error?.message).toContain(message);
  if (hint === undefined) expect(error?.hint).toBeUndefined();
  else expect(error?.hint).toContain(hint);
});

it.each<readonly [Endpoint, number, string]>([
  ['silences', 500, '"database is locked"'],
  ['alerts', 500, '"silence not found"'],
  ['deleteSilence', 500, '"state not found"'],
  ['alerts', 503, 'no upstream'],
  ['alerts', 503, 'Limit of concurrent GET requests reached (1), try again later.'],
  ['postAlerts', 503, 'Exceeded configured timeout of 2s.'],
  ['alerts', 502, ''],
  ['alerts', 403, ''],
  ['alerts', 429, ''],
])('%s answered %d %s is handled by the common code', (name, status, text) => {
  expect(explainAlertmanager({ status, contentType: JSON_TYPE, text, headers: {} }, ENDPOINTS[name])).toBeUndefined();
});
