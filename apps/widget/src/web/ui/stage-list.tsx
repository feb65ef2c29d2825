import { timeText } from '../i18n/times.js';
import type { Messages } from '../i18n/en.js';
import type { Intent, Stage } from '../wire/types.js';
import { CrossIcon, TickIcon } from './icons.js';

const LOOKS = { completed: 'done', processing: 'active', pending: 'ahead', failed: 'failed' } as const;

interface StageListProps extends Pick<Intent, 'flow' | 'transaction'> {
  readonly stages: readonly Stage[];
  readonly locale: string;
  readonly t: Messages;
}

/** The stages of an order with their status and completion time. The status is also given as text, for screen readers. */
export function StageList({ stages, flow, transaction, locale, t }: StageListProps) {
  const confirmed = flow === 'off_ramp' ? 'deposit' : 'delivery';
  return (
    <ol class="stages">
      {stages.map(({ type, status, updated_at: updatedAt }) => {
        const look = LOOKS[status];
        const confirmations = type === confirmed ? (transaction?.confirmations ?? null) : null;
        return (
          <li key={type} class={`stage stage-${look}`}>
            <span class="stage-dot">
              {look === 'done' && <TickIcon />}
              {look === 'failed' && <CrossIcon />}
              {look === 'active' && <span class="spinner" aria-hidden="true" />}
            </span>
            <span class="stage-name">
              {t.stages[type] ?? type}
              {confirmations !== null && (
                <span class="quiet fine stage-more">{t.confirmations(confirmations.seen, confirmations.required)}</span>
              )}
            </span>
            <span class="stage-status">
              {t.stageStatus[look]}
              {look === 'done' && updatedAt !== null && <bdi class="stage-time">{timeText(updatedAt, locale)}</bdi>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
