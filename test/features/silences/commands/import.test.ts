import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getJson, postSilence } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc, temporaryHome } from '../../../support/svc.ts';
import { printed, sharedService, writes } from '../../alerts/commands/service.ts';
import { start } from './built.ts';

interface Row {
  readonly id: string | null;
  readonly previous_id: string | null;
  readonly result: string;
  readonly message: string | null;
}
interface Stored {
  readonly id: string;
  readonly comment: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

let batch = 0;
const hour = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Silences that no other test has: known by their comment. */
function rows(count: number, extra: object = {}) {
  const comment = `batch ${++batch}`;
  const list = Array.from({ length: count }, (_, i) => ({
    matchers: [{ name: 'row', value: `${batch}-${i}`, isRegex: false, isEqual: true }],
    startsAt: new Date().toISOString(),
    endsAt: hour(4),
    createdBy: 'ann',
    comment,
    ...extra,
  }));
  return { list, comment };
}

const service = sharedService();

describe('svc silences import', () => {
  it('a file without silences: nothing is sent, and that is said', async () => {
    const run = await service.svc(['silences', 'import', '-'], { stdin: '[]' });
    expect(run).toMatchObject({ code: 0, stdout: '', stderr: 'there are no silences in it; nothing was sent\n' });
    expect(writes(run.sent)).toEqual([]);
  });

  const stored = async (comment: string): Promise<Stored[]> =>
    (await getJson<Stored[]>(service.url(), '/api/v2/silences')).filter((silence) => silence.comment === comment);
  const importing = (value: unknown, ...argv: string[]) =>
    service.svc(['silences', 'import', '-', '-o', 'json', ...argv], {
      stdin: typeof value === 'string' ? value : JSON.stringify(value),
    });
  const results = (run: { stdout: string }): string[] => (JSON.parse(run.stdout) as Row[]).map(({ result }) => result);

  it('creates the silences of an array; again they are unchanged', async () => {
    const { list, comment } = rows(20);
    const first = await importing(list);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(results(first)).toEqual(list.map(() => 'created'));
    const created = await stored(comment);
    expect(new Set(printed<Row[]>(first).map(({ id }) => id))).toEqual(new Set(created.map(({ id }) => id)));
    const second = await importing(list);
    expect([second.code, writes(second.sent)]).toEqual([0, []]);
    expect(results(second)).toEqual(list.map(() => 'unchanged'));
    expect(await stored(comment)).toHaveLength(20);
  });

  it('imports an export after the silences expired, with a map of the ids', async () => {
    const { list, comment } = rows(3);
    await importing(list);
    const exported = await service.svc(['silences', 'export', '--comment', comment], { env: { SVC_OUTPUT: 'yaml' } });
    expect(JSON.parse(exported.stdout)).toHaveLength(3);
    const expired = await service.svc(['silences', 'expire', '--comment', comment, '--yes', '-q']);
    expect([expired.code, expired.stdout.split('\n')]).toEqual([0, expect.objectContaining({ length: 4 })]);
    const again = await importing(exported.stdout);
    const before = (JSON.parse(exported.stdout) as Stored[]).map(({ id }) => id);
    expect(printed<Row[]>(again).map(({ previous_id }) => previous_id)).toEqual(before);
    expect((await stored(comment)).filter(({ status }) => status.state === 'active')).toHaveLength(3);
  });

  it('NDJSON and a single object', async () => {
    const { list, comment } = rows(2);
    expect(results(await importing(list.map((row) => JSON.stringify(row)).join('\n')))).toEqual(['created', 'created']);
    expect(results(await importing(list[0]))).toEqual(['unchanged']);
    expect(await stored(comment)).toHaveLength(2);
  });

  it('sends nothing from an incomplete file or one with a bad row', async () => {
    const { list, comment } = rows(5);
    const text = JSON.stringify(list, null, 2);
    const lines = list.map((row) => JSON.stringify(row)).join('\n');
    for (const bad of [
      text.slice(0, -40),
      text.slice(0, 500),
      lines.slice(0, -9),
      JSON.stringify([...list, { ...list[0], endsAt: 'soon' }]),
      JSON.stringify([...list, { ...list[0], matchers: [] }]),
      JSON.stringify([...list, 7]),
      '',
      '{',
    ]) {
      const run = await importing(bad);
      expect([run.code, run.stdout, run.sent]).toEqual([2, '', []]);
    }
    expect(await stored(comment)).toEqual([]);
  });

  it('a duplicate row, and rows that have ended', async () => {
    const { list, comment } = rows(1);
    const over = { ...list[0], startsAt: hour(-4), endsAt: hour(-2) };
    const later = { ...list[0], startsAt: hour(10), endsAt: hour(12) };
    const run = await importing([...list, ...list, over, later]);
    expect([run.code, results(run)]).toEqual([10, ['created', 'unchanged', 'skipped', 'created']]);
    expect(printed<Row[]>(run)[2]?.message).toBe('already over');
    expect(await stored(comment)).toHaveLength(2);
  });

  it('rows that end before they start are invalid: exit 10, or 3 if there are no others', async () => {
    const { list, comment } = rows(2);
    const swapped = { ...list[0], startsAt: hour(-2), endsAt: hour(-4) };
    const future = { ...list[0], startsAt: hour(4), endsAt: hour(2) };
    const over = { ...list[0], startsAt: hour(-4), endsAt: hour(-2) };
    const mixed = await importing([swapped, ...list, future, over]);
    expect([mixed.code, results(mixed)]).toEqual([10, ['invalid', 'created', 'created', 'invalid', 'skipped']]);
    expect(printed<Row[]>(mixed).map(({ message }) => message)).toEqual([
      'ends before it starts',
      null,
      null,
      'ends before it starts',
      'already over',
    ]);
    for (const file of [[swapped], [swapped, future]]) {
      const run = await importing(file);
      expect([run.code, results(run), writes(run.sent)]).toEqual([3, file.map(() => 'invalid'), []]);
    }
    for (const file of [[over], [over, swapped]]) expect((await importing(file)).code).toBe(10);
    expect(await stored(comment)).toHaveLength(2);
    const shown = await service.svc(['silences', 'import', '-'], { stdin: JSON.stringify([over, swapped]) });
    expect(shown.stderr).toBe('1 skipped: already over, 1 invalid\n');
  });

  it('rows longer than a day need a confirmation', async () => {
    const { list, comment } = rows(5);
    const long = list.map((row, i) => (i < 3 ? row : { ...row, endsAt: hour(25 * i) }));
    const refused = await importing(long);
    expect([refused.code, failure(refused).code, writes(refused.sent)]).toEqual([2, 'confirmation_required', []]);
    expect(failure(refused).message).toContain('2 of them last longer than 24h (alerts.maxSilence).');
    expect(await stored(comment)).toEqual([]);
    // What is not sent is not asked about.
    expect((await importing([{ ...list[0], startsAt: hour(-900), endsAt: hour(-2) }])).code).toBe(10);
    expect((await importing(long, '--yes')).code).toBe(0);
    expect(await stored(comment)).toHaveLength(5);
  });

  it('leaves a silence that the server has as it is', async () => {
    const { list, comment } = rows(1);
    await importing(list);
    const longer = list.map((row) => ({ ...row, endsAt: hour(8) }));
    const [before] = await stored(comment);
    expect(results(await importing(longer))).toEqual(['unchanged']);
    const [after, ...others] = await stored(comment);
    expect([after?.id, after?.endsAt, others]).toEqual([before?.id, before?.endsAt, []]);
  });

  it('refused rows do not stop the others', async () => {
    const { list, comment } = rows(4);
    const bad = { ...list[0], matchers: [{ name: 'row', value: '(', isRegex: true }, ...(list[0]?.matchers ?? [])] };
    const run = await importing([...list.slice(0, 2), bad, ...list.slice(2)]);
    expect([run.code, results(run)]).toEqual([10, ['created', 'created', 'failed', 'created', 'created']]);
    expect(printed<Row[]>(run)[2]?.message).toContain('missing closing )');
    expect(await stored(comment)).toHaveLength(4);
  });

  it('silences without a positive matcher need --all-alerts', async () => {
    const { list, comment } = rows(1, { matchers: [{ name: 'x', value: 'y', isRegex: false, isEqual: false }] });
    expect([(await importing(list)).code, await stored(comment)]).toEqual([2, []]);
    const run = await importing(list, '--all-alerts');
    expect([run.code, results(run)]).toEqual([0, ['created']]);
    for (const { id } of await stored(comment)) await service.svc(['silences', 'expire', id, '--yes']);
  });

  it('a dry run prints every request and sends none', async () => {
    const { list, comment } = rows(3);
    const run = await importing(list, '--dry-run');
    expect(printed<{ body: unknown }[]>(run).map(({ body }) => body)).toEqual(list);
    expect([writes(run.sent), await stored(comment)]).toEqual([[], []]);
  });

  it('after kill -9 and a second run, every silence exists exactly once', async () => {
    const { list, comment } = rows(400);
    const file = join(temporaryHome(), 'silences.json');
    writeFileSync(file, JSON.stringify(list));
    const cut = start(['silences', 'import', file, '-o', 'ndjson'], service.url());
    const some = async (): Promise<number> => (await stored(comment)).length;
    while ((await some()) < 20);
    cut.kill('SIGKILL');
    await cut.ended;
    const left = await some();
    expect(left).toBeGreaterThanOrEqual(20);
    const run = await service.svc(['silences', 'import', file, '-o', 'json']);
    expect(run.code).toBe(0);
    const names = (await stored(comment)).map((silence) =>
      JSON.stringify((silence as object as { matchers: unknown }).matchers),
    );
    expect([names.length, new Set(names).size]).toEqual([400, 400]);
    expect(results(run).filter((result) => result === 'unchanged').length).toBeGreaterThanOrEqual(20);
  });

  it('expire selects what mutes no alert: --unused', async () => {
    const { list, comment } = rows(2);
    await importing(list);
    const unused = await service.svc(['silences', 'expire', '--unused', '--comment', comment, '--yes', '-o', 'json']);
    expect([unused.code, printed<Row[]>(unused).length]).toEqual([0, 2]);
    expect((await stored(comment)).every(({ status }) => status.state === 'expired')).toBe(true);
  });

  it('expire lists a selection at a terminal before it asks, and accepts no', async () => {
    const { list, comment } = rows(25);
    await importing(list);
    const argv = ['silences', 'expire', '--comment', comment];
    const declined = await service.svc(argv, { terminal: 80, answer: false });
    expect([declined.code, declined.asked, writes(declined.sent)]).toEqual([2, ['Expire these 25 silences?'], []]);
    expect(declined.stderr).toContain('row="');
    expect(declined.stderr).toContain('and 5 more');
    const unattended = await service.svc(argv);
    expect([unattended.code, unattended.asked, writes(unattended.sent)]).toEqual([2, [], []]);
    const done = await service.svc(argv, { terminal: 80, answer: true });
    expect([done.code, writes(done.sent).length]).toEqual([0, 25]);
    expect((await stored(comment)).every(({ status }) => status.state === 'expired')).toBe(true);
  });

  it('expire reads ids from standard input', async () => {
    const id = await postSilence(service.url(), { matchers: [{ name: 'a', value: 'stdin', isRegex: false }] });
    const missing = '00000000-0000-4000-8000-00000000000f';
    const run = await service.svc(['silences', 'expire', '-', '--yes', '-o', 'json'], {
      stdin: `${id}\n${missing}\n`,
    });
    expect(run.code).toBe(10);
    expect(printed<Row[]>(run).map(({ result }) => result)).toEqual(['expired', 'not-found']);
    const both = await service.svc(['silences', 'expire', id, '--all', '--yes']);
    expect([both.code, both.sent]).toEqual([2, []]);
    const neither = await service.svc(['silences', 'expire', '--yes']);
    expect([neither.code, neither.sent]).toEqual([2, []]);
  });
});

describe('a missing response', () => {
  it('leaves the outcome of its row unknown, and sends nothing twice', async () => {
    const { list } = rows(2);
    let posts = 0;
    await using server = await faultServer((socket, { method }) => {
      if (method === 'GET') socket.write(answer(200, '[]'));
      else if (++posts === 1) socket.destroy();
      else socket.write(answer(200, '{"silenceID":"2f1a0000-0000-4000-8000-000000000000"}'));
    });
    const run = await svc(['silences', 'import', '-', '-o', 'json', '--base-url', server.url], {
      stdin: JSON.stringify(list),
    });
    expect([run.code, posts]).toEqual([10, 2]);
    expect((JSON.parse(run.stdout) as Row[]).map(({ result }) => result).sort()).toEqual(['created', 'failed']);
    expect(run.stdout).toContain('may have been applied');
  });
});
