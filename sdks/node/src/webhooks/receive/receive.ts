import { WebhookSignatureError } from '../../errors/webhook-signature-error.js';
import { type WebhookEvent } from '../../types/webhook-event.js';
import {
  bytesOf,
  checkFinite,
  constructEvent,
  notAnEvent,
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
  LeaseEndedError,
  receivedEventOf,
  type EventContext,
  type EventTrace,
  type Handled,
} from './handle-once.js';
import { within } from './within.js';
import { memoryEvents, type ReceivedEvents, type TransactionalEvents } from './received-events.js';

/** The signing secrets, the event handler, and the store of handled events. */
export interface ReceiveOptions<Transaction = undefined> extends Pick<VerifyOptions, 'toleranceSeconds'> {
  /** One secret, or, during a rotation, the old and the new. */
  readonly secret: SigningSecrets;
  /**
   * Handles an event; called until it succeeds once per event. If it throws, the response is 500 and the event is delivered again. After
   * 8 s, or the lease if that is shorter, the response is 503 while `handle` continues. Move longer work to a queue.
   */
  readonly handle: (event: WebhookEvent, about: EventContext<Transaction>) => unknown;
  /** The record of handled events. Default: in memory, which serves one process only. */
  readonly store?: ReceivedEvents | TransactionalEvents<Transaction> | undefined;
  /**
   * How long one delivery keeps the others from handling the event; must exceed the longest run of `handle`. After that, a claim in a
   * `ReceivedEvents` store can be taken over, and a transaction of a `TransactionalEvents` store is rolled back. Default: 60.
   */
  readonly leaseSeconds?: number | undefined;
  /**
   * Called with errors of `handle` or the store, and if they take too long; the sender only sees a failure. Default: writes to the console.
   */
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

/** The service gives up on a delivery after ten seconds. */
const ANSWER_SECONDS = 8;

/** Verifies deliveries and handles each event once. A malformed secret or tolerance throws here, not at the first delivery. */
export function receive<Transaction = undefined>(options: ReceiveOptions<Transaction>): WebhookReceiver {
  const secrets = secretsOf(options.secret);
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now, leaseSeconds = LEASE_SECONDS } = options;
  const { onError = report, onRefused } = options;
  checkFinite('toleranceSeconds', toleranceSeconds);
  checkFinite('now', now());
  checkFinite('leaseSeconds', leaseSeconds);
  const handleOnce = onceBy(options, leaseSeconds);
  const answerSeconds = Math.min(leaseSeconds, ANSWER_SECONDS);
  /** By event, the newest delivery in this process whose handler is running. */
  const running = new Map<string, Promise<WebhookResponse>>();

  /** Answers in time. A handler that takes longer continues; its event can be claimed again when the lease has ended. */
  const answerFor = (event: WebhookEvent, trace: EventTrace): Promise<WebhookResponse> => {
    const fail = (error: unknown): void => callHook('onError', () => onError(error, event));
    let state: 'claiming' | 'handling' | 'joined' | 'answered' = 'claiming';
    const begin = (): void => {
      if (state === 'answered') throw new Error(`The webhook ${event.id} was answered before its handler could start.`);
      state = 'handling';
      running.set(event.id, work);
    };
    const work = handleOnce(event, trace, begin)
      .then((handled) => ANSWERS[handled])
      .catch((error: unknown) => {
        fail(error);
        return error instanceof LeaseEndedError ? ANSWERS.in_progress : FAILED;
      })
      .finally(() => {
        if (running.get(event.id) === work) running.delete(event.id);
      });
    const answered = work.then((own) => {
      const other = own === ANSWERS.in_progress ? running.get(event.id) : undefined;
      if (other === undefined) return own;
      state = 'joined';
      return other;
    });
    return within(answerSeconds, answered, () => {
      if (state !== 'joined')
        fail(new Error(`Handling ${event.id} takes longer than ${answerSeconds} s, so it was answered with 503.`));
      state = 'answered';
      return ANSWERS.in_progress;
    });
  };

  const take: ReceiveDelivery = async (payload, header, traceparent, tracestate) => {
    let event: WebhookEvent;
    try {
      const body = bytesOf(payload);
      if (body.length > BODY_BYTES_MAX) return BODY_TOO_LARGE;
      event = constructEvent(body, header, secrets, { toleranceSeconds, now: now() });
      // `constructEvent` accepts the bodies of tests without it.
      if (typeof event.type !== 'string') throw notAnEvent();
    } catch (error) {
      if (!(error instanceof WebhookSignatureError)) throw error;
      callHook('onRefused', () => onRefused?.(error));
      return answer(400, { error: { reason: error.reason, message: error.hint } });
    }
    return answerFor(event, traceOf(traceparent, tracestate));
  };
  return { receive: take, express: expressHandler(take), fastify: fastifyPlugin(take), fetch: fetchHandler(take) };
}

type HandleOnce = (event: WebhookEvent, trace: EventTrace, begin: () => void) => Promise<Handled>;

/** Selects how to handle each event once, by the kind of the store. */
function onceBy<Transaction>(options: ReceiveOptions<Transaction>, leaseSeconds: number): HandleOnce {
  const { handle, store = memoryEvents() } = options;
  if ('transaction' in store)
    return (event, trace, begin) =>
      handleInTransaction(receivedEventOf(event), store, {
        leaseSeconds,
        begin,
        handle: (context) => handle(event, { ...context, ...trace }),
      });
  // Without a transactional store `Transaction` is `undefined`.
  const handleAlone = handle as (event: WebhookEvent, about: EventContext) => unknown;
  return (event, trace, begin) =>
    handleUnderClaim(receivedEventOf(event), store, {
      leaseSeconds,
      begin,
      handle: (context) => handleAlone(event, { ...context, ...trace }),
    });
}

/** Calls a function of the host that can neither delay nor change the answer. */
function callHook(name: string, hook: () => unknown): void {
  const call = async (): Promise<unknown> => hook();
  call().catch((error: unknown) => {
    // oxlint-disable-next-line no-console -- there is no other place to report it.
    console.error(`${name} of a webhook receiver failed.`, error);
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
  // Refused rather than acknowledged: if the handling fails, the next delivery triggers it again.
  in_progress: answer(503, { error: { reason: 'in_progress', message: 'This event is being handled.' } }),
};

const FAILED = answer(500, {
  error: { reason: 'handler_failed', message: 'The receiver could not handle this event.' },
});

function report(error: unknown, { id, type }: WebhookEvent): void {
  // oxlint-disable-next-line no-console -- without a log entry, the error would be looked for at the sender.
  console.error(`The webhook ${id} (${type}) was not handled.`, error);
}
