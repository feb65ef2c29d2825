import { describeLaws, fetchSubject, httpTransportLaws } from '@gateramp/testing/conformance';
import { describe, it } from 'vitest';

describeLaws(httpTransportLaws, fetchSubject(), { describe, it });
