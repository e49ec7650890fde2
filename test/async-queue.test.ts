import { expect, test } from 'vitest';
import { AsyncQueue } from '../src/async-queue.ts';

const MIB = 1024 * 1024;

test('delivers every value in order, whether a reader waits or not', async () => {
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

test('a failure follows the values that were queued before it', async () => {
  const queue = new AsyncQueue<string>();
  queue.push('a');
  queue.end(new Error('lost'));
  const events = queue[Symbol.asyncIterator]();
  expect(await events.next()).toEqual({ done: false, value: 'a' });
  await expect(events.next()).rejects.toThrow('lost');
});

test('after it is abandoned, queued values are not read', async () => {
  const queue = new AsyncQueue<string>();
  queue.push('a');
  queue.abandon(new Error('interrupted'));
  expect(queue.size).toBe(0);
  await expect(queue[Symbol.asyncIterator]().next()).rejects.toThrow('interrupted');
});

test('a full queue signals drain when half of it is read', async () => {
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

test('allows one reader', async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  await queue[Symbol.asyncIterator]().next();
  await expect(queue[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'internal' });
});
