import fc from 'fast-check';
import { EVERYBODY } from '../differential/cast.js';
import type { Ask, Command } from '../differential/command.js';
import { commands } from '../differential/histories.js';
import type { Gathering } from './crowd.js';

/** What is worked out of nothing that changes: it races with nobody, and would only be in the way of what does. */
const APART: ReadonlySet<Ask['to']> = new Set(['preview', 'capabilities', 'health', 'preflight', 'elsewhere']);

/** What makes sense while others are asking: nobody's keys are revoked, no endpoint goes, and time moves a little. */
const meanwhile: fc.Arbitrary<Command> = commands.filter((command) => {
  if (command.kind === 'pass') return command.ms <= 61_000;
  if (command.kind !== 'ask') return command.kind === 'receiver';
  return command.ask.to !== 'advance' && command.caller !== 'revoked' && !APART.has(command.ask.to);
});

export const gatherings: fc.Arbitrary<Gathering> = fc.record({
  clients: fc.array(fc.array(meanwhile, { maxLength: 30, size: 'max' }), { minLength: 2, maxLength: 6, size: 'max' }),
  walks: fc.array(fc.constantFrom(...EVERYBODY), { maxLength: 3 }),
  seed: fc.nat(),
});
