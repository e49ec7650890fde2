/** One request to every member of an HA cluster, and whether the members know each other. */
import { bulk, type Outcome } from '../../cli/bulk.ts';
import type { RunContext } from '../../cli/command.ts';
import { allFailed, commonCode, listOfParts, type Part, partialCode, rowsOfParts } from '../../cli/parts.ts';
import { Plan } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import type { ListOutput } from '../../output/types.ts';
import type { Status } from './schema.ts';

/** The members of the target's cluster, each by itself. */
export function membersOf({ others = [], ...first }: Target): readonly (Target & { readonly host: string })[] {
  return [first, ...others].map((target) => ({ ...target, host: target.baseUrl.host }));
}

/** What each member made of a request, in their order. At least one succeeded. */
export type MemberOutcomes<T> = readonly Outcome<{ readonly host: string }, T>[];

/** Throws if all fail. */
export async function onMembers<M extends { readonly host: string }, T>(
  members: readonly M[],
  work: (member: M) => Promise<T>,
): Promise<MemberOutcomes<Exclude<T, Plan>> | Extract<T, Plan>> {
  const done = await bulk(members, members.length, work);
  if (done instanceof Plan) return done;
  const { outcomes } = done;
  const failed = outcomes.flatMap(({ item, error }) => (error === undefined ? [] : [{ name: item.host, error }]));
  if (failed.length < outcomes.length) return outcomes;
  const [first, ...others] = failed;
  throw others.length === 0 ? first?.error : allFailed(failed);
}

/** `rows` are those of a member that succeeded. */
export function memberAnswer<Row extends object, T>(
  outcomes: MemberOutcomes<T>,
  rows: (result: T) => readonly Row[],
  list: ListOutput<Row>,
  { warn }: Pick<RunContext, 'warn'>,
) {
  const [only, ...others] = outcomes;
  if (only !== undefined && only.error === undefined && others.length === 0)
    return { value: rows(only.result), as: list, code: undefined };
  for (const { item, error } of outcomes) if (error !== undefined) warn(`${item.host}: ${error.message}`);
  const parts = outcomes.map(
    ({ item: { host: name }, ...one }): Part<Row> =>
      one.error === undefined ? { name, rows: rows(one.result) } : { name, error: one.error },
  );
  const codes = outcomes.map(({ error }) => (error === undefined ? undefined : partialCode(error)));
  return { value: rowsOfParts('member', parts), as: listOfParts('member', list), code: commonCode(codes) };
}

interface MemberStatus {
  readonly host: string;
  readonly status: Status;
}

/** What stops members from sharing silences and notifications. */
export function gossipFaults(members: readonly MemberStatus[]): readonly string[] {
  const alone = members.filter(({ status }) => status.cluster?.status === 'disabled');
  const named = members.filter((one) => !alone.includes(one) && one.status.cluster?.name);
  const pairs = named.flatMap((one, index) => named.slice(index + 1).map((other) => [one, other] as const));
  return [
    ...alone.map(({ host }) => `${host} has clustering disabled: it shares neither silences nor notifications`),
    ...pairs.flatMap((pair) => faultOf(...pair) ?? []),
  ];
}

function faultOf(one: MemberStatus, other: MemberStatus): string | undefined {
  const both = `${one.host} and ${other.host}`;
  if (one.status.cluster?.name === other.status.cluster?.name) return `${both} are the same member`;
  if (knows(one, other) && knows(other, one)) return undefined;
  return `${both} are not peers of each other: they share neither silences nor notifications`;
}

function knows({ status }: MemberStatus, { status: { cluster } }: MemberStatus): boolean {
  return status.cluster?.peers?.some(({ name }) => name === cluster?.name) === true;
}
