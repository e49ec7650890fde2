import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../../src/features/webhooks/commands/sign.ts';
import { deliveryHeaders, eventBytes, sampleEvent } from '../../../../src/features/webhooks/sending/sample-event.ts';
import { signatureOf } from '../../../../src/features/webhooks/signature.ts';
import { displayWidth } from '../../../../src/output/terminal.ts';
import { type RunOptions, svc } from '../../../support/svc.ts';
import { recorded, SECRET } from '../vectors.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 3);
const made = { now: () => Date.UTC(2026, 0, 1), random: () => 0 };
const PING = sampleEvent('webhook.ping', { ...made, id: 'evt_1' });
const SUMMARY = sampleEvent('summary.completed', { ...made, id: 'evt_2' });

const show = (stdin: unknown, args: readonly string[] = [], options: RunOptions = {}) =>
  svc(['webhooks', 'inspect', ...args], {
    now: () => NOW,
    stdin: typeof stdin === 'string' || stdin instanceof Uint8Array ? stdin : JSON.stringify(stdin),
    ...options,
  });

const withData = (data: unknown, type = 'summary.completed') => ({ ...PING, type, data });

function signedHeaders(key: string, body: Uint8Array) {
  const timestamp = '1767225600';
  const signature = signatureOf(key, timestamp, body);
  return deliveryHeaders({ timestamp, signature, type: 'webhook.ping', deliveryId: 'dlv_1' });
}

function delivery(body: Uint8Array, key = SECRET): Uint8Array {
  const headers = signedHeaders(key, body);
  return httpRequest(new URL('http://h/'), headers, body);
}

const recording = (...bodies: readonly Uint8Array[]): string =>
  bodies.map((body) => recorded(Buffer.from(body), { headers: signedHeaders(SECRET, body) })).join('');

describe('svc webhooks inspect', () => {
  it('shows the contents of a summary', async () => {
    const { code, stdout, stderr } = await show(SUMMARY);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `ID          evt_2
TYPE        summary.completed
CREATED     2026-01-01T00:00:00Z
SIGNATURE   none: not a delivery
AUDIO       aud_aaaaaaaaaaaa
REPORT      rpt_aaaaaaaaaaaa
STATUS      2
TITLE       Weekly release meeting
DURATION    00:25
RECORDED    2025-12-31T23:50:00Z
TRANSCRIPT  99 characters, language en, 2 segments
            00:00 Zoë: Good morning everybody. Shall we start with the release?
            00:06 Marek: The build is green. It ships on Thursday 👍
SUMMARIES   Summary (format: markdown, template: Meeting)
            # Weekly release meeting

            - The release ships on **Thursday**.
            - Zoë tells support.
`,
    );
  });

  it('says what the service left out', async () => {
    const cut = await show(withData({ audio_id: 'a', transcript: { text: 'x'.repeat(812_345), truncated: true } }));
    expect(cut.stdout).toContain('812345 characters, truncated by the service\n');
    expect(cut.stdout).toContain(`${'x'.repeat(812_345)}\n`);
    expect((await show(withData({ audio_id: 'a' }))).stdout).not.toMatch(/TRANSCRIPT|SUMMARIES/);
    expect((await show(PING)).stdout).not.toMatch(/TRANSCRIPT|SUMMARIES|DATA/);
  });

  it('shows segments in full with their time, and summaries as text', async () => {
    const segments = [{ speaker: 'S', start: 4350, text: 'x'.repeat(600) }, { speaker: 'T', start: 7.9 }, 'no more'];
    const summaries = [{ label: 'Old', content: '<script>alert(1)</script>', format: 'html' }, 'a text'];
    const { stdout } = await show(withData({ transcript: { text: '', segments }, summaries }));
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines).toEqual(expect.arrayContaining([`1:12:30 S: ${'x'.repeat(600)}`, '00:07 T:', '--:-- -: no more']));
    expect(lines).toEqual(expect.arrayContaining(['<script>alert(1)</script>', 'a text']));
  });

  it('shows unknown fields', async () => {
    const { stdout } = await show(withData({ audio_id: 'a', later: { b: [1] }, duration_ms: 'long', transcript: 3 }));
    expect(stdout).toContain('DATA       later: {"b":[1]}\n           duration_ms: "long"\n           transcript: 3\n');
    expect((await show(withData({ hello: 'x' }, 'tomorrow.new'))).stdout).toContain('DATA       hello: "x"\n');
    expect((await show('{"data":{}}')).stdout).toContain('ID         -\n');
  });

  it('fits any width, and shows no text of an event as a field', async () => {
    const data = {
      title: 'fine\nID  evt_fake',
      summaries: [{ label: 'a\nTYPE  b', content: 'x\nID        evt_fake\n\x1b[1A\u202e', format: 'm\nn' }],
      transcript: { text: '', segments: [{ speaker: 'a\nID  evt_fake', start: 1, text: 'b\r\nID  evt_fake' }] },
    };
    for (const terminal of [40, 80, 200]) {
      const stdin = JSON.stringify(withData(data));
      const { stdout } = await show(stdin, [], { terminal, stdin, env: { NO_COLOR: '1' } });
      for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(terminal);
      expect(stdout.match(/^ID\b/gm)).toHaveLength(1);
      expect(stdout).not.toMatch(/^ID +evt_fake/m);
      expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
    }
  });

  it('prints no control sequence of any event', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    const anything = fc.oneof(text, fc.jsonValue(), fc.constant(undefined));
    const data = fc.record({
      audio_id: anything,
      title: anything,
      status: anything,
      recorded_at: anything,
      duration_ms: fc.oneof(fc.double(), anything),
      transcript: fc.oneof(
        anything,
        fc.record({
          text: anything,
          segments: fc.array(fc.record({ speaker: anything, start: anything, text: anything })),
        }),
      ),
      summaries: fc.oneof(
        anything,
        fc.array(fc.record({ label: anything, content: anything, format: anything, template_name: anything })),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.record({ id: anything, type: anything, created_at: anything, data }), async (event) => {
        const { code, stdout, stderr } = await show(event);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/u);
      }),
      { numRuns: 30 },
    );
  });

  it('prints the event as it was received with -o json', async () => {
    const body = '{"id":"evt_1", "n":12345678901234567890, "data":{"title":"\x7f\u202e"}}';
    expect((await show(body, ['-o', 'json'])).stdout).toBe(
      '{"id":"evt_1", "n":12345678901234567890, "data":{"title":"\\u007f\\u202e"}}\n',
    );
    expect((await show(body, ['-o', 'json', '--fields', 'id'])).stdout).toBe('{\n  "id": "evt_1"\n}\n');
    expect((await show(body, ['-q'])).stdout).toBe('evt_1\n');
    const parsed = JSON.parse((await show(delivery(eventBytes(SUMMARY)), ['-o', 'json'])).stdout);
    expect(parsed).toEqual(SUMMARY);
  });
});

describe('several events of svc webhooks inspect', () => {
  const all = [SUMMARY, PING];

  it('are a list, whether they come as an array, as lines or as a recording', async () => {
    const lines = all.map((event) => `${JSON.stringify(event)}\n`).join('');
    for (const stdin of [JSON.stringify(all), lines, recording(eventBytes(SUMMARY), eventBytes(PING))]) {
      const { code, stdout } = await show(stdin);
      expect(code).toBe(0);
      expect(stdout.split('\n').map((line) => line.split(/ +/)[0])).toEqual(['ID', 'evt_2', 'evt_1', '']);
      expect(JSON.parse((await show(stdin, ['-o', 'json'])).stdout)).toEqual(all);
      expect((await show(stdin, ['-o', 'ndjson'])).stdout).toBe(lines);
    }
  });

  it('are selected by id', async () => {
    const { stdout } = await show(all, ['--event-id', 'evt_2']);
    expect(stdout).toContain('TRANSCRIPT');
    const none = await show(all, ['--event-id', 'evt_9']);
    expect(none).toMatchObject({ code: 5, stdout: '', stderr: 'svc: stdin has no event evt_9\n' });
  });
});

describe('the signature of an event of svc webhooks inspect', () => {
  const body = eventBytes(PING);
  const env = { SVC_WEBHOOK_SECRET: SECRET };
  const wrong = { SVC_WEBHOOK_SECRET: 'whsec_wrong' };

  it('is always reported', async () => {
    expect((await show(delivery(body))).stdout).toContain('SIGNATURE  not verified: no secret\n');
    expect(await show(delivery(body), [], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('SIGNATURE  valid, secret 5036e143\n'),
    });
    expect((await show(body, [], { env })).stdout).toContain('SIGNATURE  none: not a delivery\n');
  });

  it('that is invalid hides the event', async () => {
    const run = await show(delivery(body), [], { env: wrong });
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toBe(
      'svc: signature_mismatch: stdin: the event is not shown\nhint: "svc webhooks verify" explains why; without a secret, svc shows it unverified\n',
    );
    expect(await show(delivery(body), ['-o', 'json'], { env: wrong })).toMatchObject({ code: 1, stdout: '' });
  });

  it('is decided for each delivery of a recording', async () => {
    const lines = recording(body, eventBytes(SUMMARY)).split('\n');
    const forged = lines[1]?.replace(/"body_b64":"..../, '"body_b64":"eyAg');
    const run = await show(`${lines[0]}\n${forged}\n`, [], { env });
    expect(run).toMatchObject({ code: 1, stderr: 'stdin:2: signature_mismatch: not shown\n' });
    expect(run.stdout).toContain('evt_1');
    expect(run.stdout).not.toContain('evt_2');
  });
});

describe('an unreadable line of a recording of svc webhooks inspect', () => {
  const good = recording(eventBytes(PING), eventBytes(SUMMARY)).split('\n');
  const broken = `${good[0]}\n{"v":1,"body_b64"\n[]\n${good[1]}\n`;

  it('does not stop the others; the exit status is that of verify', async () => {
    const run = await show(broken);
    expect(run.code).toBe(2);
    expect(run.stdout).toMatch(/evt_1[\s\S]*evt_2/);
    expect(run.stderr).toContain('stdin:3');
    expect(run.stderr).toContain('svc: stdin:2: not a recorded delivery (and 1 more could not be shown)');
    const verified = await svc(['webhooks', 'verify'], {
      now: () => NOW,
      stdin: broken,
      env: { SVC_WEBHOOK_SECRET: SECRET },
    });
    expect(verified.code).toBe(run.code);
  });
});

describe('svc webhooks inspect of input without an event', () => {
  it('exits 2, and names the input', async () => {
    const inputs = ['', 'nope', '[]', '{}', '{"level":"info","msg":"started"}', '1', 'null', '[1]', '"x"'];
    for (const stdin of [...inputs, Buffer.from([0xff, 0x7b])]) {
      const run = await show(stdin);
      expect(run, `${stdin}`).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^svc: stdin/) });
    }
  });
});
