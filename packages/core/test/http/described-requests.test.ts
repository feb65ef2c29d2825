import { describedRequestLaws, describeLaws, fetchSubject } from '@gateramp/conformance';
import { describe, it } from 'vitest';

describeLaws(describedRequestLaws({ runs: 10_000 }), fetchSubject(), {
  describe,
  it: (title, run) => it(title, run, 120_000),
});
