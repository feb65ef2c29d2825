import { describeLaws, httpSocketLaws, httpTransportLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { fastifySubject } from './fastify-subject.js';

// tests/contract/test runs the laws of the wire contract behind Fastify.
for (const laws of [httpTransportLaws, httpSocketLaws]) describeLaws(laws, fastifySubject(), { describe, it });
