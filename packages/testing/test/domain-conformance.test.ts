import { describeLaws, domainLaws, gateDomain } from '@gateramp/testing/conformance';
import { describe, it } from 'vitest';

describeLaws(domainLaws, gateDomain, { describe, it });
