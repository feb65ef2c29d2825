import { describe, expect, it } from 'vitest';
import { GATES } from './every-store.js';

describe.each(Object.entries(GATES))('resending an event on %s', (_, aGate) => {
  it('delivers it again with the same bytes, also if it was delivered, and leaves an audit entry', async () => {
    const t = await aGate();
    const scope = { partnerId: t.partner.id, mode: 'test' } as const;
    const { event_id: eventId } = (await t.gate.webhooks.test(scope))._unsafeUnwrap();
    await t.gate.runDue();
    const sent = await t.gate.admin.resendEvent(scope, eventId);
    await t.gate.runDue();
    const bodies = t.receiver.received.map(({ body }) => body);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toBe(bodies[0]);
    const { data } = (await t.gate.webhooks.deliveries.list(scope, { event_id: eventId }))._unsafeUnwrap();
    expect(data.map(({ id }) => id)).toContain(sent._unsafeUnwrap());
    expect(data.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
    const [entry] = await t.gate.admin.audit.list({ limit: 1 });
    expect(entry).toMatchObject({ action: 'event.resend', target: { type: 'event', id: eventId } });
  });

  it('needs an event and an endpoint of that partner and mode', async () => {
    const t = await aGate();
    const scope = { partnerId: t.partner.id, mode: 'test' } as const;
    const { event_id: eventId } = (await t.gate.webhooks.test(scope))._unsafeUnwrap();
    const codeOf = async (mode: 'test' | 'live', id: string) =>
      (await t.gate.admin.resendEvent({ ...scope, mode }, id))._unsafeUnwrapErr().code;
    expect(await codeOf('live', eventId)).toBe('event_not_found');
    expect(await codeOf('test', 'unknown')).toBe('event_not_found');
    await t.gate.admin.setEndpoint(scope, { url: null, secret: null });
    expect(await codeOf('test', eventId)).toBe('webhook_url_not_configured');
  });
});
