import { err, ok } from 'neverthrow';
import type { Gate } from './gate.js';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { PER_PROCESS_MAX, PER_SESSION_MAX } from './open-streams.js';
import { NOTHING_HERE, refuse } from './refusal.js';
import { MODE } from './schemas.js';
import { scopeOfCall } from './visitor.js';

const TOPICS = ['sessions', 'transactions', 'events', 'deliveries', 'settings', 'partners', 'work'] as const;
type Topic = (typeof TOPICS)[number];

const CHANGED = z
  .object(
    Object.fromEntries(TOPICS.map((topic) => [topic, z.literal(true).optional()])) as Record<
      Topic,
      z.ZodOptional<z.ZodLiteral<true>>
    >,
  )
  .meta({
    id: 'Changed',
    description:
      'What may have changed since the last message, as the data of an event `changed`. `settings` covers everything that the audit trail records. `partners` and `work` are sent only to operators of all partners who name no partner.',
  });

/** Hints are collected for this long before the next message. */
const GAP_MS = 1_000;
/** Shorter than the idle timeout of common proxies. */
const HEARTBEAT_MS = 25_000;
/** A stream ends when its reader has missed this many heartbeats. */
const UNREAD_MAX = 3;
/** How often `authorize` of the host is called again for a stream without a session of the console. */
const ASK_HOST_MS = 60_000;
/** The longest delay that timers of Node support. */
const DELAY_MAX = 2 ** 31 - 1;

export const STREAM_ENDPOINTS = [
  endpoint({
    name: 'streamChanges',
    method: 'GET',
    path: '/stream',
    summary:
      'Stream hints of changes for a partner in one mode, or, for operators who name no partner, for the installation',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: z.strictObject({ partner: z.string().optional(), mode: MODE.optional() }),
    body: null,
    contentType: 'text/event-stream',
    reply: CHANGED,
    success: 200,
    run: async ({ gate, admin, visitor, query, token, signal, isStillIn, streams }) => {
      const named = Object.entries(query).filter(([, value]) => value !== undefined) as [string, string][];
      const scope = scopeOfCall(visitor, new URLSearchParams(named));
      if (scope === null) return err(NOTHING_HERE);
      if (scope === 'unnamed' && named.length > 0)
        return refuse('validation_failed', 'Name both the partner and the mode, or neither.');
      if (scope !== 'unnamed' && (await admin.findPartner(scope.partnerId)) === null) return err(NOTHING_HERE);
      const session = token ?? visitor.actor.id;
      if (!streams.enter(session)) return refuse('too_many_streams', TOO_MANY);
      // An operator of some partners must not learn of changes that concern all partners.
      const isBlind = scope === 'unnamed' && visitor.partners !== null;
      const follow: Follow = (follower) =>
        admin.followChanges(scope === 'unnamed' ? null : scope, isBlind ? { ...follower, onChange: noHint } : follower);
      const { expiresAt } = visitor;
      const lastsMs = expiresAt === null ? null : Math.max(0, expiresAt - gate.clock.now('live'));
      return ok(changeStream({ follow, isStillIn, lastsMs, signal, onEnd: () => streams.leave(session) }));
    },
  }),
];

const TOO_MANY = `Too many open streams: at most ${PER_SESSION_MAX} per session and ${PER_PROCESS_MAX} per process. Close other tabs and try again.`;

type Follow = (follower: Parameters<Gate['admin']['followChanges']>[1]) => () => void;

const noHint = (): void => undefined;

interface StreamParts {
  readonly follow: Follow;
  readonly isStillIn: () => Promise<boolean>;
  /** Time until the session ends; null if the host decides. */
  readonly lastsMs: number | null;
  readonly signal: AbortSignal;
  readonly onEnd: () => void;
}

/**
 * Sends hints as server-sent events until the client leaves or the session ends. Hints that a slow reader has not taken are merged into one
 * set of topics, so memory stays bounded.
 */
function changeStream({ follow, isStillIn, lastsMs, signal, onEnd }: StreamParts): Response {
  const encoder = new TextEncoder();
  const pending = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let gap: NodeJS.Timeout | null = null;
  let unread = 0;
  let unfollow: (() => void) | null = null;
  let controller: ReadableStreamDefaultController<Uint8Array>;

  const isOpen = (): boolean => unfollow !== null;
  const end = (): void => {
    if (unfollow === null) return;
    unfollow();
    unfollow = null;
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', end);
    onEnd();
    try {
      controller.close();
    } catch {
      // The reader has cancelled it.
    }
  };
  const keep = (timer: NodeJS.Timeout): NodeJS.Timeout => {
    timer.unref();
    timers.add(timer);
    return timer;
  };
  const send = (text: string): boolean => {
    if (!isOpen() || (controller.desiredSize ?? 0) <= 0) return false;
    controller.enqueue(encoder.encode(text));
    unread = 0;
    return true;
  };
  const flush = (): void => {
    if (pending.size === 0 || gap !== null) return;
    const data = JSON.stringify(Object.fromEntries([...pending].map((topic) => [topic, true])));
    if (!send(`event: changed\ndata: ${data}\n\n`)) return;
    pending.clear();
    const timer = keep(
      setTimeout(() => {
        timers.delete(timer);
        gap = null;
        flush();
      }, GAP_MS),
    );
    gap = timer;
  };
  let checks = 0;
  const check = async (): Promise<void> => {
    checks += 1;
    // The running check starts over.
    if (checks > 1) return;
    while (checks > 0 && isOpen()) {
      checks = 1;
      // The stream stays open during an outage; reads of the page are checked anyway.
      if (!(await isStillIn().catch(() => true))) end();
      checks -= 1;
    }
  };
  const beat = (): void => {
    if (send(': \n\n')) return;
    unread += 1;
    if (unread >= UNREAD_MAX) end();
  };

  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
      unfollow = follow({
        onChange: (topics) => {
          for (const topic of topics) pending.add(topic);
          flush();
        },
        onAccess: () => void check(),
      });
      controller.enqueue(encoder.encode(': \n\n'));
      keep(setInterval(beat, HEARTBEAT_MS));
      if (lastsMs === null) keep(setInterval(() => void check(), ASK_HOST_MS));
      else keep(setTimeout(end, Math.min(lastsMs, DELAY_MAX)));
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    },
    pull: flush,
    cancel: end,
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Proxies such as nginx would otherwise buffer messages.
      'x-accel-buffering': 'no',
    },
  });
}
