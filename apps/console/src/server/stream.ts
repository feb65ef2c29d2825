import type { Gate } from '@gateramp/core';
import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { PER_SESSION_MAX } from './open-streams.js';
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
      'What may have changed since the last message, as the data of an event `changed`. `settings` is everything that the audit trail records; `partners` and `work` are sent to operators of all partners who name none.',
  });

/** Hints are collected for this long before the next message. */
const GAP_MS = 1_000;
/** Shorter than the idle timeout of common proxies. */
const HEARTBEAT_MS = 25_000;
/** A reader that has taken nothing for this many heartbeats is gone. */
const UNREAD_MAX = 3;
/** How often the host is asked again about an operator whose session it keeps. */
const ASK_HOST_MS = 60_000;
/** The longest delay of a timer. */
const DELAY_MAX = 2 ** 31 - 1;

export const STREAM_ENDPOINTS = [
  endpoint({
    name: 'streamChanges',
    method: 'GET',
    path: '/stream',
    summary:
      'Stream hints of what has changed, for a partner in one mode. Operators who name no partner get those of the installation',
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
      if (!streams.enter(session))
        return refuse('too_many_streams', `Too many pages are open: at most ${PER_SESSION_MAX} of one session.`);
      // What concerns all partners is no hint for an operator of some.
      const isBlind = scope === 'unnamed' && visitor.partners !== null;
      const follow: Follow = (follower) =>
        admin.followChanges(scope === 'unnamed' ? null : scope, isBlind ? { ...follower, onChange: noHint } : follower);
      const { expiresAt } = visitor;
      const lastsMs = expiresAt === null ? null : Math.max(0, expiresAt - gate.clock.now('live'));
      return ok(changeStream({ follow, isStillIn, lastsMs, signal, onEnd: () => streams.leave(session) }));
    },
  }),
];

type Follow = (follower: Parameters<Gate['admin']['followChanges']>[1]) => () => void;

const noHint = (): void => undefined;

interface StreamParts {
  readonly follow: Follow;
  readonly isStillIn: () => Promise<boolean>;
  /** Until the session ends; null if the host decides. */
  readonly lastsMs: number | null;
  readonly signal: AbortSignal;
  readonly onEnd: () => void;
}

/**
 * Hints as server-sent events, until the client leaves, or the session ends. What a slow reader has not taken is kept as one set of topics,
 * however much happens.
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
    // Another one is running, and looks again.
    if (checks > 1) return;
    while (checks > 0 && isOpen()) {
      checks = 1;
      // During an outage it stays open; what the page reads then is refused.
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
      // Proxies such as nginx would otherwise collect messages.
      'x-accel-buffering': 'no',
    },
  });
}
