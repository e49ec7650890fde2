import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../../../src/sandbox/alerts/server.ts';
import { getJson, postAlerts } from '../../../support/alertmanager.ts';
import { svc } from '../../../support/svc.ts';

type Labels = Readonly<Record<string, string>>;
interface Stored {
  readonly fingerprint: string;
  readonly labels: Labels;
  readonly status: { readonly silencedBy: readonly string[] };
}

const spell = ({ alertname, host, disk }: Labels): string => [alertname, host, disk].join('|');

const alertSet: fc.Arbitrary<Labels> = fc
  .record(
    {
      alertname: fc.constantFrom('A', 'B'),
      host: fc.constantFrom('a', 'b'),
      disk: fc.constantFrom('x', 'y'),
      severity: fc.constant('critical'),
    },
    { requiredKeys: ['severity'], noNullPrototype: true },
  )
  .map((labels) => labels as Labels);

/** What a silence would mute, in the plainest terms. */
function wouldMute(chosen: Labels, other: Labels): boolean {
  return Object.entries(chosen).every(([name, value]) => other[name] === value);
}

it('svc silences ack mutes exactly the given alerts, or is refused', async () => {
  const counts = { muted: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(alertSet, { minLength: 1, maxLength: 8, selector: spell }),
      fc.infiniteStream(fc.boolean()),
      async (sets, coins) => {
        const server = await startAlertmanagerEmulator({ now: Date.now });
        try {
          await postAlerts(
            server.url,
            sets.map((labels) => ({ labels })),
          );
          const firing = await getJson<Stored[]>(server.url, '/api/v2/alerts');
          expect(firing).toHaveLength(sets.length);
          const picked = firing.filter(() => coins.next().value === true);
          const chosen = picked.length === 0 ? firing.slice(0, 1) : picked;
          const others = firing.filter((alert) => !chosen.includes(alert));
          const isNameless = chosen.some(({ labels }) => labels['alertname'] === undefined);
          const reached = others.filter(({ labels }) => chosen.some((one) => wouldMute(one.labels, labels)));
          const isRefused = isNameless || reached.length > 0;
          counts[isRefused ? 'refused' : 'muted']++;

          const fingerprints = chosen.map(({ fingerprint }) => fingerprint);
          const url = ['--base-url', server.url];
          const run = await svc(['silences', 'ack', ...fingerprints, '-o', 'json', ...url]);

          const after = await getJson<Stored[]>(server.url, '/api/v2/alerts');
          const muted = after.filter(({ status }) => status.silencedBy.length > 0).map((alert) => alert.fingerprint);
          expect([run.code, muted.sort()]).toEqual(isRefused ? [3, []] : [0, [...fingerprints].sort()]);
          const named = isNameless || reached.length > 3 ? [] : reached;
          for (const { fingerprint } of named) expect(run.stderr).toContain(fingerprint.slice(0, 8));
        } finally {
          await server.close();
        }
      },
    ),
    { numRuns: 240 },
  );
  expect(Math.min(counts.muted, counts.refused)).toBeGreaterThan(20);
});
