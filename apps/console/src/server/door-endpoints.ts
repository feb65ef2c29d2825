import { ok } from 'neverthrow';
import * as z from 'zod';
import { clearCookie, setCookie } from './cookie.js';
import { endpoint } from './endpoint.js';
import { refuse } from './refusal.js';
import { me, ME } from './me.js';
import { DOORS } from './sign-in.js';
import type { Visitor } from './visitor.js';

export const DOOR_ENDPOINTS = [
  endpoint({
    name: 'retrieveOpenApi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Retrieve this document',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: null,
    reply: z.record(z.string(), z.unknown()),
    success: 200,
    run: async ({ openApi }) =>
      ok(
        new Response(openApi(), {
          headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
        }),
      ),
  }),
  endpoint({
    name: 'retrieveDoors',
    method: 'GET',
    path: '/doors',
    summary: 'Retrieve the ways in which operators sign in',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: null,
    reply: DOORS,
    success: 200,
    run: async ({ doors }) => ok({ json: await doors() }),
  }),
  endpoint({
    name: 'createSession',
    method: 'POST',
    path: '/session',
    summary: 'Exchange the code of an invitation for a session, once',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: z.object({ code: z.string().max(1_000) }),
    reply: ME,
    success: 201,
    run: async ({ gate, door, body, cookie }) => {
      const done = await door.exchange(body.code);
      if (done === null)
        return refuse('invalid_invite', 'This link was used, has expired or is incomplete. Ask for a new one.');
      const { token, access } = done;
      const { kind, partnerId, mode, role, actor, expiresAt } = access;
      const visitor: Visitor = {
        actor: { type: kind === 'operator' ? 'operator' : 'partner_user', id: actor.id },
        role,
        kind,
        scope: partnerId === null || mode === null ? null : { partnerId, mode },
        partners: partnerId === null ? null : [partnerId],
        expiresAt,
      };
      const headers = { 'set-cookie': setCookie(cookie, token, expiresAt - access.createdAt) };
      return ok({ json: await me(gate, visitor), headers });
    },
  }),
  endpoint({
    name: 'deleteSession',
    method: 'DELETE',
    path: '/session',
    summary: 'End this session',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: null,
    success: 204,
    run: async ({ door, token, cookie }) => {
      if (token !== null) await door.end(token);
      return ok({ json: null, headers: { 'set-cookie': clearCookie(cookie) } });
    },
  }),
  endpoint({
    name: 'retrieveMe',
    method: 'GET',
    path: '/me',
    summary: 'Retrieve who is signed in, and what they see',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: ME,
    success: 200,
    run: async ({ gate, visitor }) => ok({ json: await me(gate, visitor) }),
  }),
];
