import { describeLaws, rateLimitsLaws, schedulerLaws, storeLaws } from '@gateramp/testing/conformance';
import { describe, it } from 'vitest';
import { rateLimitsSubject, schedulerSubject, storeSubject } from './memory-subjects.js';

const runner = { describe, it };

describeLaws(storeLaws, storeSubject(), runner);
describeLaws(schedulerLaws, schedulerSubject(), runner);
describeLaws(rateLimitsLaws, rateLimitsSubject(), runner);
