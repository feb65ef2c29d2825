import { describeLaws, legsStoreLaws } from '@gateramp/conformance';
import { memoryLegsStore } from '@gateramp/provider-legs';
import { describe, it } from 'vitest';

const subject = { create: async () => ({ store: memoryLegsStore(), close: async () => undefined }) };
describeLaws(legsStoreLaws, subject, { describe, it });
