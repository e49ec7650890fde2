import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { journal, journalPath, mayBeOf, readJournal } from '../../src/store/order-journal.ts';
import { RecentEntries } from '../../src/store/recent-entries.ts';
import { lockContext, testFolder } from './folder.ts';
import { sentOrder } from './sent-order.ts';

const folder = testFolder();

const answered = (id: string) =>
  ({ id, at: '2026-03-02T09:00:01.000Z', outcome: 'accepted', order_ids: ['7'] }) as const;

describe('the journal of orders', () => {
  it('has an order before it is sent, and its outcome afterwards', async () => {
    expect(await readJournal(folder.paths)).toEqual([]);
    await journal(folder.paths, lockContext, sentOrder('a'));
    expect(await readJournal(folder.paths)).toEqual([
      {
        ...sentOrder('a'),
        outcome: 'unknown',
        order_ids: [],
        trade_ids: [],
        message: null,
        error: null,
        report: null,
        answered_at: null,
      },
    ]);
    await journal(folder.paths, lockContext, answered('a'));
    await journal(folder.paths, lockContext, sentOrder('b'));
    expect((await readJournal(folder.paths)).map(({ id, outcome, order_ids }) => [id, outcome, order_ids])).toEqual([
      ['a', 'accepted', ['7']],
      ['b', 'unknown', []],
    ]);
    expect(statSync(journalPath(folder.paths)).mode & 0o777).toBe(0o600);
  });

  it('loses nothing of many concurrent writers', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `o${i}`);
    await Promise.all(ids.map((id) => journal(folder.paths, lockContext, sentOrder(id))));
    expect(new Set((await readJournal(folder.paths)).map(({ id }) => id))).toEqual(new Set(ids));
  });

  it('continues after an incomplete line', async () => {
    await journal(folder.paths, lockContext, sentOrder('a'));
    appendFileSync(journalPath(folder.paths), '{"id":"b","fo');
    await journal(folder.paths, lockContext, answered('a'));
    await journal(folder.paths, lockContext, answered('of-no-order'));
    expect((await readJournal(folder.paths)).map(({ id, outcome }) => [id, outcome])).toEqual([['a', 'accepted']]);
    expect(readFileSync(journalPath(folder.paths), 'utf8').split('\n')).toHaveLength(5);
  });

  it('names the gateway of an order, and reads lines without one', async () => {
    const { base_url: _, ...line } = sentOrder('a');
    await journal(folder.paths, lockContext, sentOrder('b'));
    appendFileSync(journalPath(folder.paths), `${JSON.stringify(line)}\n`);
    const entries = await readJournal(folder.paths);
    expect(entries.map(({ base_url }) => base_url)).toEqual(['https://gateway.example.com', null]);
    const idsOf = (gateway: string) => entries.filter((one) => mayBeOf(new URL(gateway), one)).map(({ id }) => id);
    expect(idsOf('https://gateway.example.com/')).toEqual(['b', 'a']);
    expect(idsOf('https://gateway.example.com/demo')).toEqual(['a']);
    expect(idsOf('http://gateway.example.com')).toEqual(['a']);
  });

  it('keeps outcomes of a later svc, and reads null for optional fields', async () => {
    await journal(folder.paths, lockContext, sentOrder('a'));
    const later = { id: 'a', at: '2026-03-02T09:00:01.000Z', outcome: 'expired', message: null, note: 1 };
    appendFileSync(journalPath(folder.paths), `${JSON.stringify(later)}\n`);
    expect(await readJournal(folder.paths)).toMatchObject([{ id: 'a', outcome: 'expired', message: null }]);
  });

  it('returns unknown and recent orders, also from added or incomplete lines', async () => {
    const recent = new RecentEntries(folder.paths);
    const ids = async (): Promise<string[]> => (await recent.read()).map(({ id }) => id);
    const old = '2026-03-02T08:00:00.000Z';
    expect(await ids()).toEqual([]);
    await journal(folder.paths, lockContext, { ...sentOrder('a'), at: old });
    await journal(folder.paths, lockContext, { ...sentOrder('b'), at: old });
    expect(await ids()).toEqual(['a', 'b']);
    await journal(folder.paths, lockContext, answered('a'));
    await journal(folder.paths, lockContext, sentOrder('d'));
    await journal(folder.paths, lockContext, answered('d'));
    const line = `${JSON.stringify({ ...sentOrder('c'), command: 'köpa' })}\n`;
    const half = Buffer.from(line).subarray(0, line.indexOf('ö') + 1);
    appendFileSync(journalPath(folder.paths), half);
    expect(await ids()).toEqual(['b', 'd']);
    appendFileSync(journalPath(folder.paths), Buffer.from(line).subarray(half.length));
    expect((await recent.read()).map(({ id, command }) => [id, command])).toEqual([
      ['b', 'buy'],
      ['d', 'buy'],
      ['c', 'köpa'],
    ]);
  });

  it('includes its own, queued and foreign lines', async () => {
    const recent = new RecentEntries(folder.paths);
    const outcomes = async (): Promise<string[]> =>
      (await recent.read()).map(({ id, outcome, order_ids }) => [id, outcome, ...order_ids].join(' '));
    const lines = (): number => readFileSync(journalPath(folder.paths), 'utf8').split('\n').length - 1;
    await recent.write(sentOrder('a'), lockContext, undefined);
    recent.later(answered('a'));
    expect([await outcomes(), lines()]).toEqual([['a accepted 7'], 1]);
    await journal(folder.paths, lockContext, sentOrder('b'));
    expect(await outcomes()).toEqual(['a accepted 7', 'b unknown']);
    await recent.write(sentOrder('c'), lockContext, undefined);
    expect([await outcomes(), lines()]).toEqual([['a accepted 7', 'b unknown', 'c unknown'], 4]);
    recent.later({ ...answered('c'), order_ids: ['8'] });
    const interrupted = { ...lockContext, signal: AbortSignal.abort(new Error('interrupted')) };
    await recent.flush(interrupted, expect.unreachable);
    await recent.flush(interrupted, expect.unreachable, true);
    expect([await outcomes(), lines()]).toEqual([['a accepted 7', 'b unknown', 'c accepted 8'], 5]);
    expect((await readJournal(folder.paths)).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'accepted'],
      ['b', 'unknown'],
      ['c', 'accepted'],
    ]);
  });

  it('writes what waits at the same time together, and an order with a claim after all before it', async () => {
    const recent = new RecentEntries(folder.paths);
    let time = Date.UTC(2026, 2, 2, 9);
    const context = { ...lockContext, now: () => time++ };
    const known: string[][] = [];
    const claim = async (): Promise<void> => void known.push((await recent.read()).map(({ id }) => id));
    const write = (id: string, claimed?: typeof claim) => recent.write(sentOrder(id), context, claimed);
    await Promise.all([write('a'), write('b'), write('c', claim), write('d', claim), write('e'), write('f')]);
    const entries = await readJournal(folder.paths);
    expect(entries.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(known).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]);
    const [a, b, c, d, e, f] = entries.map(({ at }) => at);
    expect([new Set([a, b]).size, new Set([e, f]).size, new Set([a, c, d, e]).size]).toEqual([1, 1, 4]);
  });

  it('fails for each order that could not be written, and for none that could', async () => {
    const recent = new RecentEntries(folder.paths);
    const refused = async (): Promise<void> => {
      throw new Error('taken');
    };
    const write = (id: string, claim?: typeof refused) => recent.write(sentOrder(id), lockContext, claim);
    const done = await Promise.allSettled([write('a'), write('b', refused), write('c')]);
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await readJournal(folder.paths)).map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('continues in a new file if its own was moved', async () => {
    const recent = new RecentEntries(folder.paths);
    await recent.write(sentOrder('a'), lockContext, undefined);
    renameSync(journalPath(folder.paths), `${journalPath(folder.paths)}.old`);
    await journal(folder.paths, lockContext, sentOrder('b'));
    await recent.write(sentOrder('c'), lockContext, undefined);
    expect((await recent.read()).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('reports outcomes that could not be written, and writes them later', async () => {
    const recent = new RecentEntries(folder.paths);
    await recent.write(sentOrder('a'), lockContext, undefined);
    recent.later(answered('a'));
    const path = journalPath(folder.paths);
    renameSync(path, `${path}.old`);
    mkdirSync(path);
    const notices: string[] = [];
    await recent.flush(lockContext, (text) => notices.push(text));
    expect(notices).toEqual([expect.stringContaining('the outcome (accepted) could not be written to the journal')]);
    rmdirSync(path);
    renameSync(`${path}.old`, path);
    await recent.flush(lockContext, expect.unreachable);
    expect(await readJournal(folder.paths)).toMatchObject([{ id: 'a', outcome: 'accepted' }]);
  });

  it('reports that nothing can be written', async () => {
    const paths = { ...folder.paths, state: '/dev/null' };
    await expect(journal(paths, lockContext, sentOrder('a'))).rejects.toMatchObject({ code: 'file_unusable' });
    expect(existsSync(journalPath(paths))).toBe(false);
  });
});
