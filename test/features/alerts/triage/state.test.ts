import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../../src/features/alerts/schema.ts';
import { spelled } from '../../../../src/features/alerts/triage/command-lines.ts';
import { screen } from '../../../../src/features/alerts/triage/screen.ts';
import {
  initialState,
  listedAlerts,
  reduce,
  type TriageEvent,
  type TriageState,
} from '../../../../src/features/alerts/triage/state.ts';
import { edited, keyOf, lineOf } from '../../../../src/features/alerts/triage/typing.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const SEVERITIES = ['critical', 'error', 'warning', 'info', 'none', 'odd', undefined];

const ALERT: fc.Arbitrary<Alert> = fc
  .record({
    index: fc.integer({ min: 0, max: 30 }),
    severity: fc.constantFrom(...SEVERITIES),
    minutes: fc.integer({ min: 0, max: 5 }),
    silenced: fc.boolean(),
    team: fc.constantFrom('db', 'web', '\u001b[2J\n\u202e', '磁盘'),
  })
  .map(({ index, severity, minutes, silenced, team }) => ({
    fingerprint: index.toString(16).padStart(16, '0'),
    labels: { alertname: `Alert${index}`, team, ...(severity === undefined ? {} : { severity }) },
    annotations: { summary: `about ${index}`, runbook_url: `https://runbooks.example.com/${index}` },
    receivers: [],
    startsAt: new Date(NOW - minutes * 60_000).toISOString(),
    status: { state: silenced ? 'suppressed' : 'active', silencedBy: silenced ? ['s1'] : [], inhibitedBy: [] },
  }));
const ALERTS = fc.uniqueArray(ALERT, { selector: ({ fingerprint }) => fingerprint, maxLength: 30 });

const KEYS = ['up', 'down', 'j', 'k', 'page-up', 'page-down', 'home', 'end', 'enter', 'escape', 'backspace', 'left'];
const CHARACTERS = ['/', 'a', 's', 'e', 'o', '?', 'q', 'y', 'n', '*', '1', '=', ' ', 't', '磁'];
const EVENT: fc.Arbitrary<TriageEvent> = fc.oneof(
  { weight: 2, arbitrary: ALERTS.map((alerts): TriageEvent => ({ kind: 'read', alerts, at: NOW })) },
  {
    weight: 12,
    arbitrary: fc
      .record({ key: fc.constantFrom(...KEYS, ...CHARACTERS), page: fc.nat(20), hidden: fc.nat(5) })
      .map((fields): TriageEvent => ({ kind: 'key', ...fields })),
  },
  fc.constantFrom<TriageEvent>(
    { kind: 'trouble', reason: 'gone \u001b[31m', at: NOW },
    { kind: 'tick', at: NOW },
    { kind: 'previewed', text: 'team=db', matchers: ['team="db"'], preview: ['matches 3 alerts'] },
    { kind: 'fault', reason: 'no' },
    { kind: 'message', text: 'opened' },
    { kind: 'output', text: 'a line' },
    { kind: 'question', text: 'Expire this silence?' },
    { kind: 'ended', status: 8 },
  ),
);

const START = initialState({
  now: NOW,
  severities: ['critical', 'error', 'warning', 'info', 'none'],
  server: 'alerts.example.com',
  serverOptions: [],
});

function played(events: readonly TriageEvent[], check: (state: TriageState, before: TriageState) => void = () => {}) {
  return events.reduce((before, event) => {
    const state = reduce(before, event);
    check(state, before);
    return state;
  }, START);
}

const press = (key: string): TriageEvent => ({ kind: 'key', key, page: 5, hidden: 0 });

describe('svc alerts triage', () => {
  it('always selects a listed alert, at its position', () => {
    const check = (state: TriageState): void => {
      const listed = listedAlerts(state);
      if (state.view === 'alert') expect(state.selected).toBeDefined();
      else expect(state.selected?.fingerprint).toBe(listed[state.position]?.fingerprint);
    };
    fc.assert(fc.property(fc.array(EVENT, { maxLength: 60 }), (events) => void played(events, check)));
  });

  it('runs a command only after a key, and one at a time', () => {
    const check = (state: TriageState, before: TriageState): void => {
      const runs = state.effects.filter(({ kind }) => kind === 'run');
      expect(runs.length).toBeLessThanOrEqual(1);
      if (runs.length === 0) return;
      expect(state.overlay).toMatchObject({ kind: 'action', output: [] });
      expect(before.overlay?.kind).not.toBe('action');
    };
    let runs = 0;
    const counting = (state: TriageState, before: TriageState): void => {
      check(state, before);
      runs += state.effects.filter(({ kind }) => kind === 'run').length;
    };
    fc.assert(
      fc.property(fc.array(EVENT, { maxLength: 60 }), (events) => void played(events, counting)),
      { numRuns: 300 },
    );
    expect(runs).toBeGreaterThan(0);
  });

  it('ends after a few q or Esc from any state', () => {
    fc.assert(
      fc.property(fc.array(EVENT, { maxLength: 60 }), (events) => {
        const state = played(events);
        const rest: TriageEvent[] = [{ kind: 'ended', status: 0 }, ...Array<TriageEvent>(5).fill(press('escape'))];
        let quits = 0;
        rest.reduce((before, event) => {
          const next = reduce(before, event);
          quits += next.effects.filter(({ kind }) => kind === 'quit').length;
          return next;
        }, state);
        expect(quits).toBeGreaterThan(0);
      }),
    );
  });
});

describe('the screen of svc alerts triage', () => {
  const SIZE = fc.record({ columns: fc.integer({ min: 10, max: 120 }), rows: fc.integer({ min: 3, max: 40 }) });

  it('has no more lines than the terminal, and no control sequence', () => {
    fc.assert(
      fc.property(fc.array(EVENT, { maxLength: 40 }), SIZE, (events, size) => {
        const { lines } = screen(played(events), size);
        expect(lines.length).toBeLessThanOrEqual(size.rows);
        for (const line of lines)
          expect(line.map(({ text }) => text).join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
      }),
    );
  });

  it('shows the selected alert, at any size with a row for it', () => {
    fc.assert(
      fc.property(
        ALERTS.filter((all) => all.length > 0),
        fc.nat(40),
        fc.nat(10),
        (alerts, steps, rows) => {
          const read: TriageEvent = { kind: 'read', alerts, at: NOW };
          const state = played([read, ...Array<TriageEvent>(steps).fill(press('down'))]);
          const texts = screen(state, { columns: 80, rows: 5 + rows }).lines.map((line) =>
            line.map(({ text }) => text).join(''),
          );
          expect(texts.filter((text) => text.startsWith('> '))).toEqual([
            expect.stringContaining(state.selected?.labels['alertname'] ?? ''),
          ]);
        },
      ),
    );
  });

  const textOfScreen = (events: readonly TriageEvent[], columns = 80): readonly string[] =>
    screen(played(events), { columns, rows: 10 }).lines.map((line) => line.map(({ text }) => text).join(''));

  it('shows a question and an outcome below any output', () => {
    const [alert] = fc.sample(ALERT, 1) as [Alert];
    const muted: Alert = { ...alert, status: { ...alert.status, state: 'suppressed', silencedBy: ['s1'] } };
    const output = Array.from(
      { length: 40 },
      (_, index): TriageEvent => ({ kind: 'output', text: `silence ${index}` }),
    );
    const asked: readonly TriageEvent[] = [
      { kind: 'read', alerts: [muted], at: NOW },
      press('e'),
      ...output,
      { kind: 'question', text: 'Expire these 40 silences?' },
    ];
    expect(textOfScreen(asked).slice(-2)).toEqual(['Expire these 40 silences? (y/N)', 'y yes  n no']);
    const ended = textOfScreen([...asked, press('y'), { kind: 'ended', status: 8 }]);
    expect(ended.slice(-3).join(' ')).toMatch(/^outcome unknown: .* Enter or q back$/);
  });

  it('still shows an alert that is resolved meanwhile', () => {
    const [alert] = fc.sample(ALERT, 1) as [Alert];
    const events: readonly TriageEvent[] = [
      { kind: 'read', alerts: [alert], at: NOW },
      press('enter'),
      { kind: 'read', alerts: [], at: NOW },
    ];
    expect(textOfScreen(events).join('\n')).toContain('resolved: the server no longer has it');
    expect(textOfScreen([...events, press('q')])[2]).toContain('no alerts');
  });
});

/** The characters on both sides of the cursor. */
interface Plain {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** What each key does in a plain editor. */
const EDITS: Readonly<Record<string, (line: Plain) => Plain>> = {
  left: ({ left, right }) => ({ left: left.slice(0, -1), right: [...left.slice(-1), ...right] }),
  right: ({ left, right }) => ({ left: [...left, ...right.slice(0, 1)], right: right.slice(1) }),
  home: ({ left, right }) => ({ left: [], right: [...left, ...right] }),
  end: ({ left, right }) => ({ left: [...left, ...right], right: [] }),
  backspace: ({ left, right }) => ({ left: left.slice(0, -1), right }),
  delete: ({ left, right }) => ({ left, right: right.slice(1) }),
  clear: ({ right }) => ({ left: [], right }),
};

describe('a line that is typed', () => {
  it('changes with each key as in a plain editor', () => {
    const keys = fc.array(fc.constantFrom('a', '磁', '😀', ...Object.keys(EDITS)));
    fc.assert(
      fc.property(keys, (pressed) => {
        const wanted = pressed.reduce<Plain>(
          (before, key) => EDITS[key]?.(before) ?? { left: [...before.left, key], right: before.right },
          { left: [], right: [] },
        );
        const { before, after } = pressed.reduce(edited, lineOf(''));
        expect([before, after]).toEqual([wanted.left.join(''), wanted.right.join('')]);
      }),
    );
  });

  it('takes keys by their sequences, and no control character', () => {
    const sequences = ['\u001b[A', '\u001bOB', '\u001b[5~', '\r', '\u007f', '\u001b', 'q', '磁'];
    expect(sequences.map(keyOf).join(' ')).toBe('up down page-up enter backspace escape q 磁');
    expect(['\u001b[99~', '\u001bx', '\u0007', '\u202e', '\u0000'].map(keyOf)).toEqual(Array(5).fill(undefined));
  });
});

it('the command line of a key shows no control character', () => {
  expect(spelled(['silences', 'ack', '1a58', '--comment=\u001b[2J'])).not.toMatch(/[\x00-\x1f]/);
});
