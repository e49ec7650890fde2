import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { getJson, postJson, postSilence, type SeedSilence, wire } from '../support/alertmanager.ts';
import { HOUR, iso, MINUTE, onBothServers } from '../support/alertmanagers.ts';

interface Silence extends Required<SeedSilence> {
  readonly status: { readonly state: string };
  readonly updatedAt: string;
}

onBothServers((url) => {
  /** Matchers that no other case uses. */
  const unique = (): SeedSilence['matchers'] => [{ name: 'case', value: randomUUID(), isRegex: false }];
  const read = async (id: string): Promise<Silence> => await getJson(url(), `/api/v2/silence/${id}`);
  const state = async (id: string): Promise<string> => (await read(id)).status.state;
  const near = (text: string): void => expect(Math.abs(Date.parse(text) - Date.now())).toBeLessThan(5000);

  describe('a new silence', () => {
    it('starts now if its start is in the past', async () => {
      for (const startsAt of [iso(-HOUR), '1970-01-01T00:00:00Z']) {
        const silence = await read(await postSilence(url(), { matchers: unique(), startsAt }));
        near(silence.startsAt);
        expect(silence.status.state).toBe('active');
      }
    });
  });

  describe('an expired silence', () => {
    it('has ended now, however often it is expired', async () => {
      const id = await postSilence(url(), { matchers: unique() });
      for (let times = 0; times < 2; times++) {
        const answer = await wire(url(), `/api/v2/silence/${id}`, { method: 'DELETE' });
        expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([200, undefined, '']);
      }
      const silence = await read(id);
      expect(silence.status.state).toBe('expired');
      near(silence.endsAt);
    });
  });

  describe('an update', () => {
    const base = { createdBy: 'me', comment: 'before' };
    async function active(): Promise<Silence> {
      return await read(await postSilence(url(), { ...base, matchers: [...unique(), ...unique()] }));
    }
    /** Posts the silence with changes, and returns the result. */
    async function update(
      old: Silence,
      changes: Partial<SeedSilence>,
    ): Promise<{ same: boolean; old: string; now: Silence }> {
      const { matchers, startsAt, endsAt, createdBy, comment, id } = old;
      const next = await postSilence(url(), { matchers, startsAt, endsAt, createdBy, comment, id, ...changes });
      return { same: next === id, old: await state(id), now: await read(next) };
    }

    it('changes the end, the comment and the author of an active silence', async () => {
      const old = await active();
      const endsAt = iso(3 * HOUR);
      const result = await update(old, { endsAt, comment: 'after', createdBy: 'you' });
      expect(result).toMatchObject({
        same: true,
        now: { endsAt, comment: 'after', createdBy: 'you', startsAt: old.startsAt },
      });
    });

    it.each([
      ['past', -10 * MINUTE, 'active'],
      ['future', 10 * MINUTE, 'pending'],
    ])('creates another silence for a start in another second of the %s', async (_, offset, became) => {
      const result = await update(await active(), { startsAt: iso(offset) });
      expect(result).toMatchObject({ same: false, old: 'expired', now: { status: { state: became } } });
      if (became === 'active') near(result.now.startsAt);
    });

    it('moves a pending silence, and creates another for an expired one', async () => {
      const times = { startsAt: iso(HOUR), endsAt: iso(2 * HOUR) };
      const old = await read(await postSilence(url(), { ...base, matchers: unique(), ...times }));
      const moved = await update(old, { startsAt: iso(30 * MINUTE) });
      expect(moved).toMatchObject({ same: true, now: { status: { state: 'pending' } } });
      await wire(url(), `/api/v2/silence/${old.id}`, { method: 'DELETE' });
      const expired = await read(old.id);
      expect(expired.startsAt).toBe(expired.endsAt);
      expect(await update(expired, { endsAt: iso(HOUR) })).toMatchObject({ same: false, old: 'expired' });
    });

    it('creates another silence for other matchers, or the same in another order', async () => {
      const other = await update(await active(), { matchers: unique() });
      expect(other).toMatchObject({ same: false, old: 'expired', now: { status: { state: 'active' } } });
      const old = await active();
      expect(await update(old, { matchers: old.matchers.toReversed() })).toMatchObject({ same: false, old: 'expired' });
    });

    it.each([
      ['an expression that is none', [{ name: 'a', value: '(', isRegex: true }]],
      ['a label name that is none', [{ name: 'a-b', value: 'c', isRegex: false }]],
      ['what matches everything', [{ name: 'a', value: '', isRegex: false }]],
    ])('with %s is refused, and expires the silence all the same', async (_, matchers) => {
      const old = await active();
      const answer = await postJson(url(), '/api/v2/silences', { ...old, matchers });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([400, expect.stringMatching(/\S/)]);
      expect(await state(old.id)).toBe('expired');
    });
  });

  describe('the list', () => {
    it('has active silences by end, then pending ones by start, then expired ones, the newest first', async () => {
      const [matcher] = unique();
      const post = async (comment: string, starts: number, ends: number): Promise<string> =>
        await postSilence(url(), {
          matchers: matcher === undefined ? [] : [matcher],
          comment,
          startsAt: iso(starts),
          endsAt: iso(ends),
        });
      await post('pending late', 2 * HOUR, 3 * HOUR);
      await post('active late', 0, 2 * HOUR);
      const ended = [await post('expired first', 0, HOUR), await post('expired last', 0, HOUR)];
      await post('pending soon', HOUR, 9 * HOUR);
      await post('active soon', 0, MINUTE);
      for (const id of ended) {
        await wire(url(), `/api/v2/silence/${id}`, { method: 'DELETE' });
        // Ends are compared in full, but shown in milliseconds: the next one must be later.
        const end = Date.parse((await read(id)).endsAt);
        await expect.poll(() => Date.now() > end, { interval: 1 }).toBe(true);
      }
      const list = await getJson<Silence[]>(url(), `/api/v2/silences?filter=case%3D${matcher?.value}`);
      const order = 'active soon, active late, pending soon, pending late, expired last, expired first';
      expect(list.map(({ comment }) => comment).join(', ')).toBe(order);
    });
  });
});
