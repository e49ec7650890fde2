import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { processName, withLock } from '../../src/store/lock.ts';
import {
  isSentTo,
  journalAnswered,
  journalPath,
  journalSent,
  readGatewayJournal,
  readJournal,
} from '../../src/store/order-journal.ts';
import { lockContext, testFolder } from '../support/folder.ts';
import { addToJournal } from '../support/journal.ts';
import { sentOrder } from './sent-order.ts';

const folder = testFolder();
const { id: _, at: __, ...REQUEST } = sentOrder('');

const send = (claim?: () => Promise<void>) => journalSent(folder.paths, lockContext, REQUEST, claim);
const entriesOf = async (paths: typeof folder.paths) => (await readJournal(paths)).entries;
const accept = (id: string) =>
  journalAnswered(folder.paths, lockContext, { id, outcome: 'accepted', order_ids: ['7'] });

describe('the journal of orders', () => {
  it('has an order before it is sent, and its outcome afterwards', async () => {
    expect(await entriesOf(folder.paths)).toEqual([]);
    const first = await send();
    expect(await entriesOf(folder.paths)).toEqual([
      {
        ...REQUEST,
        id: first,
        at: expect.any(String),
        owner: expect.any(Object),
        outcome: 'unknown',
        order_ids: [],
        trade_ids: [],
        message: null,
        error: null,
        report: null,
        answered_at: null,
      },
    ]);
    await accept(first);
    const second = await send();
    expect((await entriesOf(folder.paths)).map(({ id, outcome, order_ids }) => [id, outcome, order_ids])).toEqual([
      [first, 'accepted', ['7']],
      [second, 'unknown', []],
    ]);
    expect(statSync(journalPath(folder.paths)).mode & 0o777).toBe(0o600);
  });

  it('loses nothing of many concurrent writers', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(new Set((await entriesOf(folder.paths)).map(({ id }) => id))).toEqual(new Set(ids));
  });

  it('writes nothing if the claim is refused, and the time at which it is written', async () => {
    const refused = async (): Promise<void> => {
      throw new Error('taken');
    };
    await expect(send(refused)).rejects.toThrow('taken');
    let now = Date.UTC(2026, 0, 1);
    const claim = async (): Promise<void> => {
      now += 60_000;
    };
    await journalSent(folder.paths, { ...lockContext, now: () => now }, REQUEST, claim);
    expect((await entriesOf(folder.paths)).map(({ at }) => at)).toEqual(['2026-01-01T00:01:00.000Z']);
  });

  it('writes nothing if another process took over its lock in the meantime', async () => {
    const elsewhere = { ...lockContext, processName: { ...processName(process.pid), host: 'elsewhere' } };
    const lock = `${journalPath(folder.paths)}.lock`;
    const claim = () => withLock(lock, { ...lockContext, sleep: async () => {} }, () => {});
    await expect(journalSent(folder.paths, elsewhere, REQUEST, claim)).rejects.toThrow('took over the lock');
    expect(await entriesOf(folder.paths)).toEqual([]);
  });

  it('continues after an incomplete line', async () => {
    addToJournal(folder.paths, sentOrder('a'));
    appendFileSync(journalPath(folder.paths), '{"id":"b","fo');
    await accept('a');
    await accept('of-no-order');
    expect((await entriesOf(folder.paths)).map(({ id, outcome }) => [id, outcome])).toEqual([['a', 'accepted']]);
    expect(await readJournal(folder.paths)).toMatchObject({ unreadable: [] });
    expect(readFileSync(journalPath(folder.paths), 'utf8').split('\n')).toHaveLength(4);
  });

  it('continues after a last line without its end', async () => {
    appendFileSync(addToJournal(folder.paths, sentOrder('a')), JSON.stringify(sentOrder('b')));
    await accept('b');
    expect((await entriesOf(folder.paths)).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'unknown'],
      ['b', 'accepted'],
    ]);
  });

  it('names each line that it did not write', async () => {
    const path = addToJournal(folder.paths, sentOrder('a'));
    for (const damaged of ['{"id":"b","fo', '\0'.repeat(512), '[]', '{"id":"b"}']) appendFileSync(path, `${damaged}\n`);
    await accept('a');
    expect(await readJournal(folder.paths)).toMatchObject({ entries: [{ id: 'a' }], unreadable: [2, 3, 4, 5] });
  });

  it('names the gateway of an order', async () => {
    addToJournal(folder.paths, sentOrder('a'));
    addToJournal(folder.paths, { ...sentOrder('b'), base_url: 'https://gateway.example.com/demo' });
    const entries = await entriesOf(folder.paths);
    const idsOf = (gateway: string) => entries.filter((one) => isSentTo(new URL(gateway), one)).map(({ id }) => id);
    expect(idsOf('https://gateway.example.com/')).toEqual(['a']);
    expect(idsOf('https://gateway.example.com/demo/')).toEqual(['b']);
    expect(idsOf('http://gateway.example.com')).toEqual([]);
    const gateway = new URL('https://gateway.example.com');
    expect((await readGatewayJournal(folder.paths, gateway)).entries).toHaveLength(1);
  });

  it('has outcomes of a later svc, and reads null for optional fields', async () => {
    addToJournal(folder.paths, sentOrder('a'));
    const later = { id: 'a', at: '2026-03-02T09:00:01.000Z', outcome: 'expired', message: null, note: 1 };
    appendFileSync(journalPath(folder.paths), `${JSON.stringify(later)}\n`);
    expect(await entriesOf(folder.paths)).toMatchObject([{ id: 'a', outcome: 'expired', message: null }]);
  });

  it('reports that nothing can be written', async () => {
    const paths = { ...folder.paths, state: '/dev/null' };
    await expect(journalSent(paths, lockContext, REQUEST)).rejects.toMatchObject({ code: 'file_unusable' });
    expect(existsSync(journalPath(paths))).toBe(false);
  });
});
