import {
  describeLaws,
  kycVaultLaws,
  rateLimitsLaws,
  sandboxStoreLaws,
  schedulerLaws,
  storeLaws,
} from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { kycVaultSubject, rateLimitsSubject, schedulerSubject, storeSubject } from './memory-subjects.js';

const runner = { describe, it };

describeLaws([...storeLaws, ...sandboxStoreLaws], storeSubject(), runner);
describeLaws(schedulerLaws, schedulerSubject(), runner);
describeLaws(kycVaultLaws, kycVaultSubject(), runner);
describeLaws(rateLimitsLaws, rateLimitsSubject(), runner);
