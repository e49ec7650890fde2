/** Whether the service takes the credential: the cheapest call that it has (doc 2 §4). */
import { openClient } from '../../http/client.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';

/** Any JSON will do: a portal that wants a login of its own answers with a page. */
const LIST = endpoint<unknown>({
  method: 'GET',
  path: '/webhooks',
  effect: 'read',
  answer: async () => ({ safeParse: (data) => ({ success: true, data }) }),
});

/** Throws what the service, or the way to it, has against it. */
export async function checkSignIn(target: Target): Promise<void> {
  const client = openClient(target, { basePath: '/v1' });
  try {
    await client.call(LIST);
  } finally {
    await client.close();
  }
}
