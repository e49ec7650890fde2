/** Receivers to begin with, complete and ready to run: they pass `webhooks check-receiver`. */

export const FRAMEWORKS = ['express', 'fastify', 'flask', 'django', 'go', 'php'] as const;

export type Framework = (typeof FRAMEWORKS)[number];
