import { DELIVERY_LAWS } from './delivery-laws.mjs';
import { PURCHASE_LAWS } from './purchase-laws.mjs';
import { SESSION_LAWS } from './session-laws.mjs';
import { SURVIVAL_LAWS } from './survival-laws.mjs';

/** Each is a sentence and a function from the facts to its breaches. */
export const LAWS = [...SESSION_LAWS, ...DELIVERY_LAWS, ...PURCHASE_LAWS, ...SURVIVAL_LAWS];
