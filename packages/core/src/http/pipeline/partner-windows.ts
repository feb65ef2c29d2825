import type { Engine } from '../../application/engine.js';
import { readBearer } from '../../domain/keys/api-key.js';
import type { Partner } from '../../domain/partner/partner.js';
import type { AnyEndpoint } from '../endpoint.js';
import { headerOf, type HttpRequest } from '../message.js';

/** Keys of partners with windows of their own that are remembered; beyond that, requests cost their address a hit too. */
const REMEMBERED_MAX = 10_000;

/** Look-ups at once for addresses that are blocked: guessing keys from there costs the store no more. */
const BLOCKED_LOOKUPS_MAX = 4;

/** Whose windows a request is counted in, and how much wider than the contract's they are. */
export interface PartnerWindow {
  readonly partnerId: string;
  readonly factor: number;
}

/**
 * Which requests are counted per partner instead of per address: those with a secret key of a partner that has a `rateLimitFactor`.
 * Requests are counted before their key is looked up, so such keys are remembered, and one from a blocked address is looked up first.
 */
export class PartnerWindows {
  private readonly remembered = new Map<string, PartnerWindow>();
  private lookups = 0;

  constructor(private readonly engine: Pick<Engine, 'crypto' | 'partners'>) {}

  /** From an earlier request with the same key; it costs nothing where no partner has a factor. */
  recall(endpoint: AnyEndpoint | null, request: HttpRequest): PartnerWindow | null {
    if (this.remembered.size === 0) return null;
    const hash = this.hashOf(endpoint, request);
    return hash === null ? null : (this.remembered.get(hash) ?? null);
  }

  /** By a look-up; null too when there are enough of them. */
  async find(endpoint: AnyEndpoint, request: HttpRequest): Promise<PartnerWindow | null> {
    const hash = this.hashOf(endpoint, request);
    if (hash === null || this.lookups >= BLOCKED_LOOKUPS_MAX) return null;
    this.lookups += 1;
    try {
      const holder = await this.engine.partners.findKey(hash);
      return holder === null ? null : windowOf(holder.partner);
    } finally {
      this.lookups -= 1;
    }
  }

  /** Of an authenticated request, to be remembered; a key that is no longer one of such a partner is forgotten. */
  learn(endpoint: AnyEndpoint, request: HttpRequest, partner: Partner | null): PartnerWindow | null {
    const window = partner === null ? null : windowOf(partner);
    if (window === null && this.remembered.size === 0) return null;
    const hash = this.hashOf(endpoint, request);
    if (hash === null) return null;
    if (window === null) this.remembered.delete(hash);
    else if (this.remembered.size < REMEMBERED_MAX || this.remembered.has(hash)) this.remembered.set(hash, window);
    return window;
  }

  /** Of the secret key; null where none is sent or the endpoint is not throttled. */
  private hashOf(endpoint: AnyEndpoint | null, request: HttpRequest): string | null {
    if (endpoint === null || endpoint.limits === null) return null;
    if (endpoint.auth !== 'secret' && endpoint.auth !== 'any_key') return null;
    const key = readBearer(headerOf(request, 'authorization'));
    return key.isOk() && key.value.type === 'secret' ? this.engine.crypto.hash(key.value.text) : null;
  }
}

function windowOf({ id, rateLimitFactor }: Partner): PartnerWindow | null {
  const factor = rateLimitFactor ?? null;
  return factor === null ? null : { partnerId: id, factor };
}
