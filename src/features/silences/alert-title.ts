import type { Alert } from '../alerts/schema.ts';

/** One line that tells an alert from others. */
export function alertTitle({ labels }: Pick<Alert, 'labels'>): string {
  const others = Object.keys(labels).filter((name) => name !== 'alertname');
  return [labels['alertname'] ?? '', ...others.sort().map((name) => `${name}=${labels[name]}`)].join(' ').trim();
}
