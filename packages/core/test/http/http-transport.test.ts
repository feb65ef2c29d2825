import { describeLaws, fetchSubject, httpTransportLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';

describeLaws(httpTransportLaws, fetchSubject(), { describe, it });
