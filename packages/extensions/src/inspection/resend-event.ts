import {
  type AuditContext,
  type GateEvent,
  newDelivery,
  type Refusal,
  refuse,
  type Scope,
} from '@gateramp/core/domain';
import { apply, type Engine, unchanged } from '@gateramp/core/extension';
import { emptyChange } from '@gateramp/core/ports';
import { ok, type Result } from 'neverthrow';

type ResendRefusal = Refusal<'event_not_found' | 'webhook_url_not_configured'>;

/** Resends events. */
export interface EventResends {
  /**
   * Sends an event to the partner's endpoint again, also if it was delivered: as a delivery of its own, with the same event id and bytes,
   * and all attempts. Returns the id of the delivery.
   */
  resendEvent(scope: Scope, eventId: string): Promise<Result<string, ResendRefusal>>;
}

export function eventResends(engine: Engine, by: AuditContext): EventResends {
  return { resendEvent: (scope, eventId) => resendEvent(engine, scope, eventId, by) };
}

async function resendEvent(
  engine: Engine,
  scope: Scope,
  eventId: string,
  by: AuditContext,
): Promise<Result<string, ResendRefusal>> {
  type Resent = Result<string, ResendRefusal>;
  const done = await apply<{ readonly event: GateEvent | null; readonly hasUrl: boolean }, Resent>(engine, {
    load: async () => {
      const [event, endpoint] = await Promise.all([
        engine.store.find('event', scope, eventId),
        engine.partners.findEndpoint(scope),
      ]);
      return { event, hasUrl: Boolean(endpoint?.url) };
    },
    decide: ({ event, hasUrl }) => {
      if (event === null) return unchanged<Resent>(refuse('event_not_found', 'There is no such event.'));
      if (!hasUrl)
        return unchanged<Resent>(
          refuse('webhook_url_not_configured', `No webhook URL is set for ${scope.mode} mode; set one first.`),
        );
      const now = engine.clock.now(scope);
      const deliveryId = engine.ids.object(now);
      const of = { id: deliveryId, eventId, eventType: event.type, sessionId: event.sessionId, ...scope };
      const row = newDelivery({ ...of, target: 'webhook' }, now);
      const target = { type: 'event', id: eventId };
      return {
        change: { ...emptyChange(scope, now), deliveries: [{ row, when: 'always' }] },
        value: ok(deliveryId),
        audited: [{ ...by, ...scope, action: 'event.resend', target, before: null, after: { deliveryId } }],
      };
    },
  });
  return done.value;
}
