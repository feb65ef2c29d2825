import * as z from 'zod';
import type { Gate } from './gate.js';
import { type CookieKind, cookieKind, setCookie } from './cookie.js';
import type { Role } from './roles.js';

export const DOORS = z
  .object({
    oidc: z
      .object({
        url: z.string().describe('The path that a browser opens to sign in.'),
        sign_out_url: z
          .string()
          .nullable()
          .describe(
            'The path that a browser opens to sign out at the provider as well; null if the provider has no sign-out page.',
          ),
      })
      .nullable()
      .describe('Single sign-on; null if it is not set up.'),
    passkey: z.boolean().describe('Whether an operator or a user of a partner has registered a passkey.'),
    links: z
      .enum(['command', 'start'])
      .optional()
      .describe(
        'Where one-time links come from, if the host says so. `command`: `gate console invite` makes them; `start`: the server prints one each time it starts.',
      ),
  })
  .meta({ id: 'Doors', description: 'The ways in which people sign in, besides one-time links.' });

/** The ways in which people sign in, besides one-time links. */
export type Doors = z.infer<typeof DOORS>;

/**
 * Signs people in with passkeys: the WebAuthn ceremonies, which the host runs with a library of its choice. Options and answers are those
 * of `PublicKeyCredential.parseRequestOptionsFromJSON`, `parseCreationOptionsFromJSON` and `toJSON`.
 */
export interface PasskeyCeremonies {
  /** The options for `navigator.credentials.get`. */
  request(): Promise<object>;
  /** Who answered, an operator or a user of a partner; null if the answer does not prove it. */
  identify(answer: unknown): Promise<IdentifiedOperator | PortalSignature | null>;
  /** The options for `navigator.credentials.create` of an operator; null if the code is unknown, used or expired. */
  creation(code: string): Promise<object | null>;
  /** Keeps the passkey that was made. False if the answer or the code is not valid. */
  register(code: string, answer: unknown): Promise<boolean>;
  /** The options for `navigator.credentials.create` of a user of a partner who is signed in. */
  portalCreation(user: PortalUser): Promise<object>;
  /** The passkey that was made for this user; null if the answer does not prove it. The console keeps it. */
  portalPasskey(user: PortalUser, answer: unknown): Promise<MadePasskey | null>;
}

type OwnPasskeys = Gate['console']['portalPasskeys'];

/** A verified signature of a passkey of a user of a partner, whose handle is the id of their access. */
type PortalSignature = Parameters<OwnPasskeys['signIn']>[0];

type MadePasskey = Omit<Parameters<OwnPasskeys['add']>[1], 'name'>;

/** Whose passkey is made. */
interface PortalUser {
  /** The user handle of the passkey. */
  readonly accessId: string;
  /** Tells several accounts of a person apart in the list of the browser. */
  readonly name: string;
}

/** An operator whom the host has identified. */
export interface IdentifiedOperator {
  /** The name or id that the audit trail shows. */
  readonly actor: string;
  readonly role: Role;
  /** Ids of the partners that the operator can access; all by default. */
  readonly partners?: readonly string[] | null;
  /** What the host knows this person by if their name may change, such as the subject of a single sign-on; by default their name. */
  readonly subject?: string;
  /** What identified them, such as an answered challenge. It opens one session. */
  readonly proof: string;
  /** How they were identified, for the audit trail. */
  readonly reason: string;
}

/**
 * Opens a session of the console at this origin for an operator whom the host has identified. Returns the `Set-Cookie` header for the
 * browser; null if the proof was used before.
 */
export async function signInOperator(
  {
    gate,
    origin,
    framedBy = [],
  }: { readonly gate: Gate; readonly origin: string; readonly framedBy?: readonly string[] },
  operator: IdentifiedOperator,
): Promise<string | null> {
  const done = await operatorSession(gate, operator);
  return done === null ? null : sessionCookie(cookieKind(new URL(origin), framedBy.length > 0), done);
}

/** A session of an operator whom the host has identified; null if the proof was used before. */
export function operatorSession(
  gate: Gate,
  { reason, ...operator }: IdentifiedOperator,
): Promise<OpenedSession | null> {
  return gate.console.as({ type: 'operator', id: operator.actor }, { reason }).signIn(operator);
}

type OpenedSession = NonNullable<Awaited<ReturnType<Gate['console']['exchange']>>>;

/** The cookie of a new session. */
export function sessionCookie(kind: CookieKind, { token, access }: OpenedSession): string {
  return setCookie(kind, token, access.expiresAt - access.createdAt);
}
