/** Every command there is: the tests of this folder are made by walking this list. */
import { type Command, type Group, loadCommands } from '../../src/cli/command.ts';
import { GROUPS } from '../../src/features/index.ts';

export interface Registered {
  readonly group: Group;
  readonly command: Command;
  /** What is typed after the group's name. */
  readonly typed: string;
}

export const REGISTERED: readonly Registered[] = (
  await Promise.all(
    GROUPS.map(async (group) =>
      (
        await loadCommands(group)
      ).map((command): Registered => ({ group, command, typed: command.id.slice(group.name.length + 1) })),
    ),
  )
).flat();
