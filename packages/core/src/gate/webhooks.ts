import { err, ok, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { findDelivery, listDeliveries } from '../application/webhooks/read-deliveries.js';
import { readEndpoint, type RotatedSecret, rotateSecret } from '../application/webhooks/webhook-endpoint.js';
import { replayDeliveries, replayDelivery } from '../application/webhooks/replay-deliveries.js';
import { testWebhook } from '../application/webhooks/test-webhook.js';
import type { Scope } from '../domain/mode.js';
import type { DeliveryStatus } from '../domain/webhook/delivery.js';
import {
  deliveryResource,
  listedDelivery,
  type GateDelivery,
  type TracedDelivery,
} from '../domain/webhook/delivery-resource.js';
import type { EventType } from '../domain/webhook/event-types.js';
import {
  type GateWebhookEndpoint,
  type GateWebhookSecret,
  testResult,
  webhookEndpoint,
  webhookReplay,
  type WebhookReplay,
  webhookSecret,
  type WebhookTestResult,
} from '../http/webhooks/resources.js';
import { idOf } from '../http/schema/lists.js';
import { LIST_DELIVERIES_QUERY, REPLAY_BODY, ROTATE_SECRET_BODY } from '../http/webhooks/schemas.js';
import { parsed, readGivenQuery } from './assemble.js';
import { callWithBody, callWithoutBody, type KeyedCall } from './keyed-call.js';
import type { GateRefusal } from './resources.js';

/** What `GET /v1/webhooks/deliveries` takes as its query. */
export interface ListDeliveries {
  readonly status?: DeliveryStatus;
  readonly event_type?: EventType;
  readonly event_id?: string;
  readonly session_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
}

/** What `POST /v1/webhooks/deliveries/replay` takes as its body. */
export interface ReplayDeliveries {
  readonly event_type?: EventType;
  readonly session_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  /** 1–1000; 100 by default. */
  readonly limit?: number;
}

/** Webhook tooling for hosts that call in process: the same rules, keys and shapes as over HTTP. */
export interface Webhooks {
  /** Sends `webhook.test` to the caller's endpoint. */
  test(caller: Scope, options?: KeyedCall): Promise<Result<WebhookTestResult, GateRefusal>>;
  readonly deliveries: {
    /** Newest first, without the bodies that were answered. */
    list(
      caller: Scope,
      query?: ListDeliveries,
    ): Promise<Result<{ readonly data: readonly GateDelivery[]; readonly has_more: boolean }, GateRefusal>>;
    retrieve(caller: Scope, id: string): Promise<Result<GateDelivery, GateRefusal>>;
    /** Sends a dead-lettered delivery again, with a fresh budget of attempts. */
    replay(caller: Scope, id: string, options?: KeyedCall): Promise<Result<GateDelivery, GateRefusal>>;
    /** Dead-lettered ones that fit, the oldest first; while `has_more`, another call takes the next. */
    replayAll(
      caller: Scope,
      which?: ReplayDeliveries,
      options?: KeyedCall,
    ): Promise<Result<WebhookReplay, GateRefusal>>;
  };
  /** Where the caller's webhooks go, and how that has gone. */
  endpoint(caller: Scope): Promise<Result<GateWebhookEndpoint, GateRefusal>>;
  /** A new signing secret, shown this once; with a grace period the former one signs as well until that has passed. */
  rotateSecret(
    caller: Scope,
    body?: { readonly grace_period_seconds?: number },
    options?: KeyedCall,
  ): Promise<Result<GateWebhookSecret, GateRefusal>>;
}

export function inProcessWebhooks(engine: Engine, ready: () => Promise<void>): Webhooks {
  const whole = (record: TracedDelivery) => deliveryResource(record, engine.policy);
  const listed = (record: TracedDelivery) => parsed(listedDelivery(record, engine.policy));
  return {
    test: async (caller, options) => {
      await ready();
      const call = { caller, options, path: 'webhooks.test', render: testResult };
      return callWithoutBody(engine, call, (use) => testWebhook(engine, caller, use));
    },
    deliveries: {
      list: async (caller, query = {}) => {
        const read = readGivenQuery(engine, LIST_DELIVERIES_QUERY, { ...query });
        if (read.isErr()) return err(read.error);
        const page = await listDeliveries(engine, caller, read.value.filter, read.value.page);
        return page.map(({ items, hasMore }) => ({ data: items.map(listed), has_more: hasMore }));
      },
      retrieve: async (caller, id) =>
        (await findDelivery(engine, caller, idOf(id))).map((record) => parsed(whole(record))),
      replay: async (caller, id, options) => {
        await ready();
        const call = { caller, options, path: `webhooks.deliveries.replay ${id}`, render: whole };
        return callWithoutBody(engine, call, (use) => replayDelivery(engine, caller, idOf(id), use));
      },
      replayAll: async (caller, which = {}, options) => {
        await ready();
        const body = { schema: REPLAY_BODY, given: which };
        const call = { caller, options, path: 'webhooks.deliveries.replayAll', body, render: webhookReplay };
        return callWithBody(engine, call, (value, use) => replayDeliveries(engine, caller, value, use));
      },
    },
    endpoint: async (caller) => ok(parsed(webhookEndpoint(caller.mode, await readEndpoint(engine, caller)))),
    rotateSecret: async (caller, given = {}, options) => {
      await ready();
      const call = {
        caller,
        options,
        path: 'webhooks.rotateSecret',
        body: { schema: ROTATE_SECRET_BODY, given },
        render: (rotated: RotatedSecret) => webhookSecret(caller.mode, rotated),
      };
      return callWithBody(engine, call, ({ graceMs }, use) => rotateSecret(engine, caller, graceMs, use));
    },
  };
}
