import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, escapeMarkdown, markdownTable, paragraphs } from '../../../scripts/reference/markdown.ts';

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('*', '_', '`', '|', '\\', '<b>', '&amp;', '$x$', '# ', '1. ', '~~', '[a](b)'),
      fc.string(),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''));

/** As CommonMark reads text in which nothing but escapes means anything. */
const read = (markdown: string): string => markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');

describe('text in Markdown', () => {
  it('is the same text when it is read', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(read(escapeMarkdown(text))).toBe(text.replace(/\s+/g, ' ').trim());
      }),
    );
  });

  it('has no active Markdown', () => {
    fc.assert(
      fc.property(text, (text) => {
        const bare = escapeMarkdown(text).replace(/\\[!-/:-@[-`{-~]/g, ' ');
        expect(bare).not.toMatch(/[\\`*[\]<>|$~]|^[#+=-]|^\d+[.)]|(?<![A-Za-z0-9])_[A-Za-z0-9]|&#?\w+;/);
      }),
    );
  });
});

describe('code in Markdown', () => {
  it('has a fence longer than any in it', () => {
    fc.assert(
      fc.property(text, (text) => {
        fc.pre(text !== '');
        const [, fence = '', inner = ''] = /^(`+)(.*?[^`])\1$/s.exec(code(text)) ?? [];
        expect(fence).not.toBe('');
        const shown = /^ .*[^ ].* $/s.test(inner) ? inner.slice(1, -1) : inner;
        expect(shown).toBe(text);
      }),
    );
  });
});

it('a bar in a cell is escaped, inside and outside code', () => {
  expect(markdownTable(['a', 'b'], [[code('x|y'), escapeMarkdown('p|q')]])).toBe(
    '| a | b |\n|---|---|\n| `x\\|y` | p\\|q |',
  );
});

it('lines become paragraphs, several names a list, and commands code', () => {
  const written = paragraphs(
    'Its traps:\nlost-create: no answer\nrate-429: *too often*\nfish: alone\n\nsvc completion fish > x',
  );
  expect(written).toContain('Its traps:\n\n- `lost-create`: no answer\n- `rate-429`: \\*too often\\*\n');
  expect(paragraphs('one: alone\nTwo')).toBe('one: alone\n\nTwo');
  expect(paragraphs('svc completion fish > x')).toBe('```sh\nsvc completion fish > x\n```');
});
