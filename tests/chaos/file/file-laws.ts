import { TELLING_LAWS } from '../audit/delivery-laws.js';
import type { Facts } from '../audit/facts.js';
import type { Law } from '../audit/law.js';
import { PURCHASE_LAWS } from '../audit/purchase-laws.js';
import { SESSION_LAWS } from '../audit/session-laws.js';
import { ANSWER_LAWS } from '../audit/survival-laws.js';

/** The laws of a server on a data file, after kills and power cuts. */
export const FILE_LAWS: readonly Law<Facts>[] = [
  ...SESSION_LAWS,
  ...TELLING_LAWS,
  ...PURCHASE_LAWS,
  {
    law: 'kills of the server',
    check: ({ faults, form }) => ({ found: faults['server'] ?? 0, atLeast: form.file.kills + form.file.powerCuts }),
  },
  {
    law: 'kills at which the disk forgot what was not synced',
    check: ({ faults, form }) => ({ found: faults['power_cut'] ?? 0, atLeast: form.file.powerCuts }),
  },
  ...ANSWER_LAWS,
];
