/**
 * What the gateway says where it does not do what was asked for. The codes 1, 3, 18, 19, 20001 and 20301 and their words are those of
 * doc 3 §7 or as seen on the public implementation; the others are the sandbox's own.
 */

export class Refused extends Error {
  /** As it stands in `response.error`: a sentence, or JSON in a text. */
  readonly error: string;
  /** What such an answer holds beside it. */
  readonly beside: Readonly<Record<string, unknown>>;

  constructor(error: string, beside: Readonly<Record<string, unknown>> = { data: {} }) {
    super(error);
    this.error = error;
    this.beside = beside;
  }
}

export function refused(code: number, message: string, parameters: readonly (string | number)[] = []): Refused {
  return new Refused(JSON.stringify({ code, message, parameters }));
}

export function missing(name: string): Refused {
  return refused(2, `Missing parameter ${name}`, [name]);
}

export function unfit(name: string, value: string): Refused {
  return refused(2, `Invalid parameter ${name}`, [name, value]);
}

/** Of an amount that does not fit, and also where an account's name stands in the place of its id. */
export function notDivisible(step: number): Refused {
  return refused(3, `Amount should be divisible by ${step}`, [String(step)]);
}

export function noSuchTrade(): Refused {
  return refused(1, 'The specified trade does not exist');
}

export function noSuchOrder(id: string): Refused {
  return refused(1, `No order with id ${id}`, [id]);
}

/** The other shape of an error: `text` instead of `message`. */
export function notInPool(account: string, request: number): Refused {
  return new Refused(
    JSON.stringify({
      type: 5,
      sessionId: 'SANDBOX',
      requestId: `Request-${request}`,
      text: ` Account is not in pool. Skip request for acct ${account}\n`,
      code: 20001,
      stack: '',
    }),
  );
}

export function tooOften(cmd: number): Refused {
  return refused(20301, `ORA-20301: the number of calls is exceeded, Cmd=${cmd}`, [String(cmd)]);
}
