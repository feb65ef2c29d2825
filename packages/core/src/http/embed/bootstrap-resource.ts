import type { Bootstrapped, UnavailableReason } from '../../application/embed/bootstrap.js';
import { brandingResource, type GateBranding } from '../../domain/branding/branding.js';
import { isoTime } from '../../domain/instant.js';
import { jsonObject, toJsonText, type JsonText } from '../../domain/json/json-text.js';
import type { Mode } from '../../domain/mode.js';
import type { Flow } from '../../domain/session/terms.js';
import {
  checkoutCapabilities,
  checkoutPartner,
  checkoutSession,
  type CheckoutCapabilities,
  type CheckoutPartner,
  type CheckoutSession,
} from './embed-session.js';

/** The bootstrap answer on the wire (`docs/spec-notes.md`, bootstrap). */
export type EmbedBootstrap = {
  readonly object: 'embed_bootstrap';
  readonly available: boolean;
  readonly unavailable_reason: UnavailableReason | null;
  readonly mode: Mode;
  readonly embed_token: string;
  readonly expires_at: string;
  readonly expires_in: number;
  readonly flow: Flow | null;
  readonly partner: CheckoutPartner;
  readonly session: CheckoutSession | null;
  readonly capabilities: CheckoutCapabilities;
  /** Null while the partner has set nothing. */
  readonly branding: GateBranding | null;
};

export function bootstrapResource(opened: Bootstrapped): JsonText<EmbedBootstrap> {
  const { session, partner, branding } = opened;
  return jsonObject(
    {
      object: 'embed_bootstrap',
      available: opened.unavailableReason === null,
      unavailable_reason: opened.unavailableReason,
      mode: opened.mode,
      embed_token: opened.embedToken,
      expires_at: isoTime(opened.expiresAt),
      expires_in: Math.floor((opened.expiresAt - opened.issuedAt) / 1000),
      flow: session?.terms.flow ?? null,
      partner: checkoutPartner(partner),
    } satisfies Omit<EmbedBootstrap, 'session' | 'capabilities' | 'branding'>,
    {
      session: session === null ? toJsonText(null) : checkoutSession(session),
      capabilities: toJsonText(checkoutCapabilities(opened)),
      branding: branding === null ? toJsonText(null) : brandingResource(branding),
    },
  );
}
