import { WebhookSignatureError } from '../../errors/webhook-signature-error.js';
import { type WebhookEvent } from '../../types/webhook-event.js';
import { constructEvent, secretsOf, type SigningSecrets, type VerifyOptions } from '../construct-event.js';
import { answer, type Answer, type Take } from './answer.js';
import { expressHandler, type ExpressHandler } from './express.js';
import { fastifyPlugin, type FastifyPlugin } from './fastify.js';
import { fetchHandler } from './fetch.js';
import { memoryEvents, type ReceivedEvent, type ReceivedEvents } from './received-events.js';

/** The secret that deliveries are signed with, what is to be done with each event, and what remembers those that were handled. */
export interface ReceiveOptions extends Pick<VerifyOptions, 'toleranceSeconds'> {
  /** One secret, or, around a rotation, the old and the new. */
  readonly secret: SigningSecrets;
  /**
   * What is to be done with an event, once for each. When it throws, the delivery is answered 500 and comes again, so it must bear being
   * begun twice. Answer within ten seconds; what takes longer belongs into a queue of yours.
   */
  readonly handle: (event: WebhookEvent, about: About) => unknown;
  /** What was handled before. In memory when left out: say one as soon as there are several processes. */
  readonly store?: ReceivedEvents | undefined;
  /** Called with what `handle` or the store threw, since the sender learns only that it failed. Written to the console when left out. */
  readonly onError?: ((error: unknown, event: WebhookEvent) => void) | undefined;
  /** Called with what was refused: forgeries, and mistakes in the set-up. */
  readonly onRefused?: ((error: WebhookSignatureError) => void) | undefined;
}

/** What is known of an event beside itself when it is handled. */
export interface About {
  /** A later event of the same session was handled before: this one must not undo what that one did. */
  readonly isStale: boolean;
}

/** One receiver, to be mounted where your framework wants it. Each way owns the raw bytes of its request. */
export interface WebhookReceiver {
  /** `app.post('/hooks', receiver.express)`, before or without `express.json()`; also a listener for `node:http`. */
  readonly express: ExpressHandler;
  /** `fastify.register(receiver.fastify, { url: '/hooks' })`; its parser stays within the plugin. */
  readonly fastify: FastifyPlugin;
  /** `export const POST = receiver.fetch`: Next.js, Hono, Bun, Deno, workers. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** For anything else: the body as it arrived, and the `Gate-Signature` header. */
  readonly receive: Take;
}

/** Verifies deliveries and has each event handled once. A malformed secret throws here, not at the first delivery. */
export function receive(options: ReceiveOptions): WebhookReceiver {
  const secrets = secretsOf(options.secret);
  const store = options.store ?? memoryEvents();
  const running = new Map<string, Promise<Answer>>();

  const take: Take = async (payload, header) => {
    let event: WebhookEvent;
    try {
      event = constructEvent(payload, header, secrets, { toleranceSeconds: options.toleranceSeconds });
    } catch (error) {
      if (!(error instanceof WebhookSignatureError)) throw error;
      options.onRefused?.(error);
      return answer(400, { error: { reason: error.reason, message: error.hint } });
    }
    // A delivery that comes again while the first is at work waits for that one's end.
    const atWork = running.get(event.id);
    if (atWork !== undefined) return atWork;
    const work = handleOnce(event, store, options).finally(() => running.delete(event.id));
    running.set(event.id, work);
    return work;
  };
  return { receive: take, express: expressHandler(take), fastify: fastifyPlugin(take), fetch: fetchHandler(take) };
}

async function handleOnce(event: WebhookEvent, store: ReceivedEvents, options: ReceiveOptions): Promise<Answer> {
  const { handle, onError = report } = options;
  const key = keyOf(event);
  try {
    const { isHandled, lastSequence } = await store.find(key);
    if (isHandled) return answer(200, { received: true, duplicate: true });
    const isStale = key.sequence !== null && lastSequence !== null && key.sequence < lastSequence;
    await handle(event, { isStale });
    await store.save(key);
    return answer(200, { received: true });
  } catch (error) {
    onError(error, event);
    return answer(500, { error: { reason: 'handler_failed', message: 'The receiver could not handle this event.' } });
  }
}

function report(error: unknown, { id, type }: WebhookEvent): void {
  // eslint-disable-next-line no-console -- an error that nobody sees would be looked for at the sender's.
  console.error(`The webhook ${id} (${type}) was not handled.`, error);
}

/** An event of a type that is new may be about a session too, so this looks at the members and not at the type. */
function keyOf({ id, sequence, data }: WebhookEvent): ReceivedEvent {
  const about: { readonly object?: unknown; readonly id?: unknown; readonly session_id?: unknown } = data ?? {};
  const sessionId = about.object === 'gate_session' ? about.id : about.session_id;
  return { id, sequence: sequence ?? null, sessionId: typeof sessionId === 'string' ? sessionId : null };
}
