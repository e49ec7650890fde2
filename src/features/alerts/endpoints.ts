/** Every endpoint of doc 1 §4. */
import { endpoint } from '../../http/endpoint.ts';
import { isAlert, isPostedSilence, isSilence } from './recognition.ts';
import type { Alert, AlertGroup, PostedSilenceId, Receiver, Silence, Status } from './schema.ts';

const schemas = () => import('./schema.ts');

export const getStatus = endpoint<Status>({
  method: 'GET',
  path: '/status',
  effect: 'read',
  answer: async () => (await schemas()).status,
});

export const getReceivers = endpoint<Receiver[]>({
  method: 'GET',
  path: '/receivers',
  effect: 'read',
  item: async () => (await schemas()).receiver,
});

export const getSilences = endpoint<Silence[]>({
  method: 'GET',
  path: '/silences',
  effect: 'read',
  recognise: isSilence,
  item: async () => (await schemas()).silence,
});

/** Not repeatable: each success makes a silence, or replaces the one whose id is given. */
export const postSilences = endpoint<PostedSilenceId>({
  method: 'POST',
  path: '/silences',
  effect: 'write',
  recognise: isPostedSilence,
  answer: async () => (await schemas()).postedSilence,
});

export const getSilence = endpoint<Silence>({
  method: 'GET',
  path: '/silence/{silenceID}',
  effect: 'read',
  recognise: isSilence,
  answer: async () => (await schemas()).silence,
});

/** Expires the silence; the service keeps it for a while, and has no way to bring it back. */
export const deleteSilence = endpoint({
  method: 'DELETE',
  path: '/silence/{silenceID}',
  effect: 'destroy',
});

/**
 * The same for a silence that this very command has made: whoever runs the command wants it gone, and nobody is asked. It may
 * be repeated: an expired silence stays expired, and deleting it again is answered with a success.
 */
export const withdrawSilence = endpoint({
  method: 'DELETE',
  path: '/silence/{silenceID}',
  effect: 'write',
});

export const getAlerts = endpoint<Alert[]>({
  method: 'GET',
  path: '/alerts',
  effect: 'read',
  recognise: isAlert,
  item: async () => (await schemas()).alert,
});

export const postAlerts = endpoint({
  method: 'POST',
  path: '/alerts',
  effect: 'write',
});

export const getAlertGroups = endpoint<AlertGroup[]>({
  method: 'GET',
  path: '/alerts/groups',
  effect: 'read',
  item: async () => (await schemas()).alertGroup,
});
