// @node-oauth/oauth2-server with a model in memory. It does not form-decode the parts of an Authorization header.
import OAuth2Server from '@node-oauth/oauth2-server';
import express from 'express';
import { addMetadata } from './own-metadata.mjs';

const GRANTS = ['authorization_code', 'refresh_token'];

function createModel() {
  const clients = new Map();
  const codes = new Map();
  const tokens = new Map();
  const refresh = new Map();
  const model = {
    // Without a secret where a browser asks. The client authenticates elsewhere, a public one by PKCE and its refresh token.
    getClient: async (id, secret) => {
      const client = clients.get(id);
      return client && (secret === null || client.secret === (secret || undefined)) ? client : false;
    },
    saveAuthorizationCode: async (code, client, user) => {
      const saved = { ...code, client, user };
      codes.set(code.authorizationCode, saved);
      return saved;
    },
    getAuthorizationCode: async (code) => codes.get(code),
    revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
    saveToken: async (token, client, user) => {
      const saved = { ...token, client, user };
      tokens.set(token.accessToken, saved);
      refresh.set(token.refreshToken, saved);
      return saved;
    },
    getAccessToken: async (token) => tokens.get(token),
    getRefreshToken: async (token) => refresh.get(token),
    revokeToken: async ({ refreshToken, accessToken }) => {
      tokens.delete(accessToken);
      return refresh.delete(refreshToken);
    },
    validateScope: async (_user, _client, scope) => scope,
    verifyScope: async () => true,
  };
  return { model, clients, tokens, refresh };
}

class NotSignedIn extends Error {}

export async function create(context) {
  const { app, signedIn, askPerson } = context;
  const { model, clients, tokens, refresh } = createModel();
  const server = new OAuth2Server({ model, requireClientAuthentication: { refresh_token: false } });
  addMetadata(context, ({ id, secret, redirectUris }) => {
    clients.set(id, { id, secret, redirectUris, grants: GRANTS });
  });
  const send = (answer, response) => response.status(answer.status).set(answer.headers).send(answer.body);
  const refuse = (error, response) =>
    response.status(error.code ?? 500).json({ error: error.name, error_description: error.message });
  app.get('/oauth/authorize', async (request, response) => {
    const answer = new OAuth2Server.Response({ headers: {} });
    const handle = () => {
      if (!signedIn(request)) throw new NotSignedIn();
      return { id: 'ann' };
    };
    try {
      await server.authorize(new OAuth2Server.Request(request), answer, { authenticateHandler: { handle } });
      send(answer, response);
    } catch (error) {
      if (error instanceof NotSignedIn) askPerson(request, response);
      else refuse(error, response);
    }
  });
  app.post('/oauth/token', express.urlencoded(), async (request, response) => {
    const answer = new OAuth2Server.Response({ headers: {} });
    try {
      await server.token(new OAuth2Server.Request(request), answer);
      send(answer, response);
    } catch (error) {
      refuse(error, response);
    }
  });
  app.post('/oauth/revoke', express.urlencoded(), async (request, response) => {
    const found = refresh.get(request.body.token) ?? tokens.get(request.body.token);
    if (found !== undefined) await model.revokeToken(found);
    response.end();
  });
  return { accepts: async (token) => tokens.has(token), forget: () => clients.clear() };
}
