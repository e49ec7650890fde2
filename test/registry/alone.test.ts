/** Commands that are run without loading the others of their group are the same commands. */
import { expect, it } from 'vitest';
import { GROUPS } from '../../src/features/index.ts';
import { REGISTERED } from './commands.ts';

const ALONE = GROUPS.flatMap(({ name, alone = {} }) =>
  Object.entries(alone).map(([word, load]) => ({ id: `${name} ${word}`, load })),
);

it.each(ALONE)('svc $id', async ({ id, load }) => {
  expect(await load()).toBe(REGISTERED.find(({ command }) => command.id === id)?.command);
});
