/** The spinner: what a terminal shows while a service is waited for. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Spinner } from '../../src/cli/notices.ts';
import { MemoryStream } from '../output/rendering.ts';

const CLEAR = '\r\u001b[K';

describe('a spinner', () => {
  let time = 0;
  let out: MemoryStream;
  let spinner: Spinner;
  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= 100) {
      time += 100;
      vi.advanceTimersByTime(100);
    }
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    time = 0;
    out = new MemoryStream();
    spinner = new Spinner(out, () => time, false);
  });
  afterEach(() => {
    spinner.end();
    vi.useRealTimers();
  });

  it('appears after half a second, with the host and the seconds', () => {
    spinner.begin('alerts.example.com:9093');
    pass(400);
    expect(out.text).toBe('');
    pass(100);
    expect(out.text).toBe('\r⠋ alerts.example.com:9093  1 s\u001b[K');
    pass(2_500);
    expect(out.writes.at(-1)).toMatch(/^\r[⠋-⠿] alerts\.example\.com:9093 {2}3 s/);
  });

  it('treats consecutive requests as one wait, and disappears when none is in flight', () => {
    const over = spinner.begin('a');
    pass(400);
    over();
    const last = spinner.begin('b');
    pass(100);
    expect(out.writes.at(-1)).toContain(' b  1 s');
    last();
    pass(100);
    expect(out.writes.at(-1)).toBe(CLEAR);
    const { length } = out.writes;
    pass(5_000);
    expect(out.writes).toHaveLength(length);
  });

  it('uses ASCII in an ASCII locale', () => {
    spinner = new Spinner(out, () => time, true);
    spinner.begin('a');
    pass(900);
    expect(out.text).toMatch(/^(\r[-|/\\] a {2}1 s\u001b\[K)+$/);
  });

  it('draws nothing during a prompt and after its end', () => {
    spinner.begin('a');
    const resume = spinner.pause();
    pass(2_000);
    expect(out.text).toBe('');
    resume();
    pass(100);
    expect(out.writes.at(-1)).toContain(' a  2 s');
    spinner.end();
    expect(out.writes.at(-1)).toBe(CLEAR);
    const { length } = out.writes;
    spinner.begin('b');
    pass(2_000);
    expect(out.writes).toHaveLength(length);
  });
});
