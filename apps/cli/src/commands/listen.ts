import { randomBytes } from 'node:crypto';
import { APIConnectionError, APIError, RateLimitError, type Gate, type GateEvent } from '@gateramp/sdk-node';
import { type Command } from 'commander';
import { UsageError } from '../exit-codes.js';
import { listen } from '../listen/listen.js';
import { isAcknowledged, type Posted } from '../listen/post.js';
import { readState, stateFile, writeState, type State } from '../listen/state-file.js';
import { stopSignal } from '../listen/stop-signal.js';
import { serviceOf, withService, type ServiceOptions } from '../service.js';
import { paint, type Painted, type Terminal } from '../terminal.js';
import { urlOf } from '../url-of.js';
import { givenSecret, secretOption } from '../secret-of.js';

interface Options extends ServiceOptions {
  readonly forwardTo: string;
  readonly secret?: string;
  readonly events?: string;
  readonly fromStart?: boolean;
  readonly state?: string;
  readonly interval: string;
}

const INTERVAL_MS = 1500;

const HELP = `
Posts every event of your key's partner and mode to your receiver, in order, with a fresh signature. Works with any deployment
and needs no tunnel. The position is saved, so events that occur while the command, your receiver or the service is down are
sent afterwards. If the receiver is down, the command waits; an event that the receiver refuses five times is skipped. Events
are signed with GATERAMP_WEBHOOK_SECRET, or with a generated secret that is printed once and kept in the state file.

Examples:
  $ gateramp listen --forward-to localhost:3000/hooks
  $ gateramp listen --forward-to localhost:3000/hooks --events gate_session.completed,gate_session.failed
  $ gateramp listen --forward-to localhost:3000/hooks --from-start --json`;

export function addListen(gateramp: Command, terminal: Terminal): void {
  withService(gateramp.command('listen'))
    .description('forward events to a receiver on this machine')
    .requiredOption('--forward-to <url>', 'URL of your receiver; http:// is optional')
    .addOption(secretOption())
    .option('--events <types>', 'only these event types, comma-separated')
    .option('--from-start', 'start with the oldest event instead of the saved position')
    .option('--state <file>', 'file for the saved position (default: in ~/.gateramp)')
    .option('--interval <ms>', 'polling interval', String(INTERVAL_MS))
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, terminal));
}

async function run(options: Options, terminal: Terminal): Promise<void> {
  const url = urlOf(options.forwardTo);
  const intervalMs = Number(options.interval);
  if (!(intervalMs >= 50)) throw new UsageError('--interval must be a number of milliseconds, at least 50.');
  const gate = serviceOf(terminal, options);
  const file = options.state ?? stateFile(terminal.environment.stateDir, feedOf(terminal, options), url);
  const saved = readState(file);
  const configured = givenSecret(options, terminal) ?? saved?.secret ?? null;
  const secret = configured ?? newSecret();
  const after = await startOf(options, saved, gate);
  writeState(file, { secret, after });
  // Registered before the ready message, because a caller may send a signal as soon as it reads that message.
  const signal = stopSignal(terminal.environment);
  reportReady(terminal, options, { url, newSecret: configured === null ? secret : null });
  await listen({
    gate,
    url,
    secret,
    after,
    intervalMs,
    types: options.events?.split(',').map((type) => type.trim()) ?? null,
    signal,
    keep: (kept) => writeState(file, { secret, after: kept }),
    onAttempt: (event, posted, attempt) => terminal.out(...lineOf(event, posted, attempt, options)),
    onLeftBehind: ({ id }) =>
      terminal.note(
        `${id} was skipped: your receiver refused it five times. Use --from-start to send all events again.`,
      ),
    onDataLost: () =>
      terminal.note(
        'The service does not know the last forwarded event, so it has lost its data. Starting with its oldest event.',
      ),
    onAway: (error) =>
      terminal.note(error === null ? 'The service is reachable again.' : `Waiting for the service: ${error.message}`),
  });
}

/** Identifies the feed: another key means another partner or mode. */
const feedOf = ({ environment }: Terminal, { baseUrl }: Options): string =>
  JSON.stringify([baseUrl ?? environment.baseUrl, environment.secretKey]);

/**
 * Without a saved position, existing events count as processed. Reads the list in any case, so that a refused key is reported before the
 * ready message; with a position, an outage is waited for.
 */
async function startOf({ fromStart }: Options, saved: State | null, gate: Gate): Promise<string | null> {
  const position = fromStart === true ? null : saved?.after;
  try {
    const { data } = await gate.events.list({ limit: 1 });
    return position === undefined ? (data[0]?.id ?? null) : position;
  } catch (error) {
    if (position === undefined || !isOutage(error)) throw error;
    return position;
  }
}

const isOutage = (error: unknown): boolean =>
  error instanceof APIConnectionError || error instanceof APIError || error instanceof RateLimitError;

const newSecret = (): string => `whsec_${randomBytes(24).toString('hex')}`;

/** Prints a secret only when it has just been created: a configured one is known, and a saved one is in the state file. */
function reportReady(
  terminal: Terminal,
  { json }: Options,
  { url, newSecret }: { readonly url: string; readonly newSecret: string | null },
): void {
  if (json === true) return terminal.out(JSON.stringify({ ready: true, forward_to: url, secret: newSecret }));
  if (newSecret !== null) terminal.out('Signing secret', paint('bold', newSecret));
  terminal.out(`Forwarding events to ${url}`);
}

function lineOf(event: GateEvent, posted: Posted, attempt: number, { json }: Options): readonly (string | Painted)[] {
  const { id, type, sequence } = event;
  const { status, error, answer, durationMs } = posted;
  const session = sessionOf(event);
  if (json === true) {
    const about = { event_id: id, type, session_id: session, sequence, attempt };
    return [JSON.stringify({ ...about, status, error, answer, duration_ms: durationMs })];
  }
  const time = new Date().toISOString().slice(11, 19);
  const result = paint(isAcknowledged(posted) ? 'green' : 'red', String(status ?? error));
  const again = attempt === 1 ? null : `(attempt ${attempt})`;
  const about = paint('grey', session === null ? id : `${id} of ${session}`);
  return [time, result, type, `${durationMs} ms`, about, again, answer].filter((part) => part !== null);
}

function sessionOf({ data }: GateEvent): string | null {
  const about: { readonly object?: unknown; readonly id?: unknown; readonly session_id?: unknown } = data;
  const id = about.object === 'gate_session' ? about.id : about.session_id;
  return typeof id === 'string' ? id : null;
}
