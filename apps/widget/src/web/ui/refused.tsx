import type { Messages } from '../i18n/en.js';
import { isOutage, type Refusal } from '../wire/refusal.js';

/** Buyers need not know why a shop takes no orders. */
const SAME_TEXT: Readonly<Record<string, string>> = { partner_suspended: 'quota_exhausted' };

/** The reason for a refusal, and the request id for support. */
export function Refused({ refusal, t }: { readonly refusal: Refusal; readonly t: Messages }) {
  return (
    <div class="notice notice-bad">
      <p>
        {t.refusals[SAME_TEXT[refusal.code] ?? refusal.code] ?? (isOutage(refusal.code) ? t.outage : t.otherRefusal)}
      </p>
      {refusal.requestId !== null && (
        <p class="fine">
          {t.requestId} <bdi dir="ltr">{refusal.requestId}</bdi>
        </p>
      )}
    </div>
  );
}
