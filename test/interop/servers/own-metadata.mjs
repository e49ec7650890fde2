// Metadata and registration for the libraries that leave them to the application.
import { randomBytes } from 'node:crypto';
import express from 'express';

export const METHODS = ['none', 'client_secret_basic', 'client_secret_post'];

export function addMetadata({ app, url }, register) {
  app.get('/.well-known/oauth-authorization-server', (_request, response) => {
    response.json({
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      registration_endpoint: `${url}/oauth/register`,
      revocation_endpoint: `${url}/oauth/revoke`,
      scopes_supported: ['mcp:connect'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: METHODS,
    });
  });
  app.post('/oauth/register', express.json(), (request, response) => {
    const id = `client_${randomBytes(8).toString('hex')}`;
    const isPublic = request.body.token_endpoint_auth_method === 'none';
    const secret = isPublic ? undefined : randomBytes(16).toString('base64url');
    register({ id, secret, redirectUris: request.body.redirect_uris });
    response.status(201).json({ ...request.body, client_id: id, ...(secret && { client_secret: secret }) });
  });
}
