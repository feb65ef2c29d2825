import type { Settings } from '../../app/app.js';
import { isOutage, type Refusal } from '../../wire/refusal.js';

/**
 * Whether reloading may help. It does after an outage or a rate limit. An expired token is replaced by a reload of the full page, but in a
 * frame only the embedding page can replace it.
 */
export function mayReload({ code }: Refusal, { kind }: Pick<Settings, 'kind'>): boolean {
  return isOutage(code) || code === 'rate_limit_exceeded' || (code === 'expired_embed_token' && kind === 'page');
}
