import type { Scope } from '../../domain/mode.js';
import { pausedSince } from '../../domain/partner/partner.js';
import type { Engine } from '../engine.js';

/** Where the webhooks of a partner go in one mode, and what they are signed with. */
export interface Recipient {
  readonly url: string;
  /** Opened; more than one while a rotation's grace lasts. */
  readonly secrets: readonly string[];
}

/** Null when no URL is set. */
export type Recipients = (scope: Scope) => Promise<Recipient | 'paused' | null>;

/**
 * For the deliveries of one claim: each endpoint is read, and its secrets are opened, once and after the claim. So a corrected URL or a
 * rotation takes effect at once.
 */
export function recipientsOnce({ partners, crypto, clock }: Pick<Engine, 'partners' | 'crypto' | 'clock'>): Recipients {
  const known = new Map<string, ReturnType<Recipients>>();
  const read: Recipients = async (scope) => {
    const endpoint = await partners.findEndpoint(scope);
    if (pausedSince(endpoint) !== null) return 'paused';
    if (!endpoint?.url) return null;
    const now = clock.now(scope.mode);
    const signing = endpoint.secrets.filter(({ expiresAt }) => expiresAt === null || now <= expiresAt);
    return { url: endpoint.url, secrets: signing.map(({ sealed }) => crypto.openSecret(sealed, scope)) };
  };
  return (scope) => {
    const name = `${scope.partnerId}/${scope.mode}`;
    const recipient = known.get(name) ?? read(scope);
    known.set(name, recipient);
    return recipient;
  };
}
