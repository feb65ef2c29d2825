import { describeLaws, fetchSubject } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { describedRequestLaws } from '../../../../tests/contract/index.js';
import { runs } from '../../../../tests/depth.js';

describeLaws(describedRequestLaws({ runs: runs(300, 10_000) }), fetchSubject(), {
  describe,
  it: (title, run) => it(title, run, 120_000),
});
