/** `-o yaml`: YAML 1.2 whose plain strings mean the same to readers of YAML 1.1. No anchors. */
import type { Tags } from 'yaml';
import type { BatchWriter } from './batch-writer.ts';
import { escapeYaml, needsYamlQuotes } from './escape.ts';
import type { Printed, Subject } from './subject.ts';
import type { OutputOptions } from './types.ts';

export async function renderYaml(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const toYaml = await serializer();
  if (subject.kind !== 'list') {
    await out.write(toYaml(subject.kind === 'text' ? subject.text : subject.value));
    return { rows: 1 };
  }
  let rows = 0;
  for await (const row of subject.rows) {
    if (out.closed) break;
    const full = out.write(toYaml([row ?? null]));
    if (full !== undefined) await full;
    rows++;
  }
  if (rows === 0) await out.write('[]\n');
  return { rows };
}

async function serializer(): Promise<(value: unknown) => string> {
  const { Document, Scalar, visit } = await import('yaml');
  // A plain `=` is a value of its own type to readers of YAML 1.1, and PyYAML refuses the file.
  const equals = {
    tag: 'tag:yaml.org,2002:value',
    default: true,
    test: /^=$/,
    resolve: (text: string) => text,
  } as const;
  const schema = {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: (tags: Tags) => tags.concat(equals),
  } as const;
  const style = { lineWidth: 0, blockQuote: 'literal', doubleQuotedAsJSON: true } as const;
  return (value) => {
    const document = new Document(value, schema);
    const text = document.toString(style);
    if (!needsYamlQuotes(text)) return text;
    visit(document, {
      Scalar(_key, node) {
        if (typeof node.value === 'string' && needsYamlQuotes(node.value)) node.type = Scalar.QUOTE_DOUBLE;
      },
    });
    return escapeYaml(document.toString(style));
  };
}
