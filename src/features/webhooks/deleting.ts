/** Deleting subscriptions: one DELETE each, and the list where its answer is lost. */
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../http/as-curl.ts';
import { type Confirmed, Plan } from '../../http/endpoint.ts';
import type { Recordings } from './api.ts';
import { messageOfService } from './failed-answer.ts';

/** `already-gone`: it is not there any more, but whether by this request nobody knows. */
export async function deleteSubscription(
  id: string,
  recordings: Recordings,
  confirmed: Confirmed,
): Promise<'deleted' | 'already-gone' | Plan> {
  try {
    const answer = await recordings.delete(id, confirmed);
    if (answer instanceof Plan) return answer;
    if (!answer.ok)
      throw new SvcError('refused', 'server answered ok:false', { hint: `svc webhooks get ${shellWord(id)}` });
    return 'deleted';
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'outcome_unknown') throw error;
    const after = await recordings.subscriptions().catch(() => undefined);
    if (after !== undefined && !after.some((one) => one.id === id)) return 'already-gone';
    const details = error.httpStatus === undefined ? { cause: error } : { cause: error, httpStatus: error.httpStatus };
    const words = after === undefined ? undefined : messageOfService(error);
    if (words !== undefined) throw new SvcError('server_error', `${words}; not deleted (list checked)`, details);
    const looked = after === undefined ? 'the list could not be read either' : 'the list still shows it';
    throw new SvcError('outcome_unknown', `${error.message}; ${looked}`, {
      ...details,
      hint: 'look before you repeat it: svc webhooks list',
    });
  }
}
