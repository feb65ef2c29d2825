import type { Law } from '../../../../conformance/src/law.js';
import { accessLaws } from './access-laws.js';
import { deliveryRuleLaws } from './delivery-laws.js';
import type { DomainSubject } from './domain-subject.js';
import { purchaseLaws } from './purchase-laws.js';
import { sessionLaws } from './session-laws.js';
import { signatureLaws } from './signature-laws.js';

/** All guarantees of the domain rules as laws, so that planted faults can be shown to break them. */
export const domainLaws: readonly Law<DomainSubject>[] = [
  ...sessionLaws,
  ...purchaseLaws,
  ...deliveryRuleLaws,
  ...signatureLaws,
  ...accessLaws,
];
