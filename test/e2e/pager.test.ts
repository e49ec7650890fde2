/** What is longer than the screen, by way of a pager on a real terminal. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultServer } from '../support/servers.ts';
import { staticServer, wireAlert } from './alerts.ts';
import { HOME } from './binary.ts';
import { named, noTmux, ShellTerminal } from './terminal.ts';

const ROWS = 20;
const COUNT = 60;
const LAST = `Alert${COUNT - 1}`;
/** Prints its options, and reads everything. */
const SCRIPT = join(HOME, 'tell.sh');
const TELL = `SVC_PAGER='sh ${SCRIPT}'`;
const PAGED = /^paged by LESS=/;
/** What all rows have is printed when the pager has ended. */
const isNoNotice = (line: string): boolean => !line.startsWith('common: ');

describe.skipIf(noTmux)(named('a table that is longer than the screen', noTmux), () => {
  let long: FaultServer;
  let short: FaultServer;
  let terminal: ShellTerminal;
  beforeAll(async () => {
    writeFileSync(SCRIPT, `cat >'${join(HOME, 'paged')}'; echo paged by LESS=$LESS\n`);
    const alerts = Array.from({ length: COUNT }, (_, index) => wireAlert(index));
    const hostile = { ...wireAlert(COUNT), labels: { alertname: 'Bad\u001b[2J\u009b', x: '\u202e' } };
    long = await staticServer(JSON.stringify([hostile, ...alerts]));
    short = await staticServer(JSON.stringify(alerts.slice(0, ROWS - 3)));
    terminal = new ShellTerminal(100, ROWS, { SVC_ALERTS_URL: long.url });
  });
  afterAll(async () => {
    terminal?.close();
    await Promise.all([long.close(), short.close()]);
  });

  it('goes through the pager, with options for less and with escaped text', async () => {
    const { lines, status } = await terminal.run(`${TELL} svc alerts list`);
    expect([status, lines.filter(isNoNotice)]).toEqual([0, ['paged by LESS=FRX']]);
    const text = readFileSync(join(HOME, 'paged'), 'utf8');
    expect(text).toContain(LAST);
    expect(text).toContain('Bad\\x1b[2J\\x9b');
    // Colors and nothing else.
    expect(text.replace(/\u001b\[\d*m/g, '')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    expect((await terminal.run(`LESS=-S ${TELL} svc alerts list`)).lines).toContain('paged by LESS=-S');
  });

  it.each([
    ['goes through SVC_PAGER rather than PAGER', `PAGER=false ${TELL} svc alerts list`, true],
    ['goes through PAGER', `${TELL.replace('SVC_PAGER', 'PAGER')} svc alerts list`, true],
    ['is printed directly with an empty SVC_PAGER', `PAGER=false SVC_PAGER= svc alerts list`, false],
    ['is printed directly in CI', `CI=1 ${TELL} svc alerts list`, false],
    ['is printed directly as CSV', `${TELL} svc alerts list -o csv`, false],
    ['is printed directly if the pager cannot start', 'SVC_PAGER=no-such-pager svc alerts list', false],
  ])('%s', async (_name, line, isPaged) => {
    const { lines, status } = await terminal.run(line);
    expect(status).toBe(0);
    expect(lines.some((text) => PAGED.test(text))).toBe(isPaged);
    expect(lines.some((text) => text.includes(LAST))).toBe(!isPaged);
  });

  it('is printed directly if it fits', async () => {
    const { lines } = await terminal.run(`${TELL} svc alerts list --base-url ${short.url} --columns alertname`);
    expect(lines).toHaveLength(ROWS - 2);
    expect(lines).not.toContainEqual(expect.stringMatching(PAGED));
  });

  it.each([
    ['Ctrl-C is the affair of the pager', 'C-c', 0],
    ['SIGTERM ends both', 'SIGTERM', 143],
  ])('%s, and the terminal is as before', async (_name, how, expected) => {
    const { lines: settings } = await terminal.run('stty -a');
    const pager = join(HOME, 'pager.sh');
    writeFileSync(
      pager,
      `stty -echo; trap 'echo caught' INT; trap 'stty echo; exit 1' TERM; cat >/dev/null; echo waiting
      until read -r -t 1 line </dev/tty; do :; done; stty echo; echo left`,
    );
    terminal.begin(`(echo $BASHPID >"${HOME}/pid"; SVC_PAGER='bash ${pager}' exec svc alerts list)`);
    await terminal.showsLines((all) => all.includes('waiting'));
    if (how === 'SIGTERM') process.kill(Number(readFileSync(join(HOME, 'pid'), 'utf8')), how);
    else {
      terminal.press(how);
      await terminal.showsLines((all) => all.some((text) => text.includes('caught')));
      terminal.press('Enter');
    }
    const { lines, status } = await terminal.finish();
    expect([status, lines.includes('left')]).toEqual([expected, expected === 0]);
    expect((await terminal.run('stty -a')).lines).toEqual(settings);
  });
});
