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

describe('escapeMarkdown', () => {
  it('preserves the text', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(read(escapeMarkdown(text))).toBe(text.replace(/\s+/g, ' ').trim());
      }),
    );
  });

  it('leaves no active Markdown', () => {
    fc.assert(
      fc.property(text, (text) => {
        const bare = escapeMarkdown(text).replace(/\\[!-/:-@[-`{-~]/g, ' ');
        expect(bare).not.toMatch(/[\\`*[\]<>|$~]|^[#+=-]|^\d+[.)]|(?<![A-Za-z0-9])_[A-Za-z0-9]|&#?\w+;/);
      }),
    );
  });

  it('does not change names', () => {
    expect(escapeMarkdown('SVC_ALERTS_URL, event_type & web-1')).toBe('SVC_ALERTS_URL, event_type & web-1');
  });
});

describe('code', () => {
  it('fences any text with a longer fence', () => {
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

it('escapes a bar in a cell, inside and outside code', () => {
  expect(markdownTable(['a', 'b'], [[code('x|y'), escapeMarkdown('p|q')]])).toBe(
    '| a | b |\n|---|---|\n| `x\\|y` | p\\|q |',
  );
});

it('turns lines into paragraphs, several names into a list, and commands into code', () => {
  const written = paragraphs(
    'Its traps:\nlost-create: no answer\nrate-429: *too often*\nfish: alone\n\nsvc completion fish > x',
  );
  expect(written).toContain('Its traps:\n\n- `lost-create`: no answer\n- `rate-429`: \\*too often\\*\n');
  expect(paragraphs('one: alone\nTwo')).toBe('one: alone\n\nTwo');
  expect(paragraphs('svc completion fish > x')).toBe('```sh\nsvc completion fish > x\n```');
});
