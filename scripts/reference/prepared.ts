/** What the build prepares from the declarations: help and completion, which then start at once, and the manual. */
import { loadCommands } from '../../src/cli/command.ts';
import { completionModel, type Model } from '../../src/cli/completion/model.ts';
import { formatHelp } from '../../src/cli/help.ts';
import { type Aliases, aliasesOf, groupPage } from '../../src/cli/lookup.ts';
import { HELP } from '../../src/cli/reference/help-command.ts';
import { buildCommandTree, commandNode } from '../../src/cli/reference/tree.ts';
import { GROUPS } from '../../src/features/index.ts';
import { manualPages } from './manual.ts';
import { referencePages } from './markdown.ts';

export interface Pages {
  /** `` for svc itself, `alerts`, `alerts list` → the text. */
  readonly help: Readonly<Record<string, string>>;
  readonly aliases: Aliases;
}

export async function preparedPages(): Promise<Pages> {
  const help: Record<string, string> = { '': formatHelp({ kind: 'svc', groups: GROUPS }) };
  const aliases: Record<string, string> = {};
  for (const group of GROUPS) {
    const commands = await loadCommands(group);
    if (!group.single) help[group.name] = formatHelp(await groupPage(group));
    for (const command of commands) help[command.id] = formatHelp({ kind: 'command', command });
    Object.assign(aliases, aliasesOf(group, commands));
  }
  return { help, aliases };
}

/** The pages of docs/reference/, by file name. */
export async function preparedReference(): Promise<Readonly<Record<string, string>>> {
  return referencePages(await buildCommandTree(GROUPS), commandNode(HELP));
}

/** The man pages, by file name. */
export function preparedManual(): Promise<Readonly<Record<string, string>>> {
  return manualPages(GROUPS);
}

export function preparedCompletion(): Promise<Model> {
  return completionModel(GROUPS);
}
