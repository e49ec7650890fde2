import { expect, test } from 'vitest';
import { formatError } from '../../src/cli/failure.ts';
import { SvcError } from '../../src/errors.ts';
import { formatNotice } from '../../src/output/terminal.ts';

const error = new SvcError('refused', 'the service says: \x1b[2J\nsvc: all is well\u202e', {
  hint: 'run svc alerts list',
  httpStatus: 400,
});

test('a failure has two lines, whatever the service wrote', async () => {
  expect(await formatError(error, { json: false, color: 0 })).toBe(
    'svc: the service says: \\x1b[2J\\nsvc: all is well\\u202e\nhint: run svc alerts list\n',
  );
});

test('without a hint it is one line, and color stays at the labels', async () => {
  const text = await formatError(new SvcError('timeout', 'no answer in 30s'), { json: false, color: 1 });
  expect(text).toBe('\x1b[31msvc:\x1b[39m no answer in 30s\n');
});

test('in JSON it is one line with the whole report', async () => {
  const line = await formatError(error, { json: true, color: 1 });
  expect(line).toMatch(/^[^\n\x1b\u202e]*\n$/);
  expect(JSON.parse(line)).toEqual({
    error: {
      code: 'refused',
      message: error.message,
      hint: 'run svc alerts list',
      http_status: 400,
      exit: 3,
      retryable: false,
    },
  });
});

test('a notice is one line', () => {
  expect(formatNotice('3 shown\r\n12 hidden')).toBe('3 shown\\r\\n12 hidden\n');
});
