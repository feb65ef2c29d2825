import { PermissionError, type CreateGateSession, type Gate } from '@gateramp/sdk-node';
import { Argument, Option, type Command } from 'commander';
import { UsageError } from '../exit-codes.js';
import { wholeNumber } from '../numbers.js';
import { printOne } from '../print.js';
import { serviceOf, withService, type ServiceOptions } from '../service.js';
import { type Terminal } from '../terminal.js';

interface Options extends ServiceOptions {
  readonly session?: string;
  readonly set: readonly string[];
  readonly amount?: string;
  readonly advance?: string;
}

/** The scenarios of the service's test helpers; the service may support more. */
const SCENARIOS = [
  'succeed',
  'decline',
  'kyc_required',
  'kyc_rejected',
  'processing',
  'settlement_error',
  'late_settlement',
  'abandon',
  'charged_back',
  'dispute_won',
  'refund_returned',
];

/** The order of the demo partner; other partners have their own pages, to be set by --set return_url=…. */
const ORDER: CreateGateSession = {
  amount: '100.00',
  currency: 'EUR',
  return_url: 'http://localhost:4240/done',
  flow: 'on_ramp',
  target_token: 'USDC',
  target_network: 'base',
};

const HELP = `
Scenarios: ${SCENARIOS.join(', ')}.
Simulates a checkout scenario in test mode: the session passes through its real states and sends every event. Without --session
a session is created. The last three are actions of the bank of a buyer who has paid.

Examples:
  $ gateramp trigger succeed
  $ gateramp trigger decline --set amount=250.00 --set user_reference=order-7
  $ gateramp trigger succeed --session 68a1f0c2b7e94d1f3a5c7e90 --advance 60
  $ gateramp trigger charged_back --session 68a1f0c2b7e94d1f3a5c7e90 --amount 20.00`;

export function addTrigger(gateramp: Command, terminal: Terminal): void {
  withService(gateramp.command('trigger'))
    .description('simulate a checkout scenario')
    .addArgument(new Argument('<scenario>', 'the scenario to simulate'))
    .option('--session <id>', 'the session to use (default: a new one)')
    .addOption(new Option('--set <field=value>', 'field of the new session; repeatable').default([]).argParser(collect))
    .option('--amount <amount>', 'amount of the chargeback (default: the whole remaining amount)')
    .option('--advance <seconds>', 'advance the test clock afterwards and run what comes due')
    .addHelpText('after', HELP)
    .action((scenario: string, options: Options) => run(scenario, options, terminal));
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

async function run(scenario: string, options: Options, terminal: Terminal): Promise<void> {
  const gate = serviceOf(terminal, options);
  const fields = Object.fromEntries(options.set.map(fieldOf));
  if (options.session !== undefined && options.set.length > 0)
    throw new UsageError('--set cannot be used with --session: the terms of an existing session are fixed.');
  // An existing session changes only if the service knows the scenario; a new one would already have sent its event.
  if (options.session === undefined && !SCENARIOS.includes(scenario))
    throw new UsageError(`Unknown scenario "${scenario}". Use one of: ${SCENARIOS.join(', ')}.`);
  const seconds = options.advance === undefined ? null : wholeNumber('--advance', options.advance);
  const sessionId = options.session ?? (await open(gate, fields, terminal));
  printOne(await gate.testHelpers.simulate(sessionId, scenario, { amount: options.amount }), options, terminal);
  if (seconds !== null) await gate.testHelpers.advanceClock(seconds);
}

async function open(gate: Gate, fields: Readonly<Record<string, unknown>>, { note }: Terminal): Promise<string> {
  try {
    const { id } = await gate.gateSessions.create(ORDER, { extraBody: fields });
    note(`Created session ${id}.`);
    return id;
  } catch (error) {
    const isOurs = error instanceof PermissionError && error.code === 'origin_not_allowed' && !('return_url' in fields);
    if (isOurs) note(`${ORDER.return_url} is the page of the demo shop. Use your own with --set return_url=https://…`);
    throw error;
  }
}

/** `metadata={"order":7}` is JSON, `amount=250.00` is text, like every other field of a session. */
function fieldOf(text: string): [string, unknown] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`--set must be field=value, not "${text}".`);
  const [name, value] = [text.slice(0, equals), text.slice(equals + 1)];
  if (value === 'null') return [name, null];
  return [name, value.startsWith('{') ? jsonOf(name, value) : value];
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--set ${name}=… is not valid JSON.`);
  }
}
