import { recordCommand } from '../../../cli/command.ts';
import { jsonText } from '../../../json-object.ts';
import { discover, type ServerMetadata } from '../discovery.ts';

export const oauthDiscovery = recordCommand({
  id: 'oauth discovery',
  summary: 'Show the metadata of the authorization server',
  description:
    'Reads the metadata and checks it as svc oauth login does: the issuer, the protocol of every address, PKCE with S256. JSON output is the object of the service.',
  effect: 'read',
  service: 'webhooks',
  examples: [
    { run: 'svc oauth discovery', why: 'See where and how users sign in' },
    { run: 'svc oauth discovery -o json --query token_endpoint', why: 'Print one address for a script' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'issuer', cell: ({ issuer }: ServerMetadata) => issuer },
      { name: 'authorization', cell: (metadata: ServerMetadata) => metadata.authorization_endpoint },
      { name: 'token', cell: (metadata: ServerMetadata) => metadata.token_endpoint },
      { name: 'registration', cell: (metadata: ServerMetadata) => metadata.registration_endpoint },
      { name: 'revocation', cell: (metadata: ServerMetadata) => metadata.revocation_endpoint },
      { name: 'scopes', cell: (metadata: ServerMetadata) => list(metadata['scopes_supported']) },
      { name: 'grants', cell: (metadata: ServerMetadata) => list(metadata['grant_types_supported']) },
      { name: 'pkce', cell: (metadata: ServerMetadata) => list(metadata.code_challenge_methods_supported) },
      {
        name: 'auth-methods',
        cell: (metadata: ServerMetadata) => list(metadata.token_endpoint_auth_methods_supported),
      },
    ],
    id: ({ issuer }) => issuer,
  },
  async run(_input, { target }) {
    return { value: await discover(target) };
  },
});

function list(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(jsonText) : undefined;
}
