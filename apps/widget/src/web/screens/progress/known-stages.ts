import type { Flow, Intent, Stage } from '../../wire/types.js';

const STAGES: Readonly<Record<Flow, readonly string[]>> = {
  on_ramp: ['payment', 'conversion', 'delivery'],
  off_ramp: ['deposit', 'conversion', 'payout'],
  swap: ['deposit', 'conversion', 'delivery'],
};

/** What only some providers report. */
const SENT = 'send';

/** Stages that say something to a buyer. Until the service has reported their status, the first one is in progress. */
export function knownStages({ flow, stages }: Intent): readonly Stage[] {
  const shown = STAGES[flow];
  if (stages === null)
    return shown.map((type, index) => ({ type, status: index === 0 ? 'processing' : 'pending', updated_at: null }));
  return stages.filter(({ type }) => type === SENT || shown.includes(type));
}
