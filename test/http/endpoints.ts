import { type Endpoint, endpoint, type Parser } from '../../src/http/endpoint.ts';

export interface Thing {
  readonly id: number;
}

/** As zod would, without loading it. */
export const thing: Parser<Thing> = {
  safeParse: (value) =>
    typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'number'
      ? { success: true, data: value as Thing }
      : { success: false, error: { issues: [{ path: ['id'], message: 'expected a number' }] } },
};

export const getThing = endpoint<Thing>({ method: 'GET', path: '/thing', effect: 'read', answer: async () => thing });
export const probe = endpoint<Thing>({ ...getThing, retry: false });
export const listThings: Endpoint<Thing[], 'read'> = endpoint({
  method: 'GET',
  path: '/things',
  effect: 'read',
  item: async () => thing,
});
export const createThing = endpoint<Thing>({
  method: 'POST',
  path: '/things',
  effect: 'write',
  answer: async () => thing,
});
export const deleteThing = endpoint({ method: 'DELETE', path: '/thing', effect: 'destroy' });
export const touchThing = endpoint({ method: 'POST', path: '/touch', effect: 'write' });
