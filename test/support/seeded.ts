/**
 * fast-check as the tests of `npm test` see it: the same cases on every run, so that one which fails does so because of a change.
 * SVC_SEED gives another seed, `random` a new one for every property.
 */
import fc from 'fast-check';

const { SVC_SEED: wanted = '20260121' } = process.env;
const seed = Number(wanted);
if (wanted !== 'random') {
  if (!Number.isInteger(seed)) throw new Error(`SVC_SEED is ${wanted}: give an integer, or random`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}

export default fc;
