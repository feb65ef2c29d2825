import { type Instant, isHeld, isLive, type Scope, type Task } from '@gateramp/core/domain';
import { type Engine, sandboxDue, testWorkOf } from '@gateramp/core/extension';

/** Work of a sandbox that is not done yet. */
export interface SandboxWork {
  readonly kind: 'delivery' | 'task' | 'operation';
  readonly id: string;
  /** In the time of the sandbox; in the past if it runs at the next opportunity. */
  readonly dueAt: Instant;
  /** The event type of a delivery, the kind of a task, or the step of a provider's operation. */
  readonly what: string;
  /** The session of a delivery or operation, null without one; what a task is about. */
  readonly subjectId: string | null;
  /** Attempts so far. */
  readonly attempts: number;
}

/** Whether the alarm of a hold will find that it has ended, as most do: it then does nothing. */
async function isPastHold({ store }: Engine, { kind, subjectId, partnerId, mode }: Task): Promise<boolean> {
  if (kind !== 'hold_alarm') return false;
  const scope = { partnerId, mode };
  const session = await store.find('session', scope, subjectId);
  if (session !== null) return !isHeld(session);
  const intent = await store.find('intent', scope, subjectId);
  return intent === null || !isLive(intent);
}

/** What is due next in a sandbox, in the order in which an advance runs it; at most `limit`. */
export async function sandboxWork(engine: Engine, scope: Scope, limit: number): Promise<readonly SandboxWork[]> {
  await engine.clock.refresh();
  const operations = await operationsDue(engine, scope.partnerId, limit);
  const all = [...(await itemsDue(engine, scope, limit)), ...operations];
  return all.toSorted((a, b) => a.dueAt - b.dueAt).slice(0, limit);
}

/** At least `limit` deliveries and tasks, unless there are fewer: what is left out is made up for by what is due after it. */
async function itemsDue(engine: Engine, scope: Scope, limit: number): Promise<readonly SandboxWork[]> {
  const { store } = engine;
  for (let asked = limit; ; asked *= 2) {
    const items = await sandboxDue(engine, scope.partnerId, { limit: asked });
    const read = await Promise.all(
      items.map(async ({ kind, id, dueAt }): Promise<SandboxWork | null> => {
        if (kind === 'task') {
          const task = await store.find('task', scope, id);
          if (task === null || (await isPastHold(engine, task))) return null;
          const { kind: what, subjectId, failures } = task;
          return { kind, id, dueAt, what, subjectId, attempts: failures };
        }
        const record = await store.find('delivery', scope, id);
        if (record === null) return null;
        const { delivery, attempts } = record;
        return { kind, id, dueAt, what: delivery.eventType, subjectId: delivery.sessionId, attempts: attempts.length };
      }),
    );
    // One that has been done since is gone.
    const found = read.filter((one) => one !== null);
    if (found.length >= limit || items.length < asked) return found;
  }
}

async function operationsDue(engine: Engine, partnerId: string, limit: number): Promise<readonly SandboxWork[]> {
  const { store, providers } = engine;
  const found = providers.map(async (provider) => {
    const { name } = provider;
    const due = (await testWorkOf(engine, provider)?.due({ partnerId, limit })) ?? [];
    return Promise.all(
      due.map(async ({ id, dueAt, what, attempts }): Promise<SandboxWork> => {
        const intent = await store.find('intent_by_operation', 'test', name, id);
        return { kind: 'operation', id, dueAt, what, subjectId: intent?.sessionId ?? null, attempts };
      }),
    );
  });
  return (await Promise.all(found)).flat();
}
