/**
 * fast-check as the tests of `npm test` see it: the same cases on every run, so that one which fails does so because of a change; and a third of them, as the
 * fuzz suite runs many more. SVC_SEED gives another seed, `random` a new one for every property.
 */
import fc, { type IAsyncProperty, type IProperty, type Parameters } from 'fast-check';

const SHARE = 3;

const { SVC_SEED: wanted = '20260121' } = process.env;
const seed = Number(wanted);
if (wanted !== 'random') {
  if (!Number.isInteger(seed)) throw new Error(`SVC_SEED is ${wanted}: give an integer, or random`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}

function assert<Ts>(property: IAsyncProperty<Ts>, parameters?: Parameters<Ts>): Promise<void>;
function assert<Ts>(property: IProperty<Ts>, parameters?: Parameters<Ts>): void;
function assert<Ts>(property: IProperty<Ts> | IAsyncProperty<Ts>, parameters: Parameters<Ts> = {}): unknown {
  const { numRuns = 100 } = parameters;
  return fc.assert(property as IProperty<Ts>, { ...parameters, numRuns: Math.ceil(numRuns / SHARE) });
}

export default { ...fc, assert };
