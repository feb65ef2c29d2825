import type { Gate } from '@gateramp/core';
import * as z from 'zod';
import { cookieKind, setCookie } from './cookie.js';
import type { Role } from './roles.js';

export const DOORS = z
  .object({
    oidc: z
      .object({ url: z.string().describe('The path that a browser opens to sign in.') })
      .nullable()
      .describe('Single sign-on; null if it is not set up.'),
    passkey: z.boolean().describe('Whether an operator has registered a passkey.'),
  })
  .meta({ id: 'Doors', description: 'The ways in which operators sign in, besides one-time links.' });

/** The ways in which operators sign in, besides one-time links. */
export type Doors = z.infer<typeof DOORS>;

/** An operator whom the host has identified. */
export interface IdentifiedOperator {
  /** The name or id that the audit trail shows. */
  readonly actor: string;
  readonly role: Role;
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
  { actor, role, proof, reason }: IdentifiedOperator,
): Promise<string | null> {
  const done = await gate.console.as({ type: 'operator', id: actor }, { reason }).signIn({ actor, role, proof });
  if (done === null) return null;
  const { createdAt, expiresAt } = done.access;
  return setCookie(cookieKind(new URL(origin), framedBy.length > 0), done.token, expiresAt - createdAt);
}
