/** What is told of a login, its secrets left out. */
import type { Cell, RecordOutput } from '../../output/types.ts';

/** Times are RFC 3339 texts. What does not apply to the kind of login is null. */
export interface SignIn {
  /** `expired`: the access token is, and the next request refreshes it. */
  readonly state: 'signed_in' | 'expired' | 'not_signed_in';
  readonly signed_in: boolean;
  /** `environment`: of SVC_WEBHOOKS_TOKEN. */
  readonly source: 'environment' | 'file' | null;
  readonly kind: 'oauth' | 'personal' | 'token' | null;
  readonly profile: string;
  readonly base_url: string;
  readonly file: string;
  /** As `600`; null where there is no file. */
  readonly file_mode: string | null;
  readonly email: string | null;
  readonly scope: string | null;
  readonly client_id: string | null;
  readonly obtained_at: string | null;
  readonly expires_at: string | null;
  readonly refresh_obtained_at: string | null;
  /** 90 days after it was given. */
  readonly refresh_expires_at: string | null;
  readonly last_used_at: string | null;
  /** Whether the service was asked. */
  readonly checked: boolean;
  /** What to do now. */
  readonly advice: string | null;
}

const time = (text: string | null): Cell => (text === null ? undefined : { time: text });

export const SIGN_IN_RECORD: RecordOutput<SignIn> = {
  kind: 'record',
  columns: [
    {
      name: 'state',
      cell: ({ state, checked }) => {
        if (state === 'not_signed_in') return { text: 'not signed in', tone: 'bad' };
        if (state === 'expired') return { text: 'expired, refreshed at the next request', tone: 'warn' };
        return { text: checked ? 'signed in, and the service agrees' : 'signed in', tone: 'good' };
      },
    },
    { name: 'base-url', cell: ({ base_url }) => base_url },
    { name: 'profile', cell: ({ profile }) => profile },
    { name: 'source', cell: ({ source, file }) => sourceText(source, file) },
    { name: 'file-mode', cell: ({ file_mode }) => file_mode ?? undefined },
    { name: 'kind', cell: ({ kind }) => kind ?? undefined },
    { name: 'token', cell: ({ source }) => (source === null ? undefined : '***') },
    { name: 'expires', cell: ({ expires_at }) => time(expires_at) },
    { name: 'refreshable-until', cell: ({ refresh_expires_at }) => time(refresh_expires_at) },
    { name: 'last-used', cell: ({ last_used_at }) => time(last_used_at) },
    { name: 'email', cell: ({ email }) => email || undefined },
    { name: 'scope', cell: ({ scope }) => scope ?? undefined },
    { name: 'client-id', cell: ({ client_id }) => client_id ?? undefined },
    { name: 'obtained', cell: ({ obtained_at }) => time(obtained_at), wide: true },
    { name: 'refresh-obtained', cell: ({ refresh_obtained_at }) => time(refresh_obtained_at), wide: true },
    { name: 'advice', cell: ({ advice }) => (advice === null ? undefined : { text: advice, tone: 'warn' }) },
  ],
  id: ({ base_url }) => base_url,
};

function sourceText(source: SignIn['source'], file: string): Cell {
  if (source === null) return undefined;
  return source === 'file' ? file : 'SVC_WEBHOOKS_TOKEN';
}
