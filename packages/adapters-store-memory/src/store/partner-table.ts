import type { ApiKey, Mode, Partner, Scope, WebhookEndpoint } from '@gateramp/core';
import type { KeyHolder } from '@gateramp/core/ports';

/** Who may call, and where their webhooks go. */
export class PartnerTable {
  private readonly partners = new Map<string, Partner>();
  private readonly keys = new Map<string, ApiKey>();
  private readonly endpoints: Record<Mode, Map<string, WebhookEndpoint>> = { test: new Map(), live: new Map() };

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

  savePartner(partner: Partner): void {
    this.partners.set(partner.id, partner);
  }

  saveKey(key: ApiKey): void {
    this.keys.set(key.hash, key);
  }

  saveEndpoint(endpoint: WebhookEndpoint): void {
    this.endpoints[endpoint.mode].set(endpoint.partnerId, endpoint);
  }
}
