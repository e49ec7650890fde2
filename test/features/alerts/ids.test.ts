import { expect, it } from 'vitest';
import type { SvcError } from '../../../src/errors.ts';
import { isUuid, parseSilenceId } from '../../../src/features/alerts/api.ts';
import { findAlert, findSilence, isFingerprintPrefix, pickSilence } from '../../../src/features/alerts/ids.ts';
import type { Alert, Silence } from '../../../src/features/alerts/schema.ts';

const silenceOf = (id: string): Silence => ({
  id,
  matchers: [],
  startsAt: '',
  endsAt: '',
  updatedAt: '',
  createdBy: '',
  comment: '',
  status: { state: 'active' },
});
const A = '2f1a0000-0000-4000-8000-000000000001';
const B = '2f1b0000-0000-4000-8000-000000000002';
const C = '77c00000-0000-4000-8000-000000000003';
const silences = [A, B, C].map(silenceOf);

const failure = (run: () => unknown): SvcError => {
  try {
    run();
  } catch (error) {
    return error as SvcError;
  }
  throw new Error('nothing was refused');
};

it('accepts UUIDs in any case, and nothing else', () => {
  expect([A, A.toUpperCase()].map(isUuid)).toEqual([true, true]);
  expect(['', '2f1a', `${A}0`, `x${A}`, A.replaceAll('-', ''), `${A}\n`, A.replace('2', 'g')].filter(isUuid)).toEqual(
    [],
  );
  expect(parseSilenceId(A.toUpperCase())).toBe(A);
  expect(failure(() => parseSilenceId('2f1a'))).toMatchObject({
    code: 'invalid_value',
    message: '"2f1a" is not a silence id',
  });
});

it.each([
  ['77', C],
  ['2F1A', A],
  ['2f1b0000-', B],
  [C.toUpperCase(), C],
])('%s is the prefix of one silence id', (prefix, id) => {
  expect(pickSilence(silences, prefix).id).toBe(id);
});

it('an id that is a prefix of another is not ambiguous', () => {
  const items = [silenceOf(`${A.slice(0, -1)}`), silenceOf(A)];
  expect(pickSilence(items, A.slice(0, -1)).id).toBe(A.slice(0, -1));
});

it('no silence, several silences, and an impossible id', () => {
  expect(failure(() => pickSilence(silences, 'aa'))).toMatchObject({
    code: 'not_found',
    exit: 5,
    message: 'no silence has the id aa',
  });
  expect(failure(() => pickSilence(silences, '2f1'))).toMatchObject({
    code: 'invalid_value',
    exit: 2,
    message: `2 silences begin with 2f1: ${A}, ${B}`,
    hint: 'give more of the id',
  });
  for (const text of ['', '-', 'xyz', `${A}0`, '2f 1a', '../alerts']) {
    expect(failure(() => pickSilence(silences, text))).toMatchObject({ code: 'invalid_value', exit: 2 });
  }
});

it('names only some of many candidates', () => {
  const many = Array.from({ length: 8 }, (_, index) =>
    silenceOf(`${index}${A.slice(1)}`.replace(/^./, `a${index}`).slice(0, 36)),
  );
  const { message } = failure(() => pickSilence(many, 'a'));
  expect(message).toMatch(/^8 silences begin with a: (\S+, ){4}\S+ and 3 more$/);
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

it('reads a complete id directly, a prefix from the list, and nonsense not at all', async () => {
  const calls: string[] = [];
  const source = {
    silence: async (id: string) => {
      calls.push(id);
      return silenceOf(id);
    },
    silences: () => {
      calls.push('list');
      return each(silences);
    },
  };
  expect((await findSilence(source, A)).id).toBe(A);
  expect((await findSilence(source, '77')).id).toBe(C);
  await expect(findSilence(source, 'nonsense')).rejects.toMatchObject({ code: 'invalid_value' });
  expect(calls).toEqual([A, 'list']);
});

it('finds alerts by a prefix of their fingerprint', async () => {
  const alerts = ['1a58c20e00000001', '1a58c20e00000002', 'beef000000000003'].map(
    (fingerprint) => ({ fingerprint }) as Alert,
  );
  const source = { alerts: () => each(alerts) };
  expect((await findAlert(source, 'BEE')).fingerprint).toBe('beef000000000003');
  expect((await findAlert(source, '1a58c20e00000002')).fingerprint).toBe('1a58c20e00000002');
  await expect(findAlert(source, '1a')).rejects.toMatchObject({
    code: 'invalid_value',
    message: '2 alerts begin with 1a: 1a58c20e00000001, 1a58c20e00000002',
  });
  await expect(findAlert(source, 'c')).rejects.toMatchObject({ code: 'not_found' });
  await expect(findAlert(source, 'up')).rejects.toMatchObject({ code: 'invalid_value' });
  expect(['dead', 'BEEF', '1a58c20e00000001'].every(isFingerprintPrefix)).toBe(true);
  expect(['', 'up', '1a58c20e000000011'].some(isFingerprintPrefix)).toBe(false);
});
