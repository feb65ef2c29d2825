import { isDeepStrictEqual } from 'node:util';
import type { ApiKey, Mode, Partner, Scope, WebhookEndpoint } from '@gateramp/core';
import type { Instant } from '@gateramp/core/domain';
import type { EndpointWrite, KeyHolder, KeyRecord, PartnerSuspension } from '@gateramp/core/ports';
import { belongsTo } from './scoped-index.js';

/** Partners, their API keys and webhook endpoints. */
export class PartnerTable {
  private readonly partners = new Map<string, Partner>();
  private readonly keys = new Map<string, ApiKey>();
  /** By the hash of the key, in a separate map: saving a key keeps its last use. */
  private readonly lastUses = new Map<string, Instant>();
  private readonly endpoints: Record<Mode, Map<string, WebhookEndpoint>> = { test: new Map(), live: new Map() };

  all(): readonly Partner[] {
    return [...this.partners.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  partner(id: string): Partner | null {
    return this.partners.get(id) ?? null;
  }

  holder(hash: string): KeyHolder | null {
    const key = this.keys.get(hash);
    const partner = key === undefined ? undefined : this.partners.get(key.partnerId);
    return key === undefined || partner === undefined ? null : { key, partner };
  }

  endpoint(scope: Scope): WebhookEndpoint | null {
    return this.endpoints[scope.mode].get(scope.partnerId) ?? null;
  }

  /** Whether the endpoint is unchanged since it was read. */
  acceptsEndpoint(scope: Scope, { row, expected }: EndpointWrite): boolean {
    return belongsTo(row, scope) && isDeepStrictEqual(this.endpoint(scope), expected);
  }

  savePartner(partner: Partner): void {
    this.partners.set(partner.id, withSuspension(partner, this.partners.get(partner.id)?.suspendedAt ?? null));
  }

  saveSuspension({ partnerId, suspendedAt }: PartnerSuspension): void {
    const known = this.partners.get(partnerId);
    if (known !== undefined) this.partners.set(partnerId, withSuspension(known, suspendedAt));
  }

  saveKey(key: ApiKey): void {
    const revokedAt = this.keys.get(key.hash)?.revokedAt ?? key.revokedAt;
    this.keys.set(key.hash, { ...key, revokedAt });
  }

  saveEndpoint(endpoint: WebhookEndpoint): void {
    this.endpoints[endpoint.mode].set(endpoint.partnerId, endpoint);
  }

  noteKeyUse(hash: string, at: Instant): void {
    if (this.keys.has(hash)) this.lastUses.set(hash, Math.max(at, this.lastUses.get(hash) ?? at));
  }

  keysOf(partnerId: string): readonly KeyRecord[] {
    return [...this.keys.values()]
      .filter((key) => key.partnerId === partnerId)
      .sort((one, other) => one.createdAt - other.createdAt || (one.hash < other.hash ? -1 : 1))
      .map((key) => ({ key, lastUsedAt: this.lastUses.get(key.hash) ?? null }));
  }
}

function withSuspension({ suspendedAt: _, ...partner }: Partner, suspendedAt: Instant | null): Partner {
  return suspendedAt === null ? partner : { ...partner, suspendedAt };
}
