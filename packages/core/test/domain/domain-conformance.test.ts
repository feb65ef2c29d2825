import { describeLaws, domainLaws, gateDomain } from '@gateramp/conformance';
import { describe, it } from 'vitest';

describeLaws(domainLaws, gateDomain, { describe, it });
