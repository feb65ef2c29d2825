import type { Messages } from '../i18n/en.js';
import type { Stage } from '../wire/types.js';
import { CrossIcon, TickIcon } from './icons.js';

const LOOKS = { completed: 'done', processing: 'active', pending: 'ahead', failed: 'failed' } as const;

/** What has been done of an order, what is being done, and what is to come: in words too, for screen readers. */
export function StageList({ stages, t }: { readonly stages: readonly Stage[]; readonly t: Messages }) {
  return (
    <ol class="stages">
      {stages.map(({ type, status }) => {
        const look = LOOKS[status];
        return (
          <li key={type} class={`stage stage-${look}`}>
            <span class="stage-dot">
              {look === 'done' && <TickIcon />}
              {look === 'failed' && <CrossIcon />}
              {look === 'active' && <span class="spinner" aria-hidden="true" />}
            </span>
            <span class="stage-name">{t.stages[type] ?? type}</span>
            <span class="stage-status">{t.stageStatus[look]}</span>
          </li>
        );
      })}
    </ol>
  );
}
