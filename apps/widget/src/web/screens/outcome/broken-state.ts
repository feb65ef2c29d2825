import type { Settings } from '../../app/app.js';
import { isOutage, type Refusal } from '../../wire/refusal.js';

/**
 * Whether it may be there again when the page is loaded again. What has passed by then is an outage; a lapsed token is
 * replaced by the full page itself, and in a frame by the page around alone.
 */
export function mayReload({ code }: Refusal, { kind }: Pick<Settings, 'kind'>): boolean {
  return isOutage(code) || code === 'rate_limit_exceeded' || (code === 'expired_embed_token' && kind === 'page');
}
