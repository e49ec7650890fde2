/** Verifies all that somebody names, one delivery after the other, and keeps count. */
import { SvcError } from '../../errors.ts';
import { type CheckedDelivery, DeliveryChecker } from './checked-delivery.ts';
import type { Delivery } from './delivery.ts';
import { gather, InputErrors, type InputOptions, inputFiles, readDeliveries } from './delivery-input.ts';
import type { Verdict } from './signature.ts';

// One module to be loaded by whoever verifies: each costs its share of the start.
export { DeliveryChecker, inputFiles };

export class VerificationRun {
  readonly #checker: DeliveryChecker;
  readonly #input: InputOptions;
  readonly #counts = new Map<Verdict, number>();
  readonly #unusable: InputErrors;

  constructor(checker: DeliveryChecker, input: Omit<InputOptions, 'unusable'>) {
    this.#checker = checker;
    this.#unusable = new InputErrors(input.notice);
    this.#input = { ...input, unusable: (error) => this.#unusable.add(error) };
  }

  /** In batches, none of them empty. What cannot be checked is passed over, and told by `failure` at the end. */
  async *batches(paths: readonly string[], failFast: boolean): AsyncGenerator<readonly CheckedDelivery[], void, void> {
    for (const path of paths) {
      let rows: CheckedDelivery[] = [];
      try {
        for await (const found of readDeliveries(path, this.#input)) {
          if ('pieces' in found) {
            const { row, body } = await this.#checker.checkPieces(found);
            const explained = body === undefined ? row : await this.#checker.explain(row, { headers: [], body });
            this.#tally(explained);
            yield [explained];
            if (failFast && !explained.valid) return;
            continue;
          }
          for (const delivery of found) {
            let row = this.#checker.check(delivery);
            if (!row.valid) row = await this.#checker.explain(row, delivery);
            this.#tally(row);
            rows.push(row);
            if (rows.length < BATCH && !(failFast && !row.valid)) continue;
            yield rows;
            if (failFast && !row.valid) return;
            rows = [];
          }
          if (rows.length > 0) yield rows;
          rows = [];
        }
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== 'file_unusable') throw error;
        this.#unusable.add(error);
      }
      // Those before the one that could not be read.
      if (rows.length > 0) yield rows;
    }
  }

  /** The verdict on the one delivery there is, and its body. */
  async only(paths: readonly string[]): Promise<{ readonly row: CheckedDelivery; readonly body: Uint8Array }> {
    const found: Delivery[] = [];
    for (const path of paths) {
      for await (const some of readDeliveries(path, this.#input)) {
        if ('pieces' in some)
          found.push({
            source: some.source,
            headers: [],
            body: await gather(some.pieces, some.source, Number.POSITIVE_INFINITY),
            notes: [],
          });
        else for (const delivery of some) if (found.length < 2) found.push(delivery);
        if (found.length > 1) {
          throw new SvcError('usage', '--extract takes one delivery, and there are more', {
            hint: 'nothing was printed',
          });
        }
      }
    }
    const [delivery] = found;
    if (this.failure !== undefined) throw this.failure;
    if (delivery === undefined) throw this.nothing();
    return { row: await this.#checker.explain(this.#checker.check(delivery), delivery), body: delivery.body };
  }

  get count(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum += count;
    return sum;
  }

  get allValid(): boolean {
    return this.count === (this.#counts.get('valid') ?? 0);
  }

  /** `3 checked: 2 valid, 1 stale` */
  summary(): string {
    const parts = [...this.#counts].sort(([a], [b]) => Number(b === 'valid') - Number(a === 'valid'));
    return `${this.count} checked: ${parts.map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`;
  }

  /** Why not everything could be checked. */
  get failure(): SvcError | undefined {
    return this.#unusable.failure('checked');
  }

  nothing(): SvcError {
    return (
      this.failure ??
      new SvcError('missing_value', 'there is no delivery to check', {
        hint: 'an empty input is not a valid one; name a file that holds a delivery',
      })
    );
  }

  #tally({ verdict }: CheckedDelivery): void {
    this.#counts.set(verdict, (this.#counts.get(verdict) ?? 0) + 1);
  }
}

/** Enough of them that waiting for a batch costs nothing, and few enough that they are young when they are printed. */
const BATCH = 64;
