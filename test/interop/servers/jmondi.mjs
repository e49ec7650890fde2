// @jmondi/oauth2-server with repositories in memory.
import { randomUUID } from 'node:crypto';
import { AuthorizationServer, DateInterval } from '@jmondi/oauth2-server';
import { handleExpressError, handleExpressResponse, requestFromExpress } from '@jmondi/oauth2-server/express';
import express from 'express';
import { addMetadata } from './own-metadata.mjs';

const inAnHour = () => new DateInterval('1h').getEndDate();

function createRepositories() {
  const clients = new Map();
  const codes = new Map();
  const tokens = new Map();
  const refresh = new Map();
  const revoked = new Set();
  const clientRepository = {
    getByIdentifier: async (id) => clients.get(id),
    isClientValid: async (_grant, client, secret) => (client.secret ?? undefined) === secret,
  };
  const tokenRepository = {
    issueToken: async (client, scopes, user) => {
      return { accessToken: randomUUID(), accessTokenExpiresAt: inAnHour(), client, scopes, user };
    },
    issueRefreshToken: async (token) => {
      Object.assign(token, { refreshToken: randomUUID(), refreshTokenExpiresAt: inAnHour() });
      refresh.set(token.refreshToken, token);
      return token;
    },
    persist: async (token) => tokens.set(token.accessToken, token),
    revoke: async (token) => {
      tokens.delete(token.accessToken);
      revoked.add(token.refreshToken);
    },
    isRefreshTokenRevoked: async (token) => revoked.has(token.refreshToken),
    getByRefreshToken: async (token) => refresh.get(token),
    getByAccessToken: async (token) => tokens.get(token),
  };
  const codeRepository = {
    getByIdentifier: async (code) => codes.get(code),
    issueAuthCode: (client, user, scopes) => {
      return { code: randomUUID(), expiresAt: inAnHour(), client, user, scopes };
    },
    persist: async (code) => codes.set(code.code, code),
    isRevoked: async (code) => !codes.has(code),
    revoke: async (code) => codes.delete(code),
  };
  const scopeRepository = {
    getAllByIdentifiers: async (names) => names.filter((name) => name === 'mcp:connect').map((name) => ({ name })),
    finalize: async (scopes) => scopes,
  };
  const userRepository = { getUserByCredentials: async (id) => ({ id }) };
  return { clients, tokens, clientRepository, tokenRepository, codeRepository, scopeRepository, userRepository };
}

export async function create(context) {
  const { app, url, signedIn, askPerson } = context;
  const { clients, tokens, clientRepository, tokenRepository, codeRepository, scopeRepository, userRepository } =
    createRepositories();
  const server = new AuthorizationServer(clientRepository, tokenRepository, scopeRepository, randomUUID(), {
    issuer: url,
    requiresS256: true,
  });
  server.enableGrantTypes(
    [{ grant: 'authorization_code', userRepository, authCodeRepository: codeRepository }, new DateInterval('1h')],
    ['refresh_token', new DateInterval('1h')],
  );
  addMetadata(context, ({ id, secret, redirectUris }) => {
    const allowedGrants = ['authorization_code', 'refresh_token'];
    clients.set(id, { id, name: id, secret, redirectUris, allowedGrants, scopes: [{ name: 'mcp:connect' }] });
  });
  const answer = (work) => async (request, response) => {
    try {
      const answered = await work(request, response);
      if (answered !== undefined) handleExpressResponse(response, answered);
    } catch (error) {
      handleExpressError(error, response);
    }
  };
  app.get(
    '/oauth/authorize',
    answer(async (request, response) => {
      const asked = await server.validateAuthorizationRequest(requestFromExpress(request));
      if (!signedIn(request)) return void askPerson(request, response);
      Object.assign(asked, { user: { id: 'ann' }, isAuthorizationApproved: true });
      return server.completeAuthorizationRequest(asked);
    }),
  );
  const form = express.urlencoded();
  app.post(
    '/oauth/token',
    form,
    answer((request) => server.respondToAccessTokenRequest(requestFromExpress(request))),
  );
  app.post(
    '/oauth/revoke',
    form,
    answer((request) => server.revoke(requestFromExpress(request))),
  );
  const idOf = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).jti;
  return { accepts: async (token) => tokens.has(idOf(token)), forget: () => clients.clear() };
}
