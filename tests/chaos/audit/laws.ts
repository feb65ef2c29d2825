import type { Facts } from './facts.js';
import type { Law } from './law.js';
import { DELIVERY_LAWS } from './delivery-laws.js';
import { PURCHASE_LAWS } from './purchase-laws.js';
import { POOL_LAWS } from './pool-laws.js';
import { RAIL_LAWS } from './rail-laws.js';
import { REPLAY_LAWS } from './replay-laws.js';
import { SESSION_LAWS } from './session-laws.js';
import { SURVIVAL_LAWS } from './survival-laws.js';

/** Each law is a sentence and a function that returns its breaches in the facts. */
export const LAWS: readonly Law<Facts>[] = [
  ...SESSION_LAWS,
  ...DELIVERY_LAWS,
  ...PURCHASE_LAWS,
  ...RAIL_LAWS,
  ...POOL_LAWS,
  ...REPLAY_LAWS,
  ...SURVIVAL_LAWS,
];
