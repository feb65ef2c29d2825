import type { Messages } from '../i18n/en.js';
import { isOutage, type Refusal } from '../wire/refusal.js';

/** Buyers need not know why a shop takes no orders. */
const SAME_TEXT: Readonly<Record<string, string>> = { partner_suspended: 'quota_exhausted' };

/** The text for a code; null if it only has the general one, which says to try again. */
export const ownText = ({ code }: Pick<Refusal, 'code'>, { refusals }: Pick<Messages, 'refusals'>): string | null =>
  refusals[SAME_TEXT[code] ?? code] ?? null;

/** The reason for a refusal, and the request id for support. */
export function Refused({ refusal, t }: { readonly refusal: Refusal; readonly t: Messages }) {
  return (
    <div class="notice notice-bad">
      <p>{ownText(refusal, t) ?? (isOutage(refusal.code) ? t.outage : t.otherRefusal)}</p>
      {refusal.requestId !== null && (
        <p class="fine">
          {t.requestId} <bdi dir="ltr">{refusal.requestId}</bdi>
        </p>
      )}
    </div>
  );
}
