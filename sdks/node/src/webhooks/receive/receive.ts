import { WebhookSignatureError } from '../../errors/webhook-signature-error.js';
import { type WebhookEvent } from '../../types/webhook-event.js';
import {
  bytesOf,
  checkFinite,
  constructEvent,
  secretsOf,
  TOLERANCE_SECONDS,
  type SignatureHeader,
  type SigningSecrets,
  type VerifyOptions,
} from '../construct-event.js';
import { answer, BODY_TOO_LARGE, type WebhookResponse, type ReceiveDelivery } from './answer.js';
import { BODY_BYTES_MAX } from './body-limit.js';
import { expressHandler, type ExpressHandler } from './express.js';
import { fastifyPlugin, type FastifyPlugin } from './fastify.js';
import { fetchHandler } from './fetch.js';
import {
  handleInTransaction,
  handleUnderClaim,
  receivedEventOf,
  type EventContext,
  type EventTrace,
  type Handled,
} from './handle-once.js';
import { memoryEvents, type ReceivedEvents, type TransactionalEvents } from './received-events.js';

/** The signing secrets, the event handler, and the store of handled events. */
export interface ReceiveOptions<Transaction = undefined> extends Pick<VerifyOptions, 'toleranceSeconds'> {
  /** One secret, or, during a rotation, the old and the new. */
  readonly secret: SigningSecrets;
  /**
   * Handles an event; called until it succeeds once per event. If it throws, the response is 500 and the event is delivered again. Return
   * within ten seconds, and move longer work to a queue.
   */
  readonly handle: (event: WebhookEvent, about: EventContext<Transaction>) => unknown;
  /** The record of handled events. Default: in memory, which serves one process only. */
  readonly store?: ReceivedEvents | TransactionalEvents<Transaction> | undefined;
  /**
   * How long a claim in a `ReceivedEvents` store keeps other processes from handling the event; must exceed the longest run of `handle`.
   * After a crash the event can be handled again once this time has passed. Default: 60.
   */
  readonly leaseSeconds?: number | undefined;
  /** Called with errors of `handle` or the store; the sender only sees a failure. Default: writes to the console. */
  readonly onError?: ((error: unknown, event: WebhookEvent) => void) | undefined;
  /** Called with refused deliveries: forgeries, and configuration mistakes. */
  readonly onRefused?: ((error: WebhookSignatureError) => void) | undefined;
  /** The clock for checking signatures, in epoch milliseconds. Default: the system clock. Set it in tests with virtual time. */
  readonly now?: (() => number) | undefined;
}

/** A webhook receiver with an entry point for each framework. Every entry point reads the raw body itself. */
export interface WebhookReceiver {
  /** `app.post('/hooks', receiver.express)`, before or without `express.json()`; also a listener for `node:http`. */
  readonly express: ExpressHandler;
  /** `fastify.register(receiver.fastify, { url: '/hooks' })`; its body parser is limited to the plugin. */
  readonly fastify: FastifyPlugin;
  /** `export const POST = receiver.fetch`: Next.js, Hono, Bun, Deno, workers. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** For any other framework: takes the raw body and the headers `Gate-Signature` and, for traces, `traceparent` and `tracestate`. */
  readonly receive: ReceiveDelivery;
}

const LEASE_SECONDS = 60;

/** Verifies deliveries and handles each event once. A malformed secret or tolerance throws here, not at the first delivery. */
export function receive<Transaction = undefined>(options: ReceiveOptions<Transaction>): WebhookReceiver {
  const secrets = secretsOf(options.secret);
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now, onError = report } = options;
  checkFinite('toleranceSeconds', toleranceSeconds);
  checkFinite('now', now());
  const handleOnce = onceBy(options);
  const running = new Map<string, Promise<WebhookResponse>>();

  const take: ReceiveDelivery = async (payload, header, traceparent, tracestate) => {
    let event: WebhookEvent;
    try {
      const body = bytesOf(payload);
      if (body.length > BODY_BYTES_MAX) return BODY_TOO_LARGE;
      event = constructEvent(body, header, secrets, { toleranceSeconds, now: now() });
    } catch (error) {
      if (!(error instanceof WebhookSignatureError)) throw error;
      options.onRefused?.(error);
      return answer(400, { error: { reason: error.reason, message: error.hint } });
    }
    // A repeated delivery waits for the one in progress.
    const inProgress = running.get(event.id);
    if (inProgress !== undefined) return inProgress;
    const work = handleOnce(event, traceOf(traceparent, tracestate))
      .then((handled) => ANSWERS[handled])
      .catch((error: unknown) => {
        onError(error, event);
        return FAILED;
      })
      .finally(() => running.delete(event.id));
    running.set(event.id, work);
    return work;
  };
  return { receive: take, express: expressHandler(take), fastify: fastifyPlugin(take), fetch: fetchHandler(take) };
}

/** Selects how to handle each event once, by the kind of the store. */
function onceBy<Transaction>(
  options: ReceiveOptions<Transaction>,
): (event: WebhookEvent, trace: EventTrace) => Promise<Handled> {
  const { handle, store = memoryEvents(), leaseSeconds = LEASE_SECONDS } = options;
  checkFinite('leaseSeconds', leaseSeconds);
  if ('transaction' in store)
    return (event, trace) =>
      handleInTransaction(receivedEventOf(event), store, (context) => handle(event, { ...context, ...trace }));
  // Without a transactional store `Transaction` is `undefined`.
  const handleAlone = handle as (event: WebhookEvent, about: EventContext) => unknown;
  return (event, trace) =>
    handleUnderClaim(receivedEventOf(event), store, {
      leaseSeconds,
      handle: (context) => handleAlone(event, { ...context, ...trace }),
    });
}

/** Null unless it is a valid `traceparent` of version 00, since proxies may add or join headers. A `tracestate` alone means nothing. */
function traceOf(traceparent: SignatureHeader, tracestate: SignatureHeader): EventTrace {
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return { traceparent: null, tracestate: null };
  return { traceparent, tracestate: typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? tracestate : null };
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Its length at most, and no control characters; tracers check the rest. */
const TRACESTATE = /^[ -~]{1,512}$/;

const ANSWERS: Readonly<Record<Handled, WebhookResponse>> = {
  handled: answer(200, { received: true }),
  duplicate: answer(200, { received: true, duplicate: true }),
  // Refused rather than acknowledged: if that process crashes, the next delivery triggers the handling.
  in_progress: answer(503, { error: { reason: 'in_progress', message: 'Another process is handling this event.' } }),
};

const FAILED = answer(500, {
  error: { reason: 'handler_failed', message: 'The receiver could not handle this event.' },
});

function report(error: unknown, { id, type }: WebhookEvent): void {
  // oxlint-disable-next-line no-console -- without a log entry, the error would be looked for at the sender.
  console.error(`The webhook ${id} (${type}) was not handled.`, error);
}
