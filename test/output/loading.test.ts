import { describe, expect, it } from 'vitest';
import { nodesOf, syntaxTree } from '../structure/source.ts';

/** The packages that a file imports at its top, types left out. */
function packagesOf(file: string): readonly string[] {
  return [...nodesOf(syntaxTree(file))]
    .filter(({ type, importKind }) => type === 'ImportDeclaration' && importKind !== 'type')
    .map(({ source }) => String((source as { value?: unknown }).value))
    .filter((source) => !source.startsWith('.') && !source.startsWith('node:'));
}

describe('the renderings', () => {
  it.each(['formats', 'table', 'render', 'watch', 'shape', 'terminal'])(
    '%s loads no package before it needs it',
    (name) => {
      expect(packagesOf(`output/${name}.ts`)).toEqual([]);
    },
  );
});
