import { describe, expect, it } from 'vitest';

import type { JsonText } from '../../../src/domain/json.js';
import { freezeEvent, type NewEvent } from '../../../src/domain/webhook/event.js';
import { NOW, parsed } from '../builders.js';

const event: NewEvent = {
  id: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  partnerId: 'p',
  mode: 'test',
  sessionId: 's',
  sequence: 3,
  type: 'gate_session.completed',
  data: '{ "n": 1.0, "10":1, "9":2 }' as JsonText,
};

describe('the webhook envelope', () => {
  it('has exactly id, type, created_at in epoch seconds, sequence, livemode and data', () => {
    expect(parsed(freezeEvent(event, NOW + 999).body)).toStrictEqual({
      id: event.id,
      type: 'gate_session.completed',
      created_at: NOW / 1000,
      sequence: 3,
      livemode: false,
      data: { n: 1, 9: 2, 10: 1 },
    });
  });

  it('keeps data byte for byte', () => {
    expect(freezeEvent(event, NOW).body).toContain(`"data":${event.data}}`);
  });

  it('has livemode and a null sequence without a session', () => {
    const sealed = freezeEvent({ ...event, mode: 'live', sessionId: null, sequence: null }, NOW);
    expect(parsed(sealed.body)).toMatchObject({ livemode: true, sequence: null });
    expect(sealed).toMatchObject({ sessionId: null, sequence: null, mode: 'live', createdAt: NOW });
  });
});
