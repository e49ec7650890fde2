/** Products that a user said are the same: a file of pairs, which commands read as one product. Every id is in some pair. */
import type { RunContext } from '../../cli/command.ts';
import { FILE, type Flag } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { tryParseJson } from '../../json-object.ts';

export const MATCHES_FLAG = { ...FILE, help: 'Join products that this file matches' } as const satisfies Flag;

/** For the details of each command that has `--matches`. */
export const MATCHES_DETAILS =
  '--matches reads the products that a file of svc catalog match --save joins as one, under the id that was asked for; in JSON, matched_product_id is the id of the product that a row is of.';

/** A line of the file. It may have more fields, for people. */
export interface Match {
  readonly product: string;
  readonly match: string;
}

/** The id itself, and then all products that are the same as it. */
export type Members = (id: string) => readonly string[];

export async function membersIn(
  { matches: path }: { readonly matches: string | undefined },
  ctx: Pick<RunContext, 'readInput'>,
): Promise<Members | undefined> {
  if (path === undefined) return undefined;
  return membersOf(parseMatches(Buffer.from(await ctx.readInput(path)).toString('utf8'), path));
}

/** A match of a match is one, too. */
export function membersOf(matches: readonly Match[]): Members {
  const neighbors = new Map<string, string[]>();
  for (const { product, match } of matches) {
    neighbors.set(product, [...(neighbors.get(product) ?? []), match]);
    neighbors.set(match, [...(neighbors.get(match) ?? []), product]);
  }
  return (id) => {
    const members = new Set([id]);
    for (const member of members) for (const other of neighbors.get(member) ?? []) members.add(other);
    return [...members];
  };
}

/** One JSON object per line. Throws `invalid_value`, with the number of the line. */
export function parseMatches(text: string, path: string): readonly Match[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const match = parsedMatch(line);
    if (match !== undefined) return [match];
    throw new SvcError('invalid_value', `${path}, line ${index + 1}: this is not a match of two products`, {
      hint: 'each line is {"product": "<id>", "match": "<id>"}, as svc catalog match --save writes it',
    });
  });
}

function parsedMatch(line: string): Match | undefined {
  const value = tryParseJson(line) as Partial<Match> | null | undefined;
  const isMatch = [value?.product, value?.match].every((id) => typeof id === 'string' && id !== '');
  return isMatch ? (value as Match) : undefined;
}
