/**
 * fast-check as the tests of `npm test` see it in the fuzz suite: every property is run 100,000 times, or for as long as it may take,
 * each time with cases that were never tried before. What failed is shown with its seed and its smallest case; SVC_SEED gives that
 * seed again.
 */
import { randomInt } from 'node:crypto';
import fc, {
  type IAsyncProperty,
  type IProperty,
  type IRawProperty,
  type Parameters,
  type RunDetails,
} from 'fast-check';
import { TestRunner } from 'vitest';
import { counted, scaled } from './scale.ts';

const RUNS = scaled(100_000);
const LONGEST_MS = scaled(2_500);
const { SVC_SEED: wanted = 'random' } = process.env;

/** Ends between two runs: a run that is interrupted would continue after the test. */
function bounded<Ts, IsAsync extends boolean>(
  property: IRawProperty<Ts, IsAsync>,
  least: number,
): IRawProperty<Ts, IsAsync> {
  const end = performance.now() + LONGEST_MS;
  let runs = 0;
  return Object.create(property, {
    run: {
      value: (value: Ts) => {
        if (runs++ < least || performance.now() < end) return property.run(value);
        const over = new fc.PreconditionFailure(true);
        return property.isAsync() ? Promise.resolve(over) : over;
      },
    },
  });
}

function report<Ts>(details: RunDetails<Ts>): void {
  const task = TestRunner.getCurrentTest();
  if (task !== undefined) counted(task, details.numRuns);
  if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
}

function assert<Ts>(property: IAsyncProperty<Ts>, parameters?: Parameters<Ts>): Promise<void>;
function assert<Ts>(property: IProperty<Ts>, parameters?: Parameters<Ts>): void;
function assert<Ts>(property: IProperty<Ts> | IAsyncProperty<Ts>, parameters: Parameters<Ts> = {}): unknown {
  const { numRuns: usual = 100 } = parameters;
  const numRuns = Math.max(usual, RUNS);
  const result: unknown = fc.check(bounded(property as IProperty<Ts>, usual) as IProperty<Ts>, {
    ...parameters,
    numRuns,
    seed: wanted === 'random' ? randomInt(-0x8000_0000, 0x8000_0000) : Number(wanted),
  });
  return result instanceof Promise ? result.then(report) : report(result as RunDetails<Ts>);
}

export default { ...fc, assert };
