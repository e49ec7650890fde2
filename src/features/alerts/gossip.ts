/** Whether the members of an HA cluster know each other, by what each says of its peers. */
import type { Status } from './schema.ts';

export interface MemberStatus {
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
