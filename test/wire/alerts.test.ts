/**
 * Answers of alert managers, written by hand from document 1 and from what real servers of several versions say, and read by the
 * client itself: the sandbox may be wrong in the same way as the client, these files are not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { openAlertmanager } from '../../src/features/alerts/api.ts';
import { formatMatcher, matcherFrom } from '../../src/features/alerts/matcher.ts';
import { effectiveState, keepsAlert } from '../../src/features/alerts/selection.ts';
import { applyChanges } from '../../src/features/silences/draft.ts';
import { fileServer } from '../support/servers.ts';
import { CONFIRMED, targetFor } from '../support/targets.ts';
import { withLength } from './responses.ts';

const FOLDER = new URL('alerts/', import.meta.url);
const ID = '2f1ac0de-1111-4222-8333-444455556666';
const sample = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

let bytes = '';
const server = await fileServer((socket) => socket.write(bytes));
const client = openAlertmanager(targetFor(server.url));
afterAll(() => client.close());

/** Everything the client yields for a sample, with the value that the sample's own JSON has. */
async function read<T>(
  name: string,
  call: () => AsyncIterable<T> | Promise<T>,
): Promise<{ value: T[]; text: unknown }> {
  const body = sample(name);
  bytes = withLength('HTTP/1.1 200 OK\ncontent-type: application/json', body);
  const answer = call();
  const value: T[] = [];
  if (Symbol.asyncIterator in answer) for await (const item of answer) value.push(item);
  else value.push(await answer);
  return { value, text: JSON.parse(body) };
}

function itemOf<T>(items: readonly T[], index = 0): T {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

describe('recorded alerts', () => {
  it('of 0.25 have times with an offset, empty annotations, and a link or none', async () => {
    const { value, text } = await read('alerts-0.25.json', () => client.alerts());
    expect(value).toEqual(text);
    const [active, both] = [itemOf(value, 0), itemOf(value, 1)];
    expect(Date.parse(active.startsAt ?? '')).toBe(Date.UTC(2026, 10, 20, 10));
    expect(value.map(effectiveState)).toEqual(['active', 'silenced,inhibited']);
    const listed = (['silenced', 'inhibited', 'active'] as const).map((state) => keepsAlert(both, [state]));
    expect(listed).toEqual([true, true, false]);
    expect('generatorURL' in both).toBe(false);
  });

  it('of 0.28 have mutedBy, and are suppressed by it without a silence', async () => {
    const { value, text } = await read('alerts-0.28.json', () => client.alerts());
    expect(value).toEqual(text);
    const muted = itemOf(value);
    expect([effectiveState(muted), keepsAlert(muted, ['suppressed']), keepsAlert(muted, ['active'])]).toEqual([
      'muted',
      true,
      false,
    ]);
  });

  it('of 0.33 have labels of receivers and routes', async () => {
    const { value, text } = await read('alerts-0.33.json', () => client.alerts());
    expect(value).toEqual(text);
    expect([keepsAlert(itemOf(value), ['unprocessed']), keepsAlert(itemOf(value), ['active'])]).toEqual([true, false]);
  });

  it('are in groups, of which one may have none', async () => {
    const { value, text } = await read('groups-0.25.json', () => client.groups());
    expect(value).toEqual(text);
    expect(value.map(({ alerts }) => alerts.length)).toEqual([1, 0]);
  });

  it('have receivers, since 0.33 with labels', async () => {
    for (const name of ['receivers-0.25.json', 'receivers-0.33.json']) {
      const { value, text } = await read(name, () => client.receivers());
      expect(value).toEqual(text);
    }
  });
});

describe('recorded silences', () => {
  const spelled = (matchers: Parameters<typeof matcherFrom>[0][]): string[] =>
    matchers.map((one) => formatMatcher(matcherFrom(one)));

  it('of 0.25 have every state and operator', async () => {
    const { value, text } = await read('silences-0.25.json', () => client.silences());
    expect(value).toEqual(text);
    expect(value.map(({ status, matchers }) => [status.state, ...spelled(matchers)])).toEqual([
      ['active', 'alertname="NodeDown"', 'instance!~"web-.*"'],
      ['pending', 'team!="db"'],
      ['expired', 'alertname=~".+"'],
    ]);
    expect(value[2]?.comment).toBe('two\nlines');
    expect([value[1]?.comment, value[1]?.createdBy]).toEqual(['', '']);
  });

  it('of 0.21 have no isEqual, which is not added to updates', async () => {
    const { value, text } = await read('silences-0.21.json', () => client.silences());
    expect(value).toEqual(text);
    const silence = itemOf(value);
    expect(spelled(silence.matchers)).toEqual(['alertname="NodeDown"', 'instance=~"web-[12]:9100"']);
    expect(applyChanges(silence, {}).matchers).toEqual([
      { isRegex: false, name: 'alertname', value: 'NodeDown' },
      { isRegex: true, name: 'instance', value: 'web-[12]:9100' },
    ]);
  });

  it('of 0.32 have annotations, which an update sends back', async () => {
    const { value, text } = await read('silence-0.32.json', () => client.silence(ID));
    expect(value).toEqual([text]);
    expect(applyChanges(itemOf(value), { comment: 'new' })).toEqual({
      annotations: { ticket: 'CHG-1042', link: 'https://tickets.example/CHG-1042' },
      comment: 'new',
      createdBy: 'ann@ops',
      endsAt: '2026-11-20T12:00:00.000Z',
      id: ID,
      matchers: [{ isEqual: true, isRegex: false, name: 'größe in %', value: '92' }],
      startsAt: '2026-11-20T10:00:00.123Z',
    });
    expect(spelled(itemOf(value).matchers)).toEqual(['"größe in %"="92"']);
  });

  it('have the id that the server gave', async () => {
    const draft = { matchers: [], startsAt: '', endsAt: '', createdBy: '', comment: '' };
    const { value } = await read('posted-silence-0.25.json', () => client.postSilence(draft));
    expect(value).toEqual([{ silenceID: ID }]);
  });
});

describe('recorded states of servers', () => {
  it('have no name and no peers without a cluster', async () => {
    const { value, text } = await read('status-disabled-0.25.json', () => client.status());
    expect(value).toEqual([text]);
    expect(Date.parse(itemOf(value).uptime ?? '')).toBe(Date.UTC(2026, 10, 20, 9, 59, 58, 123));
  });

  it('have the peers of a cluster', async () => {
    const { value, text } = await read('status-ready-0.28.json', () => client.status());
    expect(value).toEqual([text]);
    expect(value[0]?.cluster?.peers?.map(({ address }) => address)).toEqual(['10.0.0.1:9094', '[fd00::2]:9094']);
  });
});

it('a silence id of another form is no part of a path', async () => {
  const before = server.requests.length;
  await expect(client.silence('2f1a')).rejects.toMatchObject({ code: 'invalid_value' });
  await expect(client.deleteSilence('../alerts', CONFIRMED)).rejects.toMatchObject({ code: 'invalid_value' });
  expect(server.requests).toHaveLength(before);
});

describe('recorded failures', () => {
  const draft = { matchers: [], startsAt: '', endsAt: '', createdBy: '', comment: '' };
  const all = async (items: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of items);
  };
  const CALLS = {
    alerts: () => all(client.alerts()),
    silences: () => all(client.silences()),
    silence: () => client.silence(ID),
    postAlerts: () => client.postAlerts([]),
    postSilence: () => client.postSilence(draft),
    deleteSilence: () => client.deleteSilence(ID, CONFIRMED),
  };

  const CASES: readonly (readonly [
    file: string,
    call: keyof typeof CALLS,
    exit: number,
    code: string,
    message: string,
  ])[] = [
    ['301-doubled-slash', 'alerts', 3, 'redirected', '/api/v2/alerts'],
    ['301-doubled-slash', 'postAlerts', 8, 'outcome_unknown', '/api/v2/alerts'],
    ['400-string', 'postSilence', 3, 'refused', 'refused the request: Failed to create silence: start time'],
    ['400-filter', 'silences', 3, 'refused', 'bad matcher format: a-b="c"'],
    ['400-regex', 'alerts', 3, 'refused', 'invalid or unsupported Perl syntax: `(?!`'],
    ['400-object', 'postSilence', 3, 'refused', 'cannot unmarshal number into Go struct field Matcher.value'],
    ['401', 'alerts', 4, 'unauthorized', 'requires a credential: Unauthorized'],
    ['404-silence-string', 'postSilence', 5, 'not_found', 'no silence has this id'],
    ['404-silence-string', 'deleteSilence', 5, 'not_found', 'no silence has this id'],
    ['404-silence-empty', 'silence', 5, 'not_found', 'no silence has this id'],
    ['404-silence-empty', 'deleteSilence', 5, 'not_found', 'no silence has this id'],
    ['404-silence-empty', 'alerts', 3, 'wrong_path', '/alerts'],
    ['404-router', 'silence', 3, 'wrong_path', 'does not know GET /silence/{silenceID}: 404 page'],
    ['404-router', 'deleteSilence', 3, 'wrong_path', '404 page not found'],
    ['404-api', 'alerts', 3, 'wrong_path', 'path /api/v2/alert was not found'],
    ['404-proxy', 'deleteSilence', 3, 'wrong_path', 'an HTML page, "404 Not Found"'],
    ['405', 'postAlerts', 3, 'refused', 'method POST is not allowed'],
    ['406', 'alerts', 3, 'refused', 'only [application/json] are available'],
    ['410', 'alerts', 3, 'wrong_path', 'v1 API was deprecated'],
    ['415', 'postAlerts', 3, 'refused', 'unsupported media type "text/plain"'],
    ['422', 'postSilence', 3, 'refused', 'comment in body is required'],
    ['431', 'alerts', 3, 'refused', 'Request Header Fields Too Large'],
    ['500-string', 'alerts', 7, 'server_error', 'data directory is read-only'],
    ['500-string', 'postSilence', 8, 'outcome_unknown', 'data directory is read-only'],
    ['500-delete-0.25', 'deleteSilence', 5, 'not_found', 'no silence has this id'],
    ['500-delete-0.25', 'silence', 7, 'server_error', 'silence not found'],
    ['500-matcher-sets-0.32', 'silences', 3, 'refused', 'has multiple matcher sets'],
    ['502-proxy', 'alerts', 7, 'server_error', 'an HTML page, "502 Bad Gateway"'],
    ['502-proxy', 'deleteSilence', 8, 'outcome_unknown', 'an HTML page, "502 Bad Gateway"'],
    ['503-concurrency', 'alerts', 7, 'server_error', 'Limit of concurrent GET requests reached (8)'],
    ['503-timeout', 'alerts', 7, 'server_error', 'Exceeded configured timeout of 2s.'],
    ['503-timeout', 'postSilence', 8, 'outcome_unknown', 'Exceeded configured timeout of 2s.'],
  ];

  const HINTS: Readonly<Record<string, string>> = {
    '400-filter': 'before 0.27',
    '400-regex': 'RE2',
    '401': 'SVC_ALERTS_TOKEN',
    '404-router': 'check the path of --base-url',
    '405': 'check the path of --base-url',
    '410': 'check the path of --base-url',
    '431': 'fewer or shorter matchers',
    '500-matcher-sets-0.32': 'exclude the silence',
  };

  it.each(CASES)('%s of %s is exit %i, %s', async (file, call, exit, code, message) => {
    const [head = '', ...body] = sample(`failures/${file}.txt`).split('\n\n');
    bytes = withLength(head, body.join('\n\n'));
    const before = server.requests.length;
    const error = await CALLS[call]().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SvcError);
    expect(error).toMatchObject({
      exit,
      code,
      message: expect.stringContaining(message),
      httpStatus: Number(file.slice(0, 3)),
      ...(file in HINTS ? { hint: expect.stringContaining(HINTS[file] ?? '') } : {}),
    });
    if (/post|delete/.test(call)) expect(server.requests).toHaveLength(before + 1);
  });

  it('are all read', () => {
    const files = readdirSync(new URL('failures/', FOLDER)).map((name) => name.replace(/\.txt$/, ''));
    expect([...new Set(CASES.map(([file]) => file))].sort()).toEqual(files.sort());
  });
});
