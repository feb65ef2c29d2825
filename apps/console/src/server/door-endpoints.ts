import { err, ok, type Result } from 'neverthrow';
import type { Gate } from './gate.js';
import * as z from 'zod';
import { clearCookie, type CookieKind } from './cookie.js';
import { endpoint } from './endpoint.js';
import { NOTHING_HERE, type Refusal, refuse } from './refusal.js';
import { invitationIn, recordRefusedSignIn } from './refused-sign-ins.js';
import { type Features, IDENTITY, identity, me, ME } from './me.js';
import { isoOrNull, list, listOf, TIME } from './schemas.js';
import { DOORS, operatorSession, type PasskeyCeremonies, sessionCookie } from './sign-in.js';
import { type Visitor, visitorOfAccess } from './visitor.js';

/** The answer to someone who has a new session. */
async function entered(
  { gate, cookie, ...features }: { readonly gate: Gate; readonly cookie: CookieKind } & Features,
  done: Parameters<typeof sessionCookie>[1],
) {
  const visitor = visitorOfAccess(done.access);
  if (visitor === null) throw new Error('A session of a partner has no mode.');
  return { json: await me(gate, visitor, features), headers: { 'set-cookie': sessionCookie(cookie, done) } };
}

const USED_LINK = 'This link was used, has expired or is incomplete. Ask for a new one.';
/** Refuses the code of an invitation. */
function refusedLink(gate: Gate, code: string) {
  const reason = 'The link was used, has expired, was withdrawn or is incomplete';
  recordRefusedSignIn(gate, { method: 'link', reason, invitation: invitationIn(code) });
  return refuse('invalid_invite', USED_LINK);
}

/** Refuses the code of an enrolment, or the passkey that was made with it. */
function refusedEnrolment(gate: Gate) {
  const reason =
    'The link to register a passkey was used, has expired or is incomplete, or the new passkey is not valid';
  recordRefusedSignIn(gate, { method: 'enrolment', reason });
  return refuse('invalid_invite', USED_LINK);
}

function refusedPasskey(gate: Gate, message: string, refused: { readonly reason: string; readonly actor?: string }) {
  recordRefusedSignIn(gate, { method: 'passkey', ...refused });
  return refuse('unauthenticated', message);
}

const OPEN_SESSION =
  'Another session is open in this browser. Ask the person, then send { "replace": true }, or sign out first.';
const NO_PASSKEYS = 'This console has no sign-in with passkeys.';
const ANSWER = z.record(z.string(), z.unknown());
const OPTIONS = z.object({
  options: z.record(z.string(), z.unknown()).describe('Options of WebAuthn, in its JSON form.'),
});
const CODE = z.string().max(1_000);
const REPLACE = z
  .boolean()
  .optional()
  .describe(
    'Whether to replace a session that is open in this browser; ask the person first. 409 `session_open` without it.',
  );

const PASSKEY = z
  .object({ id: z.string(), name: z.string(), created_at: TIME, last_used_at: TIME.nullable() })
  .meta({ id: 'Passkey', description: 'A passkey with which a user of a partner signs in again.' });

type OwnPasskey = Access['passkeys'][number];
type Access = NonNullable<Awaited<ReturnType<Gate['console']['authenticate']>>>;

function passkeyJson({ id, name, createdAt, lastUsedAt }: OwnPasskey): z.input<typeof PASSKEY> {
  return { id, name, created_at: new Date(createdAt).toISOString(), last_used_at: isoOrNull(lastUsedAt) };
}

const FOR_PARTNERS = 'Only users of partners add passkeys here. Operators get a link from "gate console enroll".';

interface OwnCall {
  readonly visitor: Visitor;
  readonly token: string | null;
  readonly passkeys: PasskeyCeremonies | null;
}

/** Those who have passkeys of their own: users of a partner, by the token of their session. */
function portalUser({ visitor, token, passkeys }: OwnCall): Result<PortalCall, Refusal> {
  const { accessId } = visitor.actor;
  if (passkeys === null) return refuse('not_available', NO_PASSKEYS);
  if (visitor.kind !== 'portal' || token === null || accessId === undefined)
    return refuse('not_available', FOR_PARTNERS);
  return ok({ token, accessId, passkeys });
}

interface PortalCall {
  readonly token: string;
  readonly accessId: string;
  readonly passkeys: PasskeyCeremonies;
}

async function passkeyUser(gate: Gate, visitor: Visitor, { accessId }: PortalCall) {
  const { actor, partner, mode } = await identity(gate, visitor);
  return { accessId, name: `${actor.id} (${[partner?.name, mode].filter(Boolean).join(', ')})` };
}

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
    summary: 'Retrieve the ways in which people sign in',
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
    body: z.object({
      code: CODE,
      replace: REPLACE,
    }),
    reply: ME,
    success: 201,
    run: async ({ door, body, current, ...call }) => {
      if (body.replace !== true && (await current()) !== null) return refuse('session_open', OPEN_SESSION);
      const done = await door.exchange(body.code);
      if (done === null) return refusedLink(call.gate, body.code);
      return ok(await entered(call, done));
    },
  }),
  endpoint({
    name: 'retrieveOpenSession',
    method: 'GET',
    path: '/session',
    summary: 'Retrieve whose session is open in this browser, if there is one',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: null,
    reply: z.object({ current: IDENTITY.nullable() }),
    success: 200,
    run: async ({ gate, current }) => {
      const visitor = await current();
      return ok({ json: { current: visitor === null ? null : await identity(gate, visitor) } });
    },
  }),
  endpoint({
    name: 'retrieveLink',
    method: 'POST',
    path: '/session/link',
    summary: 'Retrieve whom the code of an invitation signs in, without using it',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: z.object({ code: CODE }),
    reply: IDENTITY,
    success: 200,
    run: async ({ gate, door, body }) => {
      const access = await door.invited(body.code);
      const invited = access === null ? null : visitorOfAccess(access);
      return invited === null ? refusedLink(gate, body.code) : ok({ json: await identity(gate, invited) });
    },
  }),
  endpoint({
    name: 'startPasskeySignIn',
    method: 'POST',
    path: '/passkeys/options',
    summary: 'Begin to sign in with a passkey',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: null,
    reply: OPTIONS,
    success: 200,
    run: async ({ passkeys }) =>
      passkeys === null ? refuse('not_available', NO_PASSKEYS) : ok({ json: { options: await passkeys.request() } }),
  }),
  endpoint({
    name: 'createPasskeySession',
    method: 'POST',
    path: '/passkeys/session',
    summary: 'Sign in with the answer of a passkey, once',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: z.object({ answer: ANSWER, replace: REPLACE }),
    reply: ME,
    success: 201,
    run: async ({ passkeys, body, door, current, ...call }) => {
      if (passkeys === null) return refuse('not_available', NO_PASSKEYS);
      if (body.replace !== true && (await current()) !== null) return refuse('session_open', OPEN_SESSION);
      const who = await passkeys.identify(body.answer);
      if (who === null)
        return refusedPasskey(call.gate, 'This passkey does not open the console. Try again.', {
          reason: 'The passkey is unknown or was removed, or its answer is not valid',
        });
      const isPortal = 'accessId' in who;
      const done = await (isPortal ? door.portalPasskeys.signIn(who) : operatorSession(call.gate, who));
      if (done === null)
        return refusedPasskey(call.gate, 'This answer was used before. Try again.', {
          reason: isPortal
            ? 'The access of the passkey has ended, or its answer was used before'
            : 'The answer of the passkey was used before',
          ...(isPortal ? {} : { actor: who.actor }),
        });
      return ok(await entered({ ...call, passkeys }, done));
    },
  }),
  endpoint({
    name: 'startPasskeyEnrolment',
    method: 'POST',
    path: '/passkeys/enrolment',
    summary: 'Begin to register a passkey with the code of an enrolment',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: z.object({ code: CODE }),
    reply: OPTIONS,
    success: 200,
    run: async ({ gate, passkeys, body }) => {
      if (passkeys === null) return refuse('not_available', NO_PASSKEYS);
      const options = await passkeys.creation(body.code);
      return options === null ? refusedEnrolment(gate) : ok({ json: { options } });
    },
  }),
  endpoint({
    name: 'createPasskey',
    method: 'POST',
    path: '/passkeys',
    summary: 'Register the passkey of an enrolment, once',
    audience: 'public',
    needs: null,
    reason: 'never',
    query: null,
    body: z.object({ code: CODE, answer: ANSWER }),
    reply: null,
    success: 204,
    run: async ({ gate, passkeys, body }) => {
      if (passkeys === null) return refuse('not_available', NO_PASSKEYS);
      const isKept = await passkeys.register(body.code, body.answer);
      return isKept ? ok({ json: null }) : refusedEnrolment(gate);
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
    run: async ({ gate, visitor, ...features }) => ok({ json: await me(gate, visitor, features) }),
  }),
  endpoint({
    name: 'listPasskeys',
    method: 'GET',
    path: '/me/passkeys',
    summary: 'List the passkeys with which you sign in again, oldest first',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: listOf(PASSKEY),
    success: 200,
    run: async ({ door, path, ...call }) =>
      portalUser(call).asyncMap(async ({ token }) => {
        const { passkeys = [] } = (await door.authenticate(token)) ?? {};
        return { json: list(passkeys.map(passkeyJson), path) };
      }),
  }),
  endpoint({
    name: 'startOwnPasskey',
    method: 'POST',
    path: '/me/passkeys/options',
    summary: 'Begin to add a passkey to your access',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: OPTIONS,
    success: 200,
    run: async ({ gate, visitor, ...call }) =>
      portalUser({ visitor, ...call }).asyncMap(async (own) => ({
        json: { options: await own.passkeys.portalCreation(await passkeyUser(gate, visitor, own)) },
      })),
  }),
  endpoint({
    name: 'createOwnPasskey',
    method: 'POST',
    path: '/me/passkeys',
    summary: 'Add a passkey, with which you sign in again to the access that you have by then',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: z.object({
      name: z
        .string()
        .trim()
        .min(1)
        .max(60)
        .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must be printable'),
      answer: ANSWER,
    }),
    reply: PASSKEY,
    success: 201,
    run: async ({ gate, door, visitor, body, ...call }) => {
      const own = portalUser({ visitor, ...call });
      if (own.isErr()) return err(own.error);
      const { token, passkeys } = own.value;
      const made = await passkeys.portalPasskey(await passkeyUser(gate, visitor, own.value), body.answer);
      if (made === null) return refuse('validation_failed', 'The passkey could not be verified. Try again.');
      const added = await door.portalPasskeys.add(token, { ...made, name: body.name });
      if (added === 'too_many') return refuse('too_many', 'You have ten passkeys. Remove one first.');
      if (added === 'closed') return refuse('already_done', 'This passkey was added before. Reload the page.');
      return ok({ json: passkeyJson(added) });
    },
  }),
  endpoint({
    name: 'deletePasskey',
    method: 'DELETE',
    path: '/me/passkeys/{id}',
    summary: 'Remove one of your passkeys. It no longer signs in; open sessions stay',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: null,
    success: 204,
    run: async ({ door, params, ...call }) => {
      const own = portalUser(call);
      if (own.isErr()) return err(own.error);
      const isRemoved = await door.portalPasskeys.remove(own.value.token, params['id'] ?? '');
      return isRemoved ? ok({ json: null }) : err(NOTHING_HERE);
    },
  }),
];
