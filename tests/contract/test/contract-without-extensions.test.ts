import { describeLaws, fetchSubject, type HttpSubject } from '@gateramp/conformance';
import { describe, expect, it } from 'vitest';
import { createTestGate } from '@gateramp/testing';
import { engineContractLaws } from '../index.js';

const subject: HttpSubject = { ...fetchSubject(), extensions: [] };

describeLaws(engineContractLaws, subject, { describe, it });

it('a gate without extensions has none of what they add', async () => {
  const { gate } = await createTestGate({ extensions: [] });
  expect('pools' in gate || 'poolsHost' in gate || 'savePool' in gate.admin).toBe(false);
});
