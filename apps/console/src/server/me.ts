import { GateArgumentError } from '@gateramp/core';
import { actorResource } from '@gateramp/core/domain';
import * as z from 'zod';
import type { ConsoleAlarms } from './alarms-port.js';
import type { Gate } from './gate.js';
import type { ConsoleLegs } from './legs-port.js';
import { includes, ROLES } from './roles.js';
import { ACTOR } from './schemas.js';
import type { PasskeyCeremonies } from './sign-in.js';
import type { Visitor } from './visitor.js';

/** Operators choose from this many; the others are found by their id. */
const PARTNERS_SHOWN = 200;

const NAMED = z.object({ id: z.string(), name: z.string() });

export const ME = z
  .object({
    actor: ACTOR,
    roles: z.array(z.enum(ROLES)).describe('The role of the session, and those that it includes.'),
    kind: z.enum(['portal', 'operator']),
    partner: NAMED.nullable().describe('Null for operators, who name a partner and a mode with every call.'),
    mode: z.enum(['test', 'live']).nullable(),
    partners: z.array(NAMED).describe(`For operators: the partners that they see, at most ${PARTNERS_SHOWN}.`),
    expires_at: z.iso.datetime().nullable().describe('When the session ends; null if the host decides.'),
    features: z.object({
      test_clock: z.boolean(),
      alarms: z.boolean().describe('Whether `/console/v1/alarms` answers this person.'),
      legs: z.boolean().describe('Whether this person sees operations of provider legs.'),
      wallets: z
        .boolean()
        .describe('Whether this person sees the wallets of provider legs, which belong to no partner.'),
      trail: z.boolean().describe('Whether `/console/v1/trail` answers this person.'),
      passkeys: z.boolean().describe('Whether this person can add passkeys, to sign in again without a link.'),
      checkout_preview: z
        .url()
        .nullable()
        .describe('The page that previews the checkout with the branding in its fragment; null if not configured.'),
    }),
  })
  .meta({ id: 'Me', description: 'Who is signed in.' });

export const IDENTITY = z
  .object({
    actor: ACTOR,
    role: z.enum(ROLES),
    partner: NAMED.nullable().describe('Null for operators.'),
    mode: z.enum(['test', 'live']).nullable().describe('Null for operators.'),
  })
  .meta({ id: 'Identity', description: 'The person of a session or of a sign-in link.' });

export async function identity(gate: Gate, { actor, role, scope }: Visitor): Promise<z.input<typeof IDENTITY>> {
  const [partner = null] = scope === null ? [] : await named(gate, [scope.partnerId]);
  return { actor: actorResource(actor), role, partner, mode: scope?.mode ?? null };
}

/** What the host has. */
export interface Features {
  readonly checkoutPreview: string | null;
  readonly alarms: ConsoleAlarms | null;
  readonly legs: ConsoleLegs | null;
  readonly passkeys: PasskeyCeremonies | null;
}

export async function me(
  gate: Gate,
  visitor: Visitor,
  { checkoutPreview, alarms, legs, passkeys }: Features,
): Promise<z.input<typeof ME>> {
  const { actor, role, kind, scope, expiresAt } = visitor;
  const [partner] = scope === null ? [] : await named(gate, [scope.partnerId]);
  const partners = kind === 'operator' ? await partnersOf(gate, visitor) : [];
  const isOfInstallation = kind === 'operator' && visitor.partners === null;
  return {
    actor: actorResource(actor),
    roles: ROLES.filter((one) => includes(role, one)),
    kind,
    partner: partner ?? null,
    mode: scope?.mode ?? null,
    partners,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    features: {
      test_clock: await hasTestClock(gate, partner ?? partners[0]),
      alarms: alarms !== null && isOfInstallation,
      legs: legs !== null && kind === 'operator',
      wallets: legs !== null && isOfInstallation,
      trail: isOfInstallation,
      passkeys: passkeys !== null && kind === 'portal',
      checkout_preview: checkoutPreview,
    },
  };
}

/** Whether the gate has a test clock, which any partner's call tells. */
async function hasTestClock(gate: Gate, partner: { readonly id: string } | undefined): Promise<boolean> {
  if (partner === undefined) return false;
  return (await gate.testClock.retrieve({ partnerId: partner.id, mode: 'test' })).isOk();
}

async function partnersOf(gate: Gate, { partners }: Visitor) {
  if (partners !== null) return named(gate, partners.slice(0, PARTNERS_SHOWN));
  try {
    const all = await gate.admin.listPartners();
    return all.slice(0, PARTNERS_SHOWN).map(({ id, name }) => ({ id, name }));
  } catch (error) {
    // A gate without the port `operator` cannot list them; they are named by their ids.
    if (error instanceof GateArgumentError) return [];
    throw error;
  }
}

async function named(gate: Gate, ids: readonly string[]) {
  const found = await Promise.all(ids.map((id) => gate.admin.findPartner(id)));
  return found.flatMap((one) => (one === null ? [] : [{ id: one.id, name: one.name }]));
}
