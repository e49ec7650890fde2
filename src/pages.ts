/** Every help page by the words that name it: the build keeps them as texts, so that help starts at once. */
import { commandHelp, groupHelp, rootHelp } from './cli/help.ts';
import { GROUPS } from './registry.ts';

export interface Pages {
  /** `` for svc itself, `alerts`, `alerts list` → the text. */
  readonly help: Readonly<Record<string, string>>;
  /** `alerts ls` → `alerts list`. */
  readonly aliases: Readonly<Record<string, string>>;
}

export async function preparedPages(): Promise<Pages> {
  const help: Record<string, string> = { '': rootHelp(GROUPS) };
  const aliases: Record<string, string> = {};
  for (const group of GROUPS) {
    const { commands } = await group.load();
    if (!group.single) help[group.name] = groupHelp(group, commands);
    for (const command of commands) {
      help[command.id] = commandHelp(command);
      for (const alias of command.aliases ?? []) aliases[`${group.name} ${alias}`] = command.id;
    }
  }
  return { help, aliases };
}
