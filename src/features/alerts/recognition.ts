/**
 * Good resources, told as they stand: lists can hold tens of thousands, which zod would copy, and zod itself takes its time to
 * load. The schemas have the word for whatever is not recognised here.
 */
import { isObject, isTextRecord } from '../../json-object.ts';
import type { Alert, PostableSilence, PostedSilenceId, Silence } from './schema.ts';

export function isAlert(value: unknown): value is Alert {
  if (!isObject(value)) return false;
  const { labels, annotations, receivers, fingerprint, startsAt, updatedAt, endsAt, generatorURL, status } = value;
  if (!isText(fingerprint) || !isText(startsAt) || !isText(updatedAt) || !isText(endsAt)) return false;
  if (generatorURL !== undefined && !isText(generatorURL)) return false;
  if (!isTextRecord(labels) || !isTextRecord(annotations) || !Array.isArray(receivers)) return false;
  if (!receivers.every((one) => isObject(one) && isText(one['name']))) return false;
  if (!isObject(status)) return false;
  const { state, silencedBy, inhibitedBy, mutedBy } = status;
  return isText(state) && isTexts(silencedBy) && isTexts(inhibitedBy) && (mutedBy === undefined || isTexts(mutedBy));
}

export function isSilence(value: unknown): value is Silence {
  if (!isObject(value) || !hasSilenceFields(value)) return false;
  const { id, updatedAt, status } = value;
  return isText(id) && isText(updatedAt) && isObject(status) && isText(status['state']);
}

export function isPostableSilence(value: unknown): value is PostableSilence {
  if (!isObject(value) || !hasSilenceFields(value)) return false;
  const { id, matchers } = value;
  return (id === undefined || isText(id)) && (matchers as PostableSilence['matchers']).length > 0;
}

export function isPostedSilence(value: unknown): value is PostedSilenceId {
  return isObject(value) && isText(value['silenceID']);
}

function hasSilenceFields({ matchers, startsAt, endsAt, createdBy, comment }: Record<string, unknown>): boolean {
  if (!isText(startsAt) || !isText(endsAt) || !isText(createdBy) || !isText(comment)) return false;
  return Array.isArray(matchers) && matchers.every(isMatcher);
}

function isMatcher(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, value: text, isRegex, isEqual } = value;
  if (!isText(name) || !isText(text) || typeof isRegex !== 'boolean') return false;
  return isEqual === undefined || isEqual === null || typeof isEqual === 'boolean';
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
