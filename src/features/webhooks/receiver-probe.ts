/** What a probe of a receiver is: deliveries, the status that each must be answered with, and the sentence that says so. */
import type { ProbeDelivery, ProbeKit } from './probe-deliveries.ts';
import type { ProbeName } from './probe-names.ts';

/** Which status a response may have. */
export interface Expectation {
  readonly text: string;
  readonly holds: (status: number) => boolean;
}

export interface Probe {
  readonly name: ProbeName;
  /** Of each of its deliveries. */
  readonly expected: Expectation;
  /** The sentence of the document. */
  readonly rule: string;
  /** What to change in a receiver that fails. */
  readonly fix: string;
  /** There are four deliveries, and the third differs from the others in something that must not change the response. */
  readonly alike?: true;
  /** Sent one after the other. */
  readonly deliveries: (kit: ProbeKit) => readonly ProbeDelivery[];
}

const inClass = (status: number, hundreds: number): boolean => Math.floor(status / 100) === hundreds;
export const ACCEPTED: Expectation = { text: '2xx', holds: (status) => inClass(status, 2) };
export const REFUSED: Expectation = { text: '4xx', holds: (status) => inClass(status, 4) };
export const EITHER: Expectation = { text: '2xx or 4xx', holds: (status) => inClass(status, 2) || inClass(status, 4) };
/** A parser may refuse names that are not unique (RFC 8259 §4); a bad signature has other statuses. */
export const PARSED: Expectation = {
  text: '2xx, 400 or 422',
  holds: (status) => inClass(status, 2) || status === 400 || status === 422,
};
export const NO_REDIRECT: Expectation = { text: 'no 3xx', holds: (status) => !inClass(status, 3) };
