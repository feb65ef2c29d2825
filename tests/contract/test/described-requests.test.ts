import { describeLaws, fetchSubject } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { runs } from '../../depth.js';
import { describedRequestLaws } from '../index.js';

describeLaws(describedRequestLaws({ runs: runs(300, 10_000) }), fetchSubject(), {
  describe,
  it: (title, run) => it(title, run, 120_000),
});
