import { webhooks, WebhookSignatureError } from '@gateramp/sdk-node';
import { type Command } from 'commander';
import { Refused, UsageError } from '../exit-codes.js';
import { standardInput } from '../input.js';
import { wholeNumber } from '../numbers.js';
import { printOne } from '../print.js';
import { parseRequest } from '../raw-request.js';
import { secretOf, secretOption } from '../secret-of.js';
import { withJson } from '../service.js';
import { paint, type Terminal } from '../terminal.js';

interface Options {
  readonly secret?: string;
  readonly tolerance: string;
  readonly at?: string;
  readonly json?: boolean;
}

const HELP = `
Reads one raw HTTP request (headers, an empty line, body) and checks its signature with GATERAMP_WEBHOOK_SECRET. If the check
fails, prints the failed check and its usual cause, and exits with code 1.

Examples:
  $ gateramp verify < request.txt
  $ gateramp verify --at 1700000000 < a-request-of-last-year.txt`;

export function addVerify(gateramp: Command, terminal: Terminal): void {
  withJson(gateramp.command('verify'))
    .description('verify the signature of a raw request')
    .addOption(secretOption())
    .option('--tolerance <seconds>', 'maximum age of the signature', '300')
    .option('--at <seconds>', 'time to compare with (default: now)')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, terminal));
}

async function run(options: Options, terminal: Terminal): Promise<void> {
  const secret = secretOf(options, terminal);
  const request = parseRequest(await standardInput());
  if (request === null)
    throw new UsageError('Standard input is not a request. Pass headers, an empty line and the body.');
  const now = options.at === undefined ? {} : { now: wholeNumber('--at', options.at) * 1000 };
  const toleranceSeconds = wholeNumber('--tolerance', options.tolerance);
  try {
    const event = webhooks.constructEvent(request.body, request.header('gate-signature'), secret, {
      toleranceSeconds,
      ...now,
    });
    if (options.json === true) printOne({ valid: true, event_id: event.id, type: event.type }, options, terminal);
    else terminal.out(paint('green', 'valid'), event.type, event.id);
  } catch (error) {
    if (!(error instanceof WebhookSignatureError)) throw error;
    const { reason, hint } = error;
    if (options.json === true) printOne({ valid: false, reason, hint }, options, terminal);
    else {
      terminal.out(paint('red', reason));
      terminal.out(hint);
    }
    throw new Refused();
  }
}
