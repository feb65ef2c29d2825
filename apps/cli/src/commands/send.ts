import { type Command } from 'commander';
import { Refused } from '../exit-codes.js';
import { bytesOf } from '../input.js';
import { headersOf, isAcknowledged, post } from '../listen/post.js';
import { wholeNumber } from '../numbers.js';
import { printOne } from '../print.js';
import { secretOf, secretOption } from '../secret-of.js';
import { withJson } from '../service.js';
import { paint, type Terminal } from '../terminal.js';
import { urlOf } from '../url-of.js';

interface Options {
  readonly file: string;
  readonly secret?: string;
  readonly to?: string;
  readonly timestamp?: string;
  readonly json?: boolean;
}

const HELP = `
Signs a body with GATERAMP_WEBHOOK_SECRET, as the service does, and posts it. Without --to the headers are printed.

Examples:
  $ gateramp send --file body.json --to localhost:3000/hooks
  $ gateramp send --file - --timestamp 1700000000 < body.json`;

export function addSend(gateramp: Command, terminal: Terminal): void {
  withJson(gateramp.command('send'))
    .description('sign a webhook body and post it')
    .requiredOption('--file <path>', 'file with the body, or - for standard input')
    .addOption(secretOption())
    .option('--to <url>', 'your receiver')
    .option('--timestamp <seconds>', 'timestamp of the signature (default: now)')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, terminal));
}

async function run(options: Options, terminal: Terminal): Promise<void> {
  const secret = secretOf(options, terminal);
  const body = await bytesOf(options.file);
  const timestamp = options.timestamp === undefined ? {} : { timestamp: wholeNumber('--timestamp', options.timestamp) };
  const delivery = {
    url: options.to === undefined ? '' : urlOf(options.to),
    body,
    secret,
    ...timestamp,
    ...nameOf(body),
  };
  if (options.to === undefined) {
    const headers = headersOf(delivery);
    if (options.json === true) return printOne(headers, options, terminal);
    return Object.entries(headers).forEach(([name, value]) => terminal.out(`${name}: ${value}`));
  }
  const posted = await post(delivery);
  const { status, error, answer, durationMs } = posted;
  if (options.json === true) printOne({ status, error, answer, duration_ms: durationMs }, options, terminal);
  else {
    const result = paint(isAcknowledged(posted) ? 'green' : 'red', String(status ?? error));
    terminal.out(...[result, `${durationMs} ms`, answer].filter((part) => part !== null));
  }
  if (!isAcknowledged(posted)) throw new Refused();
}

/** The id and type for the headers, if the body has any. */
function nameOf(body: Uint8Array): { readonly eventId: string | null; readonly eventType: string | null } {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(body));
    const { id, type } = Object(event) as { readonly id?: unknown; readonly type?: unknown };
    return { eventId: visible(id), eventType: visible(type) };
  } catch {
    return { eventId: null, eventType: null };
  }
}

/** The value, if a header can contain it. */
const visible = (value: unknown): string | null =>
  typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : null;
