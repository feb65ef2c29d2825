import type { Flow, Intent, Stage } from '../../wire/types.js';

const STAGES: Readonly<Record<Flow, readonly string[]>> = {
  on_ramp: ['payment', 'conversion', 'delivery'],
  off_ramp: ['deposit', 'conversion', 'payout'],
  swap: ['deposit', 'conversion', 'delivery'],
};

/** Stages that say something to a buyer. Until the service has reported their status, the first one is in progress. */
export function knownStages({ flow, stages }: Intent): readonly Stage[] {
  const shown = STAGES[flow];
  if (stages === null) return shown.map((type, index) => ({ type, status: index === 0 ? 'processing' : 'pending' }));
  return stages.filter(({ type }) => shown.includes(type));
}
