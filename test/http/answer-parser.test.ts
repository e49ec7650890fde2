import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerParsers } from '../../src/http/answer-parser.ts';

const FIRST =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Fri, 20 Nov 2026 12:00:00 GMT\r\nContent-Length: 8\r\n\r\n';
const SECOND = FIRST.replace('12:00:00', '12:00:01');

const ANSWERS = [
  `${FIRST}{"id":1}`,
  `${FIRST}{"id":2}`,
  `${FIRST}\r\n\r\n{"":0`, // a body that looks like the end of a head
  `${SECOND}{"id":1}`,
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nshort',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"i\r\n0\r\nX-Trailer: t\r\n\r\n',
  `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${FIRST}{"id":3}`,
  `\r\n${FIRST}{"id":4}`,
  'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n""',
  `${FIRST.replace('Date', 'Connection: close\r\nDate')}{"id":5}`,
  `${FIRST.replace('200', '2x0')}{"id":6}`,
];

/** All that a connection is told of the chunks, with the pieces of a body put together. */
function told(chunks: readonly Buffer[]): unknown[] {
  const events: unknown[] = [];
  let body = '';
  const parser = new AnswerParsers().open({
    begin: () => events.push('begin') > 0,
    head: (status, headers, keepAlive, upgrade) =>
      events.push({ status, headers: { ...headers }, keepAlive, upgrade }) > 0,
    body: (chunk) => {
      body += chunk.toString('latin1');
      return true;
    },
    end: () => {
      events.push(body);
      body = '';
      return true;
    },
  });
  for (const chunk of chunks) {
    const fault = parser.execute(chunk);
    if (fault !== undefined) return [...events, body, fault.name];
  }
  return [...events, body];
}

test('an answer is the same whether one like it came before, and in whatever pieces it comes', () => {
  const sequence = fc.array(fc.constantFrom(...ANSWERS), { minLength: 1, maxLength: 8 });
  const cuts = fc.array(fc.nat(600), { maxLength: 3 });
  fc.assert(
    fc.property(sequence, cuts, (answers, cuts) => {
      const bytes = Buffer.from(answers.join(''), 'latin1');
      const ends = [...new Set([...cuts.filter((at) => at < bytes.length), ...endsOf(answers)])].sort((a, b) => a - b);
      const pieces = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)).filter(({ length }) => length > 0);
      // Byte for byte nothing is ever known again.
      expect(told(pieces)).toEqual(told(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))));
    }),
    { numRuns: 300 },
  );
});

/** Where each answer ends. */
function endsOf(answers: readonly string[]): number[] {
  let at = 0;
  return answers.map(({ length }) => (at += length));
}

test('a refusal ends an answer that is known too', () => {
  const answer = Buffer.from(`${FIRST}{"id":1}`);
  for (const refused of ['begin', 'head', 'body', 'end'] as const) {
    const seen: string[] = [];
    let refuse = false;
    const take = (what: string) => () => {
      seen.push(what);
      return !(refuse && what === refused);
    };
    const parser = new AnswerParsers().open({
      begin: take('begin'),
      head: take('head'),
      body: take('body'),
      end: take('end'),
    });
    expect(parser.execute(answer)).toBeUndefined();
    expect(seen.splice(0)).toEqual(['begin', 'head', 'body', 'end']);
    refuse = true;
    expect(parser.execute(answer)).toBeInstanceOf(Error);
    expect(seen.at(-1)).toBe(refused);
  }
});

test('blank lines between answers are never taken for one', () => {
  const empty = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  const chunks = [empty, '\r\n\r', '\r\n\r', empty].map((text) => Buffer.from(text));
  expect(told(chunks).filter((event) => event === 'begin')).toHaveLength(2);
});
