/** `svc webhooks doctor` finds each fault, reports it with its fix, and continues. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/cli/findings.ts';
import { type Run, temporaryHome } from '../../../support/svc.ts';
import { endpointsIn, homeWithSecrets, RECEIVER, type Subscribed, subscribed } from './subscribed.ts';

const findings = ({ stdout }: Run): readonly Finding[] => JSON.parse(stdout) as Finding[];
const found = (run: Run, check: string, subject: string | null = null): Finding | undefined =>
  findings(run).find((one) => one.check === check && one.subject === subject);

async function examine(service: Subscribed, more: readonly string[] = [], home = temporaryHome()): Promise<Run> {
  return service.run(['doctor', '-o', 'json', ...more], { home });
}

describe('svc webhooks doctor', () => {
  it('has a line for each check of a healthy subscription, and exits 0', async () => {
    await using service = await subscribed();
    const id = service.subscribe();
    const home = homeWithSecrets([service.url, id]);
    const run = await examine(service, [], home);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(findings(run).map(({ check, subject, status, fix }) => [check, subject, status, fix])).toEqual([
      ['sign-in', null, 'ok', null],
      ['service', null, 'ok', null],
      ['clock', null, 'ok', null],
      ['quota', null, 'ok', null],
      ['secrets', null, 'ok', null],
      ['status', id, 'ok', null],
      ['events', id, 'ok', null],
      ['url', id, 'ok', null],
      ['deliveries', id, 'ok', null],
    ]);
    expect(run.stdout).not.toContain('whsec_');
    expect(await service.run(['doctor', '-q'], { home })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect((await service.run(['doctor'], { home })).stderr).toBe('0 errors, 0 warnings, 9 ok\n');
  });
});

describe('svc webhooks doctor, for a subscription', () => {
  it('that is disabled, or nearly, reports an error; what may be intended is a warning', async () => {
    await using service = await subscribed();
    const [gone, close, far, silent] = [
      service.subscribe(RECEIVER, ['summary.completed'], 2),
      service.subscribe('https://192.0.2.8/'),
      service.subscribe('https://192.0.2.9/'),
      service.subscribe('https://192.0.2.10/', []),
    ] as const;
    Object.assign(service.account.subscriptions.get(close) ?? {}, { consecutive_failures: 14 });
    Object.assign(service.account.subscriptions.get(far) ?? {}, { consecutive_failures: 13 });
    const run = await examine(service);
    expect(run.code).toBe(1);
    expect(found(run, 'status', gone)).toMatchObject({
      status: 'fail',
      fix: `svc webhooks update ${gone} --url <url>`,
    });
    expect(found(run, 'status', close)).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('14/20 consecutive failed attempts: 1 more failing event can disable it'),
    });
    expect(found(run, 'status', far)).toMatchObject({ status: 'warn', detail: expect.stringContaining('2 more') });
    expect(found(run, 'events', silent)).toMatchObject({
      status: 'warn',
      fix: `svc webhooks update ${silent} --set-event summary.completed`,
    });
    const quiet = await service.run(['doctor', far, '-q']);
    expect([quiet.code, quiet.stdout]).toEqual([0, `secrets\nstatus:${far}\n`]);
  });

  it('with an address that the service can hardly use, or that another one has, says so', async () => {
    await using service = await subscribed();
    const twins = [service.subscribe(), service.subscribe()] as const;
    const [plain, near] = [service.subscribe('http://192.0.2.7/hook'), service.subscribe('https://10.0.0.7/hook')];
    const secret = service.subscribe('https://ann:hunter2@192.0.2.7/hook');
    const run = await examine(service);
    for (const [id, status, detail] of [
      [twins[0], 'warn', `${twins[1]} has the same`],
      [plain, 'fail', 'https:// addresses only'],
      [near, 'warn', 'private network'],
      [secret, 'warn', 'user name or password'],
    ] as const) {
      expect(found(run, 'url', id)).toMatchObject({ status, detail: expect.stringContaining(detail) });
    }
  });

  it('that is missing, exits 5; a full quota is a warning', async () => {
    await using service = await subscribed();
    for (let n = 0; n < 4; n++) service.subscribe(`https://192.0.2.${n}/`);
    const useless = service.subscribe(RECEIVER, [], 2);
    expect((await examine(service, ['ep_x'])).code).toBe(5);
    expect(found(await examine(service), 'quota')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('5/5 used'),
      fix: `svc webhooks delete ${useless}`,
    });
  });

  it('with hostile text, prints one line per check', async () => {
    await using service = await subscribed(['hostile-text']);
    service.subscribe();
    const { stdout, stderr } = await service.run(['doctor'], { terminal: 40, env: { NO_COLOR: '1' } });
    expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    expect(stdout.split('\n').every((line) => line.length <= 40)).toBe(true);
    expect(stdout.match(/^(?:ok|warn|fail)(?= *(?:$| {2}))/gm)).toHaveLength(9);
  });
});

describe('svc webhooks doctor, for stored secrets', () => {
  it('of this service without a subscription, warns', async () => {
    await using service = await subscribed();
    service.subscribe();
    const others = [[null, 'ep_nobody'] as const, ['https://another.example', 'ep_other'] as const];
    const home = homeWithSecrets([service.url, 'ep_1'], [service.url, 'ep_gone'], ...others);
    const listed = await examine(service, [], home);
    expect(findings(listed).filter(({ check }) => check === 'orphan-secret')).toEqual([
      expect.objectContaining({ subject: 'ep_gone', status: 'warn', fix: 'svc webhooks secrets delete ep_gone' }),
    ]);
    expect(endpointsIn(home)).toEqual(['ep_1', 'ep_gone', 'ep_nobody', 'ep_other']);
  });

  it('that are missing, has one line', async () => {
    await using service = await subscribed();
    const [one, two, three] = [
      service.subscribe(),
      service.subscribe('https://192.0.2.8/', ['summary.completed'], 2),
      service.subscribe('https://192.0.2.9/'),
    ] as const;
    const home = homeWithSecrets([service.url, one]);
    const run = await examine(service, [], home);
    expect(run.code).toBe(1);
    expect(findings(run).filter(({ check }) => check === 'secrets')).toEqual([
      {
        check: 'secrets',
        subject: null,
        status: 'warn',
        detail: `2 of 3 not stored by svc (${two}, ${three}): without another copy, their deliveries cannot be verified`,
        fix: 'svc webhooks secrets import <id>',
      },
    ]);
    expect(found(await examine(service, [three], home), 'secrets')?.fix).toBe(`svc webhooks secrets import ${three}`);
    const quiet = await service.run(['doctor', '-q'], { home });
    expect(quiet.stdout).toBe(`secrets\nstatus:${two}\n`);
  });
});

describe('svc webhooks doctor, on this machine', () => {
  it('does not use a folder that others may change', async () => {
    await using service = await subscribed();
    const home = homeWithSecrets();
    chmodSync(join(home, 'config'), 0o777);
    const run = await examine(service, [], home);
    expect([run.code, found(run, 'secrets')?.status, found(run, 'quota')?.status]).toEqual([1, 'fail', 'ok']);
  });

  it('sends nothing without a login, which is one finding', async () => {
    await using service = await subscribed();
    const env = { SVC_WEBHOOKS_TOKEN: undefined } as unknown as Record<string, string>;
    const run = await service.run(['doctor', '-o', 'json', '-v'], { env });
    expect([run.code, run.stderr]).toEqual([1, '']);
    expect(found(run, 'sign-in')).toMatchObject({ status: 'fail', fix: 'svc oauth login' });
    expect(found(run, 'service')).toBeUndefined();
  });

  it('reports an unreachable service as an error, and a wrong clock as a warning', async () => {
    await using service = await subscribed();
    const off = await service.run(['doctor', '-o', 'json'], { env: { SVC_WEBHOOKS_URL: 'http://127.0.0.1:9' } });
    expect([off.code, found(off, 'service')?.status]).toEqual([1, 'fail']);
    const late = await service.run(['doctor', '-o', 'json'], { now: () => Date.now() - 7_550_000 });
    expect(found(late, 'clock')).toMatchObject({ status: 'warn', detail: expect.stringMatching(/ 75[45]\d s behind/) });
  });
});
