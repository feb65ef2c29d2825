import { describeLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { domainLaws } from './laws/domain-laws.js';
import { gateDomain } from './laws/domain-subject.js';

describeLaws(domainLaws, gateDomain, { describe, it });
