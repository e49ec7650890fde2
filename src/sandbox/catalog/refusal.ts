/** Every way in which the service says no. */

export class Refusal extends Error {
  readonly status: number;
  /** Undefined where the answer is plain text. */
  readonly detail: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

/** What the framework says of one parameter. */
export interface ParameterProblem {
  readonly type: string;
  readonly loc: readonly ['path' | 'query', string];
  readonly msg: string;
  /** As it came; null where nothing came. */
  readonly input: string | null;
  readonly ctx?: Readonly<Record<string, number>>;
}
