import { describeLaws, httpSocketLaws, httpTransportLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { expressSubject } from './express-subject.js';

// tests/contract/test runs the laws of the wire contract behind Express.
for (const laws of [httpTransportLaws, httpSocketLaws]) describeLaws(laws, expressSubject(), { describe, it });
