/** The few parts of oidc-provider that the tests use; it has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Interaction {
    readonly prompt: { readonly name: string };
    readonly params: Readonly<Record<string, string>>;
  }

  interface GrantModel {
    new (fields: {
      accountId: string;
      clientId: string;
    }): { addOIDCScope(scope: string): void; save(): Promise<string> };
  }

  export default class Provider {
    readonly Grant: GrantModel;
    readonly issuer: string;
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    on(event: string, listener: (...args: readonly unknown[]) => void): this;
  }
}
