import type { Cancelling } from '../app/app.js';
import type { Send } from '../app/run.js';
import type { Messages } from '../i18n/en.js';
import { QuietButton } from './buttons.js';
import { Refused } from './refused.js';
import { Sheet } from './sheet.js';

interface CancelSheetProps {
  readonly cancelling: Cancelling;
  readonly t: Messages;
  readonly send: Send;
}

/** Asks before the order is cancelled, since that cannot be undone. */
export function CancelSheet({ cancelling, t, send }: CancelSheetProps) {
  const { isSending, refusal } = cancelling;
  const isPaying = refusal?.code === 'session_processing';
  const keep = (): void => send({ type: 'cancel_withdrawn' });
  return (
    <Sheet title={t.cancelTitle} t={t} onClose={keep}>
      {!isPaying && <p>{t.cancelText}</p>}
      <div role="status">{refusal !== null && <Refused refusal={refusal} t={t} />}</div>
      <div class="over-buttons">
        <QuietButton onClick={keep}>{t.keepOrder}</QuietButton>
        {!isPaying && (
          <button
            type="button"
            class="button button-danger"
            aria-disabled={isSending}
            onClick={() => send({ type: 'cancel_confirmed' })}
          >
            {isSending ? t.sending : t.cancelOrder}
          </button>
        )}
      </div>
    </Sheet>
  );
}
