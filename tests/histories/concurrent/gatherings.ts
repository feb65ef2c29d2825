import fc from 'fast-check';
import { EVERYBODY } from '../differential/cast.js';
import type { Ask, Command, Members } from '../differential/command.js';
import { commands } from '../differential/histories.js';
import type { Gathering } from './crowd.js';

/** Requests for data that never changes. They race with no other call and would only slow down the others. */
const APART: ReadonlySet<Ask['to']> = new Set(['preview', 'capabilities', 'health', 'preflight', 'elsewhere']);

const RAIL_ASK: Members = {
  side: 'on_ramp',
  currency: 'EUR',
  asset: 'USDC',
  amount: '100.00',
  country_code: 'DE',
  payment_method: 'bank_transfer',
};

const POOL_ASK: Members = {
  side: 'on_ramp',
  currency: 'EUR',
  asset: 'USDC',
  network: 'base',
  amount: '70.00',
  destAddress: `0x${'0'.repeat(38)}aa`,
};

/** Commands that make sense with concurrent clients: no keys are revoked, no endpoints removed, and the clock moves only a little. */
const meanwhile: fc.Arbitrary<Command> = commands.filter((command) => {
  if (command.kind === 'pass') return command.ms <= 61_000;
  if (command.kind !== 'ask') return command.kind === 'receiver';
  return command.ask.to !== 'advance' && command.caller !== 'revoked' && !APART.has(command.ask.to);
});

/** Commands with which all clients execute the same few quotes: of rails, and of a pool whose balance covers three trades. */
const rush: fc.Arbitrary<Command> = fc
  .oneof(
    { weight: 1, arbitrary: fc.constant<Ask>({ to: 'quotePool', pool: 0, body: POOL_ASK }) },
    { weight: 3, arbitrary: fc.constant<Ask>({ to: 'transact', quote: 0, body: {} }) },
    { weight: 1, arbitrary: fc.constant<Ask>({ to: 'fixQuote', body: RAIL_ASK }) },
    { weight: 3, arbitrary: fc.constant<Ask>({ to: 'takeUp', rail: 'pay_in', quote: 0, body: {} }) },
  )
  .map((ask) => ({ kind: 'ask', ask, by: 0, caller: 'owner', key: { kind: 'fresh' }, twist: null }));

export const rushes: fc.Arbitrary<Gathering> = fc.record({
  clients: fc.array(fc.array(rush, { minLength: 4, maxLength: 12 }), { minLength: 3, maxLength: 5 }),
  walks: fc.constant([]),
  seed: fc.nat(),
});

const crowds: fc.Arbitrary<Gathering> = fc.record({
  clients: fc.array(fc.array(meanwhile, { maxLength: 30, size: 'max' }), { minLength: 2, maxLength: 6, size: 'max' }),
  walks: fc.array(fc.constantFrom(...EVERYBODY), { maxLength: 3 }),
  seed: fc.nat(),
});

export const gatherings: fc.Arbitrary<Gathering> = fc.oneof(
  { weight: 6, arbitrary: crowds },
  { weight: 1, arbitrary: rushes },
);
