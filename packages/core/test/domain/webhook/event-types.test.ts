import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import type { JsonText } from '../../../src/domain/json.js';
import { announce, announceData } from '../../../src/domain/session/session.js';
import { sessionResource } from '../../../src/domain/session/session-resource.js';
import { EVENT_TYPES } from '../../../src/http/events/schemas.js';
import { parsed, session as aSession } from '../builders.js';

// The compiler checks the lines with an expected error: `npm run typecheck` fails where a line compiles.
it('an unknown event cannot be announced', () => {
  const session = aSession();
  // @ts-expect-error it is `gate_session.completed`
  announce(session, 'gate_session.complete', { tx_refid: 'gtx_00000000000000000001' });
  // @ts-expect-error nothing sends it
  announceData(session, 'gate_session.refunded', '{}' as JsonText<never>);
  const [announced] = announce(session, 'gate_session.completed', { tx_refid: 'gtx_1' }).announcements;
  expect(announced?.type).toBe('gate_session.completed');
  expect(EVENT_TYPES).toContain(announced?.type);
});

it('an event cannot be announced without the members of its type, or with the data of another', () => {
  const session = aSession();
  // @ts-expect-error the refid of the transaction is missing
  announce(session, 'gate_session.completed', {});
  // @ts-expect-error the data of kyc.required is no session
  announce(session, 'kyc.required', {});
  // @ts-expect-error a session is not what is required of its buyer
  announceData(session, 'kyc.required', sessionResource(session));
  const [announced] = announce(session, 'gate_session.completed', { tx_refid: 'gtx_1' }).announcements;
  expect(parsed(announced?.data ?? '')).toMatchObject({ object: 'gate_session', id: session.id, tx_refid: 'gtx_1' });
});

it('a consumer receives the data of its type, and an unknown event has none', async () => {
  const t = await createTestGate();
  const refids: string[] = [];
  t.gate.on('gate_session.completed', 'grant-value', ({ data }) => void refids.push(data.tx_refid));
  // @ts-expect-error a created session has no transaction yet
  t.gate.on('gate_session.created', 'too-early', ({ data }) => void data.tx_refid);
  // @ts-expect-error it is `gate_session.completed`
  expect(() => t.gate.on('gate_session.complete', 'misspelt', () => undefined)).toThrow('is not an event type');
  const session = await t.createSession();
  await t.settle(session.id);
  await t.clock.advance('1m');
  expect(refids).toEqual([expect.stringMatching(/^gtx_/)]);
});
