import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ReceivedWebhooks } from '../src/server/webhooks/received-webhooks.js';

const SECRET = 'whsec_receiver_test_secret';

/** A signed request. The signature is computed here, independently of the code under test. */
function signed(body: string): readonly [Buffer, string] {
  const t = Math.floor(Date.now() / 1000);
  return [Buffer.from(body), `t=${t},v1=${createHmac('sha256', SECRET).update(`${t}.${body}`).digest('hex')}`];
}

const EVENT = JSON.stringify({
  id: 'e1',
  type: 'gate_session.created',
  sequence: 1,
  data: { object: 'gate_session', id: 's1' },
});

describe('the demo receiver', () => {
  it('verifies the raw bytes', () => {
    const received = new ReceivedWebhooks([SECRET]);
    expect(received.receive(...signed(EVENT))).toMatchObject({
      id: 'e1',
      sequence: 1,
      session_id: 's1',
      verified: true,
      problem: null,
    });
    const [body, signature] = signed(EVENT);
    expect(received.receive(Buffer.concat([body, Buffer.from(' ')]), signature)).toMatchObject({
      verified: false,
      problem: 'no_matching_signature',
    });
  });

  it('processes an event once, by its id', () => {
    const received = new ReceivedWebhooks([SECRET]);
    received.receive(...signed(EVENT));
    received.receive(...signed(EVENT));
    expect(received.list()).toHaveLength(1);
    expect(received.list()[0]).toMatchObject({ times: 2 });
  });

  it('does not take a forged event for the genuine one with its id', () => {
    const received = new ReceivedWebhooks([SECRET]);
    received.receive(Buffer.from(EVENT), null);
    expect(received.receive(...signed(EVENT))).toMatchObject({ verified: true, times: 1 });
    expect(received.list()).toHaveLength(2);
  });

  it('keeps the last 200, newest first, malformed ones included', () => {
    const received = new ReceivedWebhooks([SECRET]);
    for (let index = 0; index < 205; index += 1) received.receive(...signed(JSON.stringify({ id: `e${index}` })));
    received.receive(Buffer.from('not JSON'), 'nonsense');
    expect(received.list()).toHaveLength(200);
    expect(received.list()[0]).toMatchObject({ id: null, verified: false, problem: 'malformed_header' });
    expect(received.list()[1]).toMatchObject({ id: 'e204' });
  });
});
