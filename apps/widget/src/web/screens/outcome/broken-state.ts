import type { Settings } from '../../app/app.js';
import type { Messages } from '../../i18n/en.js';
import { ownText } from '../../ui/refused.js';
import { isOutage, type Refusal } from '../../wire/refusal.js';

/**
 * Whether reloading may help. It does after an outage or a rate limit. An expired token is replaced by a reload of the full page, but in a
 * frame only the embedding page can replace it. A refusal without a text of its own says to try again, so it can be done.
 */
export function mayReload({ code }: Refusal, { kind }: Pick<Settings, 'kind'>, t: Pick<Messages, 'refusals'>): boolean {
  if (ownText({ code }, t) === null) return true;
  return isOutage(code) || code === 'rate_limit_exceeded' || (code === 'expired_embed_token' && kind === 'page');
}
