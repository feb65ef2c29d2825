import type { Flow, Intent, Stage } from '../../wire/types.js';

const STAGES: Readonly<Record<Flow, readonly string[]>> = {
  on_ramp: ['payment', 'conversion', 'delivery'],
  off_ramp: ['deposit', 'conversion', 'payout'],
  swap: ['deposit', 'conversion', 'delivery'],
};

/** A stage that only some providers report. */
const SENT = 'send';

/** The stages that are shown to buyers. Until the service has reported them, the first one shows as in progress. */
export function knownStages({ flow, stages }: Intent): readonly Stage[] {
  const shown = STAGES[flow];
  if (stages === null)
    return shown.map((type, index) => ({ type, status: index === 0 ? 'processing' : 'pending', updated_at: null }));
  return stages.filter(({ type }) => type === SENT || shown.includes(type));
}
