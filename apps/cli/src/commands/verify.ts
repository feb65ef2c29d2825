import { webhooks, WebhookSignatureError } from '@gateramp/sdk-node';
import { type Command } from 'commander';
import { Refused, UsageFault } from '../exit-codes.js';
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
Reads one request as it came over the wire, headers, an empty line, body, and says whether its signature holds under
GATERAMP_WEBHOOK_SECRET, or which check fails and what is usually the matter. Exit code 1 where it does not hold.

Examples:
  $ gateramp verify < request.txt
  $ gateramp verify --at 1700000000 < a-request-of-last-year.txt`;

export function addVerify(gateramp: Command, terminal: Terminal): void {
  withJson(gateramp.command('verify'))
    .description('say whether the signature of a raw request holds, and why not')
    .addOption(secretOption())
    .option('--tolerance <seconds>', 'how old it may be', '300')
    .option('--at <seconds>', 'the time to judge it by, instead of now')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, terminal));
}

async function run(options: Options, terminal: Terminal): Promise<void> {
  const secret = secretOf(options, terminal);
  const request = parseRequest(await standardInput());
  if (request === null) throw new UsageFault('Standard input is no request: headers, an empty line, and the body.');
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
