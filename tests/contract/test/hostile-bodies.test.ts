import { describeLaws, fetchSubject } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { runs } from '../../depth.js';
import { hostileBodyLaws } from '../index.js';

describeLaws(hostileBodyLaws({ runs: runs(300, 10_000) }), fetchSubject(), { describe, it });
