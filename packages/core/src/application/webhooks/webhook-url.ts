import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { Engine } from '../engine.js';

export type NoWebhookUrl = Refusal<'webhook_url_not_configured'>;

/** Where the partner's webhooks of a mode go now. Without a URL there is nowhere to send anything. */
export async function webhookUrl({ partners }: Engine, scope: Scope): Promise<Result<string, NoWebhookUrl>> {
  const url = (await partners.findEndpoint(scope))?.url;
  if (url) return ok(url);
  return refuse('webhook_url_not_configured', `No webhook URL is set for ${scope.mode} mode; set one first.`);
}
