import { randomInt } from 'node:crypto';
import type { NewKey, Scope } from '@gateramp/core';
import { actorResource, isExtended, KEY_SCOPES, keyId, networkProblem, personOf } from '@gateramp/core/domain';
import { err, ok } from 'neverthrow';
import * as z from 'zod';
import type { Gate } from './gate.js';
import { endpoint } from './endpoint.js';
import { NOTHING_HERE, refuse } from './refusal.js';
import { ADMINISTERS, includes, READS, ROLES, SECRETS } from './roles.js';
import { ACTOR, isoOrNull, list, listOf, MODE, TIME } from './schemas.js';

const KEY = z
  .object({
    id: z.string().describe('The beginning of its hash.'),
    type: z.enum(['secret', 'publishable']),
    mode: MODE,
    hint: z.string().describe('The first characters of the key.'),
    scopes: z.array(z.string()).describe('`*`: everything.'),
    allowed_ips: z.array(z.string()).describe('Empty: from anywhere.'),
    created_at: TIME,
    expires_at: TIME.nullable(),
    revoked_at: TIME.nullable(),
    last_used_at: TIME.nullable().describe('To the minute.'),
  })
  .meta({ id: 'Key', description: 'An API key, without its text.' });

type KeyRecord = Awaited<ReturnType<Gate['admin']['listKeys']>>[number];

function keyJson({ key, lastUsedAt }: KeyRecord): z.input<typeof KEY> {
  return {
    id: keyId(key),
    type: key.type,
    mode: key.mode,
    hint: key.prefix,
    scopes: [...(key.scopes ?? ['*'])],
    allowed_ips: [...(key.allowedIps ?? [])],
    created_at: new Date(key.createdAt).toISOString(),
    expires_at: isoOrNull(key.expiresAt),
    revoked_at: isoOrNull(key.revokedAt),
    last_used_at: isoOrNull(lastUsedAt),
  };
}

async function keysOf(admin: Gate['admin'], { partnerId, mode }: Scope): Promise<readonly KeyRecord[]> {
  return (await admin.listKeys(partnerId)).filter(({ key }) => key.mode === mode).toReversed();
}

async function keyNamed(admin: Gate['admin'], scope: Scope, id: string | undefined): Promise<KeyRecord | null> {
  return (await keysOf(admin, scope)).find(({ key }) => keyId(key) === id) ?? null;
}

/** Also checked here, so that nobody has to approve a key that cannot be created. */
const NETWORK = z.string().superRefine((text, context) => {
  const problem = networkProblem(text);
  if (problem !== null) context.addIssue(problem);
});

const ACCESS = z
  .object({
    id: z.string(),
    actor: ACTOR,
    role: z.enum(ROLES),
    state: z
      .enum(['invited', 'active', 'signed_out', 'ended', 'expired'])
      .describe('`signed_out`: no session is open, but a passkey opens one.'),
    passkeys: z.int().describe('How many passkeys this person has added, to sign in again.'),
    created_at: TIME,
    expires_at: TIME,
    ended_at: TIME.nullable(),
  })
  .meta({ id: 'Access', description: 'An invitation to the console, and the session that it became.' });

/** Two people without a name are not the same one. */
const unnamedUser = (): string => `invited user ${randomInt(1_000_000, 10_000_000)}`;

export const ACCESS_ENDPOINTS = [
  endpoint({
    name: 'listKeys',
    method: 'GET',
    path: '/keys',
    summary: 'List the API keys of this mode, newest first',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: listOf(KEY),
    success: 200,
    run: async ({ admin, scope, path }) => ok({ json: list((await keysOf(admin, scope)).map(keyJson), path) }),
  }),
  endpoint({
    name: 'createKey',
    method: 'POST',
    path: '/keys',
    summary: 'Make an API key; its text is shown once',
    audience: 'partner',
    needs: SECRETS,
    reason: 'live',
    secondPerson: { isCollected: true },
    query: null,
    body: z.object({
      type: z.enum(['secret', 'publishable']),
      scopes: z
        .array(z.enum(['*', ...KEY_SCOPES]))
        .min(1)
        .optional(),
      allowed_ips: z.array(NETWORK).min(1).max(100).optional(),
      expires_at: TIME.optional(),
    }),
    reply: KEY.extend({ text: z.string().describe('The key. It cannot be shown again.') }).meta({ id: 'IssuedKey' }),
    success: 201,
    run: async ({ admin, scope, body, approvalId }) => {
      const { type, scopes, allowed_ips: allowedIps, expires_at: expiresAt } = body;
      const wanted: NewKey = {
        mode: scope.mode,
        type,
        ...(scopes === undefined ? {} : { scopes }),
        ...(allowedIps === undefined ? {} : { allowedIps }),
        ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }),
      };
      const issued =
        approvalId === null
          ? await admin.issueKey(scope.partnerId, wanted)
          : await admin.issueApprovedKey(scope.partnerId, wanted, approvalId);
      if (issued === null) return refuse('approval_closed', 'This approval was already used to issue a key.');
      const { text, ...key } = issued;
      return ok({ json: { ...keyJson({ key, lastUsedAt: null }), text } });
    },
  }),
  endpoint({
    name: 'expireKey',
    method: 'POST',
    path: '/keys/{id}/expire',
    summary: 'Let an API key expire, such as one that is being replaced. A later expiry in live mode takes two people',
    audience: 'partner',
    needs: SECRETS,
    reason: 'live',
    secondPerson: {
      isCollected: false,
      isRequired: async ({ admin, scope, params, body: { at } }) => {
        const known = scope === null ? null : await keyNamed(admin, scope, params['id']);
        return known !== null && known.key.revokedAt === null && isExtended(known.key, Date.parse(at));
      },
    },
    query: null,
    body: z.object({ at: TIME }),
    reply: KEY,
    success: 200,
    run: async ({ admin, scope, params, body: { at }, approvalId }) => {
      const known = await keyNamed(admin, scope, params['id']);
      if (known === null) return err(NOTHING_HERE);
      const isFree = approvalId !== null || scope.mode === 'test';
      await admin.expireKey(known.key.hash, Date.parse(at), { onlyEarlier: !isFree });
      const changed = (await keyNamed(admin, scope, params['id'])) ?? known;
      // Another person has shortened it since the look at whether one person is enough.
      if (!isFree && changed.key.revokedAt === null && isExtended(changed.key, Date.parse(at)))
        return refuse('try_again', 'The expiry of this key was changed at the same time; try again.');
      return ok({ json: keyJson(changed) });
    },
  }),
  endpoint({
    name: 'revokeKey',
    method: 'POST',
    path: '/keys/{id}/revoke',
    summary: 'Revoke an API key at once',
    audience: 'partner',
    needs: SECRETS,
    reason: 'live',
    query: null,
    body: null,
    reply: KEY,
    success: 200,
    run: async ({ admin, scope, params }) => {
      const known = await keyNamed(admin, scope, params['id']);
      if (known === null) return err(NOTHING_HERE);
      await admin.revokeKey(known.key.hash);
      return ok({ json: keyJson((await keyNamed(admin, scope, params['id'])) ?? known) });
    },
  }),
  endpoint({
    name: 'listTeam',
    method: 'GET',
    path: '/team',
    summary: 'List who may use the console for this partner and mode, newest first',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: listOf(ACCESS),
    success: 200,
    run: async ({ door, scope, path }) => {
      const all = await door.list(scope.partnerId, scope.mode);
      const data = all.map((one): z.input<typeof ACCESS> => ({
        id: one.id,
        actor: actorResource(one.actor),
        role: one.role,
        state: one.state,
        passkeys: one.passkeys.length,
        created_at: new Date(one.createdAt).toISOString(),
        expires_at: new Date(one.expiresAt).toISOString(),
        ended_at: isoOrNull(one.endedAt),
      }));
      return ok({ json: list(data, path) });
    },
  }),
  endpoint({
    name: 'createInvite',
    method: 'POST',
    path: '/team/invites',
    summary: 'Invite a user to the console; the link is shown once and can be opened once',
    audience: 'partner',
    needs: ADMINISTERS,
    reason: 'live',
    query: null,
    body: z.object({
      role: z.enum(['viewer', 'support', 'developer', 'admin']).default('viewer'),
      actor: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          'Who is invited, for the audit trail: not the name of a current member, or one that looks like it. By default "invited user" and a number.',
        ),
      ttl_seconds: z.int().min(1).max(3_600).default(60),
    }),
    reply: z.object({ id: z.string(), url: z.url(), expires_at: TIME }).meta({ id: 'Invite' }),
    success: 201,
    run: async ({ door, scope, visitor, origin, body }) => {
      const { role, actor = unnamedUser(), ttl_seconds: ttl } = body;
      if (!includes(visitor.role, role)) return refuse('insufficient_role', `You cannot give the role ${role}.`);
      const vouchedBy = visitor.actor.vouchedBy ?? personOf(visitor.actor);
      const made = await door.invite(scope.partnerId, { mode: scope.mode, role, actor, ttl: ttl * 1_000, vouchedBy });
      const expiresAt = new Date(made.expiresAt).toISOString();
      return ok({ json: { id: made.id, url: `${origin}/#code=${made.code}`, expires_at: expiresAt } });
    },
  }),
  endpoint({
    name: 'revokeAccess',
    method: 'DELETE',
    path: '/team/{id}',
    summary: 'End a session at once and remove the passkeys of its person, or withdraw an invitation',
    audience: 'partner',
    needs: ADMINISTERS,
    reason: 'live',
    query: null,
    body: null,
    reply: null,
    success: 204,
    run: async ({ door, scope, params }) =>
      (await door.revoke(scope.partnerId, params['id'] ?? '', scope.mode)) ? ok({ json: null }) : err(NOTHING_HERE),
  }),
];
