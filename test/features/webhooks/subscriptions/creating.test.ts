/** What an answer to a create lacks costs neither the secret nor the truth. */
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import type { Recordings } from '../../../../src/features/webhooks/api.ts';
import type { Subscription } from '../../../../src/features/webhooks/schema.ts';
import { createSubscription } from '../../../../src/features/webhooks/subscriptions/creating.ts';
import type { Secret } from '../../../../src/http/redact.ts';

const URL_A = 'https://a.example/';
const DRAFT = { url: URL_A, events: ['summary.completed'] };
const made = (id: string): Subscription => ({ id, url: URL_A, events: ['summary.completed'], status: 1 });

/** A service that answers a create so, and whose list has these afterwards. */
function service(answer: Record<string, unknown> | SvcError, after: readonly Subscription[]): Recordings {
  let posted = false;
  const never = async (): Promise<never> => {
    throw new Error('not expected');
  };
  return {
    subscriptions: async () => (posted ? after : []),
    async create() {
      posted = true;
      if (answer instanceof SvcError) throw answer;
      return answer;
    },
    update: never,
    delete: never,
    takeBack: never,
    test: never,
    deliveries: never,
    answer: never,
    async *samples() {},
    clockSkewMs: undefined,
    close: async () => {},
  };
}

async function create(recordings: Recordings, keep?: (secret: Secret, id: string) => Promise<void>) {
  const stored: string[] = [];
  const created = await createSubscription(DRAFT, recordings, {
    dryRun: false,
    allowDuplicate: false,
    notice: () => {},
    runToEnd: (work) => work(),
    keep: keep ?? (async (secret, id) => void stored.push(`${id} ${secret.reveal()}`)),
  }).catch((error: unknown) => error);
  return { created, stored };
}

describe('a response that lacks', () => {
  test('nothing', async () => {
    const answer = { endpoint_id: 'ep_1', secret: 'whsec_1', url: URL_A, events: ['summary.completed'], status: 1 };
    const { created, stored } = await create(service(answer, [made('ep_1')]));
    expect(stored).toEqual(['ep_1 whsec_1']);
    expect(created).toMatchObject({ id: 'ep_1', fault: undefined, answer: { endpoint_id: 'ep_1', url: URL_A } });
    expect((created as { answer: object }).answer).not.toHaveProperty('secret');
  });

  test('an event that is a string', async () => {
    const answer = { endpoint_id: 'ep_1', secret: 'whsec_1', events: [JSON.parse('{"toString":1}')] };
    const { created, stored } = await create(service(answer, [made('ep_1')]));
    expect(stored).toEqual(['ep_1 whsec_1']);
    expect(created).toMatchObject({
      id: 'ep_1',
      fault: { exit: 8, message: 'events are [{"toString":1}], expected [summary.completed]' },
    });
  });

  test.each([
    [{ secret: 'whsec_1' }],
    [{ secret: 'whsec_1', endpoint_id: 7 }],
    [{ secret: 'whsec_1', endpoint_id: '' }],
  ])('the id: %j is stored under the id in the list, and reported as not as requested', async (answer) => {
    const { created, stored } = await create(service(answer, [made('ep_9')]));
    expect(stored).toEqual(['ep_9 whsec_1']);
    expect(created).toMatchObject({ id: 'ep_9', fault: { exit: 8 } });
  });

  test('the secret: exit 8, nothing stored', async () => {
    for (const answer of [
      { endpoint_id: 'ep_1' },
      { endpoint_id: 'ep_1', secret: '' },
      { endpoint_id: 'ep_1', secret: 5 },
    ]) {
      const { created, stored } = await create(service(answer, [made('ep_1')]));
      expect([created, stored]).toMatchObject([
        { exit: 8, message: 'ep_1 was created, but the response has no secret, and the secret cannot be fetched' },
        [],
      ]);
    }
  });

  test('some of the events: stored and reported', async () => {
    const { created, stored } = await create(service({ endpoint_id: 'ep_1', secret: 'whsec_1', events: [] }, []));
    expect(stored).toHaveLength(1);
    expect(created).toMatchObject({ fault: { exit: 8, message: 'events are [], expected [summary.completed]' } });
  });
});

test('a secret that cannot be stored: exit 8, without the secret', async () => {
  const full = async (): Promise<never> => {
    throw new SvcError('file_unusable', 'cannot write key: no space left on device');
  };
  const { created } = await create(service({ endpoint_id: 'ep_1', secret: 'whsec_1' }, []), full);
  expect(created).toMatchObject({
    exit: 8,
    message: 'ep_1 was created, but its secret could not be stored: cannot write key: no space left on device',
    hint: 'svc webhooks delete ep_1, then create it again',
  });
});

test('several new subscriptions of the address: all are named, none is changed', async () => {
  const lost = new SvcError('outcome_unknown', 'POST: the connection broke; it may have been applied');
  const { created } = await create(service(lost, [made('ep_1'), made('ep_2')]));
  expect(created).toMatchObject({
    exit: 8,
    message: expect.stringContaining('several new subscriptions have this url: ep_1, ep_2'),
  });
});

test('recognizes an orphan even if the service writes its address differently', async () => {
  const lost = new SvcError('outcome_unknown', 'POST: the connection broke; it may have been applied');
  const { created } = await create(service(lost, [{ ...made('ep_1'), url: 'https://A.example' }]));
  expect(created).toMatchObject({
    exit: 8,
    message: expect.stringContaining('ep_1 was created, but its secret was lost'),
  });
});
