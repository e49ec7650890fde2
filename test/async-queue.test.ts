import { expect, test } from 'vitest';
import { AsyncQueue } from '../src/async-queue.ts';

const MIB = 1024 * 1024;

test('hands out all, in order, before and after there is a reader', async () => {
  const queue = new AsyncQueue<number>();
  for (let i = 0; i < 10_000; i++) queue.push(i);
  const read: number[] = [];
  const reading = (async () => {
    for await (const event of queue) read.push(event);
  })();
  await Promise.resolve();
  for (let i = 10_000; i < 20_000; i++) {
    queue.push(i);
    if (i % 100 === 0) await Promise.resolve();
  }
  queue.end();
  queue.push(-1);
  await reading;
  expect(read).toEqual(Array.from({ length: 20_000 }, (_, i) => i));
  expect(queue.size).toBe(0);
});

test('a failure comes after what waited for a reader', async () => {
  const queue = new AsyncQueue<string>();
  queue.push('a');
  queue.end(new Error('lost'));
  const events = queue[Symbol.asyncIterator]();
  expect(await events.next()).toEqual({ done: false, value: 'a' });
  await expect(events.next()).rejects.toThrow('lost');
});

test('abandoned, what waited is not read any more', async () => {
  const queue = new AsyncQueue<string>();
  queue.push('a');
  queue.abandon(new Error('interrupted'));
  expect(queue.size).toBe(0);
  await expect(queue[Symbol.asyncIterator]().next()).rejects.toThrow('interrupted');
});

test('a full one is drained once it is half read', async () => {
  const queue = new AsyncQueue<number>((size) => size, 8 * MIB);
  expect(queue.drained()).toBeUndefined();
  for (let i = 0; i < 9; i++) queue.push(MIB);
  let isDrained = false;
  const drained = queue.drained()?.then(() => {
    isDrained = true;
  });
  const events = queue[Symbol.asyncIterator]();
  for (let i = 0; i < 5; i++) await events.next();
  expect(isDrained).toBe(false);
  await events.next();
  await drained;
  expect(queue.drained()).toBeUndefined();
});

test('the end counts as drained: a reader that went away is not waited for', async () => {
  const queue = new AsyncQueue<number>((size) => size, 8 * MIB);
  queue.push(9 * MIB);
  const drained = queue.drained();
  for await (const _event of queue) break;
  await drained;
  expect(queue.size).toBe(0);
});

test('there is one reader', async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  await queue[Symbol.asyncIterator]().next();
  await expect(queue[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'internal' });
});
