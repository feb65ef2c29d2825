import type { Flow, Intent, Stage } from '../../wire/types.js';

const STAGES: Readonly<Record<Flow, readonly string[]>> = {
  on_ramp: ['payment', 'conversion', 'delivery'],
  off_ramp: ['deposit', 'conversion', 'payout'],
  swap: ['deposit', 'conversion', 'delivery'],
};

/** Stages that say something to a buyer. Until the service has said how they stand, the first one is under way. */
export function knownStages({ flow, stages }: Intent): readonly Stage[] {
  const shown = STAGES[flow];
  if (stages === null) return shown.map((type, index) => ({ type, status: index === 0 ? 'processing' : 'pending' }));
  return stages.filter(({ type }) => shown.includes(type));
}
