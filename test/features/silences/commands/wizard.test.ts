import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tellCommand } from '../../../../src/cli/wizard.ts';
import { startAlertmanagerEmulator } from '../../../../src/sandbox/alerts/server.ts';
import { getJson, postAlerts, postSilence, wire } from '../../../support/alertmanager.ts';
import { SVC } from '../../../support/executable.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { hasTmux, openTerminal } from '../../../support/terminal.ts';
import { lines, type Sent, sharedService, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;

interface Posted {
  readonly matchers: readonly { readonly name: string; readonly value: string; readonly isRegex: boolean }[];
  readonly startsAt: string;
  readonly endsAt: string;
  readonly comment: string;
}

function posted(sent: readonly Sent[]): Posted {
  const [only, ...more] = writes(sent);
  expect(more).toEqual([]);
  return JSON.parse(only?.body ?? '') as Posted;
}

/** The line that the wizard printed, as a shell reads it, without `svc`. */
function printedCommand(stderr: string): string[] {
  const [, line = ''] = /^Without prompts: svc (.*)$/m.exec(stderr) ?? [];
  return shellArguments(line);
}

function shellArguments(line: string): string[] {
  const text = execFileSync('bash', ['--norc', '-c', `printf '%s\\0' ${line}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return text.toString().split('\0').slice(0, -1);
}

const service = sharedService();

const env = () => ({ SVC_ALERTS_URL: service.url(), SVC_CONFIG_DIR: temporaryHome(), CI: '', NO_PROXY: '*' });
const program = SVC.map((part) => `'${part}'`).join(' ');

describe('the prompts of svc', () => {
  const terminal = 100;
  const ask = (argv: readonly string[], answers: RunOptions['answers'], more: RunOptions = {}) =>
    service.svc(argv, { terminal, answers: answers ?? [], ...more });

  describe('silences create', () => {
    it('ask for a matcher of a firing alert and the comment, and print the line', async () => {
      await postAlerts(
        service.url(),
        [1, 2, 3, 4].map((n) => ({ labels: { alertname: 'Wizard', n: `${n}` } })),
      );
      const run = await ask(['silences', 'create', '--for', '30m'], ['alertname=Wizard', ' ', "it's ok"], {
        answer: true,
      });
      expect(run.code, run.stderr).toBe(0);
      expect(run.asked).toContain('The reason:');
      const silence = posted(run.sent);
      expect(silence).toMatchObject({
        matchers: [{ name: 'alertname', value: 'Wizard', isRegex: false, isEqual: true }],
        comment: "it's ok",
      });
      expect(Date.parse(silence.endsAt) - Date.parse(silence.startsAt)).toBe(HOUR / 2);
      const line = printedCommand(run.stderr);
      expect(line).toEqual(['silences', 'create', '--for', '30m', 'alertname=Wizard', '--comment', "it's ok"]);
      const again = await service.svc([...line, '--yes']);
      expect([again.code, again.asked]).toEqual([0, []]);
      expect(posted(again.sent)).toMatchObject({ matchers: silence.matchers, comment: silence.comment });
      for (const { silenceID } of [run, again].map((one) => ({ silenceID: /ID +(\S+)/.exec(one.stdout)?.[1] }))) {
        await wire(service.url(), `/api/v2/silence/${silenceID}`, { method: 'DELETE' });
      }
    });

    it('ask only for missing values', async () => {
      const comment = await ask(['silences', 'create', 'a=b'], ['why']);
      expect([comment.code, comment.asked]).toEqual([0, ['The reason:']]);
      expect(printedCommand(comment.stderr)).toEqual(['silences', 'create', 'a=b', '--comment', 'why']);
      const nothing = await ask(['silences', 'create', 'a=b', '-c', 'x'], []);
      expect([nothing.code, nothing.asked]).toEqual([0, []]);
      expect(nothing.stderr).not.toContain('Without prompts');
    });
  });

  describe('silences ack', () => {
    it('offer the firing alerts, escaped', async () => {
      await postAlerts(service.url(), [
        { labels: { alertname: 'Evil', host: '\u001b[2J\u202ea' } },
        { labels: { alertname: 'Evil', host: 'b' } },
      ]);
      const isEvil = (name: string) => name.endsWith('Evil host=\\x1b[2J\\u202ea');
      const choose = (_: string, choices: readonly string[]) => choices.filter(isEvil);
      const run = await ask(['silences', 'ack', '--for', '5m'], choose, { answer: true });
      expect([run.code, run.asked[0]]).toEqual([0, 'Fingerprints, or their unambiguous beginnings:']);
      expect(posted(run.sent).matchers).toMatchObject([{ value: 'Evil' }, { value: '\u001b[2J\u202ea' }]);
      expect(printedCommand(run.stderr).join(' ')).toMatch(/^silences ack --for 5m [0-9a-f]{16}$/);
      expect(run.stdout + run.stderr).not.toContain('\u001b[2J');
    });
  });

  describe('silences expire', () => {
    it('offer active and pending silences, and ask', async () => {
      const comment = 'wizard \u001b[31m';
      const matchers = [{ name: 'wizard', value: 'expire', isRegex: false }];
      const first = await postSilence(service.url(), { matchers, comment });
      const choice = `${first}  wizard="expire" wizard \\x1b[31m`;
      const run = await ask(['silences', 'expire'], [[choice]], { answer: true });
      expect([run.code, run.asked]).toEqual([
        0,
        ['Ids, or their unambiguous beginnings (- for standard input):', 'Expire this silence?'],
      ]);
      expect(printedCommand(run.stderr)).toEqual(['silences', 'expire', first, '--yes']);
      expect(lines(writes(run.sent))).toEqual([`DELETE /api/v2/silence/${first}`]);
    });
  });

  it('do not exist without a terminal, in CI, with --no-input, or with a pipe: svc exits 2', async () => {
    const missing = {
      'silences create -c x': 'no matcher',
      'silences create a=b': '--comment',
      'silences ack': '<fingerprint>',
      'silences expire': '<id>',
      'alerts create': 'the alert name is missing',
      'silences create a=b --no-input': '--comment',
    };
    const elsewhere = [
      {},
      { terminal, env: { CI: 'true' } },
      { terminal, env: { SVC_NO_INPUT: '1' } },
      { terminal, stdin: '' },
    ];
    for (const [line, what] of Object.entries(missing)) {
      for (const options of line.endsWith('--no-input') ? [{ terminal }] : elsewhere) {
        const { code, asked, sent, stderr } = await service.svc(line.split(' '), options);
        expect([line, code, asked, sent, stderr]).toEqual([line, 2, [], [], expect.stringContaining(what)]);
      }
    }
  });
});

describe.skipIf(!hasTmux)('svc silences run in a real terminal', () => {
  it('sends Ctrl-C once to the command, which handles it', async () => {
    const script = `n=0; trap 'n=$((n+1)); echo caught $n' INT; trap 'echo over $n; exit 3' TERM; echo pid $$; while :; do sleep 0.05; done`;
    const line = `${program} silences run run=tmux -- bash --norc -c '${script.replaceAll("'", "'\\''")}'`;
    await using terminal = await openTerminal(line, { env: env() });
    const [, pid] = /pid (\d+)/.exec(await terminal.shows(/pid \d+/)) ?? [];
    await terminal.press('C-c');
    await terminal.shows(/caught 1/);
    process.kill(Number(pid), 'SIGTERM');
    expect(await terminal.shows(/\[status 3\]/)).toContain('over 1');
    const filter = encodeURIComponent('run="tmux"');
    const after = await getJson<{ status: { state: string } }[]>(service.url(), `/api/v2/silences?filter=${filter}`);
    expect(after.map(({ status }) => status.state)).toEqual(['expired']);
  });

  it('exits 130 if Ctrl-C ends the command, and expires the silence', async () => {
    await using terminal = await openTerminal(
      `${program} silences run run=ctrlc -- bash -c 'echo ready; exec sleep 60'`,
      {
        env: env(),
      },
    );
    await terminal.shows(/^ready$/m);
    await terminal.press('C-c');
    await terminal.shows(/\[status 130\]/);
    const filter = encodeURIComponent('run="ctrlc"');
    const after = await getJson<{ status: { state: string } }[]>(service.url(), `/api/v2/silences?filter=${filter}`);
    expect(after.map(({ status }) => status.state)).toEqual(['expired']);
  });
});

it('the prompts of svc silences create take a text where nothing can be chosen', async () => {
  const { url, close } = await startAlertmanagerEmulator({ now: () => Date.now(), seed: 'empty' });
  const answers = ['NodeDown', 'team=db', ''];
  const run = await svc(['silences', 'create', '-c', 'why', '--base-url', url], { terminal: 80, answers });
  expect([run.code, run.asked.slice(1)]).toEqual([0, ['Another (Enter for none):', 'Another (Enter for none):']]);
  await close();
});

describe('the line that the prompts print', () => {
  const line = (typed: readonly string[], answered: readonly string[]): string => {
    let text = '';
    tellCommand({ typed, notice: (notice) => (text = notice) }, answered);
    return text.replace('Without prompts: ', '');
  };

  it('has the options before --', () => {
    expect(line(['silences', 'create', '-o', 'json', '--', 'a=b'], ['-c', 'x y'])).toBe(
      "svc silences create -o json -c 'x y' -- a=b",
    );
  });

  it('is read by a shell as it was answered', () => {
    const texts = fc
      .string({ unit: 'binary', maxLength: 12 })
      .filter((text) => !text.includes('\0') && !/\p{Cs}/u.test(text));
    fc.assert(
      fc.property(fc.array(texts, { minLength: 30, maxLength: 60 }), (answered) => {
        const shown = line(['x'], answered);
        // No shell line says a newline at the end of a word.
        if (answered.some((text) => text.endsWith('\n'))) {
          expect(shown).toBe('');
          return;
        }
        expect(shown).not.toMatch(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/u);
        expect(shellArguments(shown)).toEqual(['svc', 'x', ...answered]);
      }),
      { numRuns: 15 },
    );
  });
});
