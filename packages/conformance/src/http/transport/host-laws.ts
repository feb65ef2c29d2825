import assert from 'node:assert/strict';
import type { Mode } from '@gateramp/core';
import { TEST_KEYS } from '@gateramp/testing';
import type { Law } from '../../law.js';
import { expectRefusal, expectStatus } from '../answer.js';
import { create, open, retrieve } from '../calls.js';
import { httpLaw, inWorld } from '../world.js';
import type { HttpSubject } from '../subject.js';

const TOPIC = 'HTTP transport: hosts and clients';

export const hostLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'two hosts of one process keep their modes, whatever the Host header says', async (world) => {
    for (const host of ['sandbox.example', 'api.example', '127.0.0.1:1', 'localhost']) {
      const headers = { host, 'x-forwarded-host': host };
      expectRefusal(
        await create(world, {}, { mode: 'live', key: TEST_KEYS.secret.test, headers }),
        403,
        'test_key_on_live',
      );
      expectRefusal(
        await create(world, {}, { mode: 'test', key: TEST_KEYS.secret.live, headers }),
        403,
        'live_key_on_sandbox',
      );
      for (const mode of ['test', 'live'] as const) {
        assert.equal((await world.send('GET', '/health', { mode, headers })).json['mode'], mode);
      }
    }
  }),
  httpLaw(
    TOPIC,
    'counts a client by its connection, whatever forwarding headers say',
    async (world) => {
      for (let nth = 1; nth <= 10; nth += 1) expectStatus(await create(world, {}, { headers: forwardedFor(nth) }), 201);
      expectRefusal(await create(world, {}, { headers: forwardedFor(11) }), 429, 'rate_limit_exceeded');
    },
    { rateLimits: 'on' },
  ),
  {
    topic: TOPIC,
    title: 'throws with instructions on an invalid mode, instead of answering 404 to every request',
    run: (subject) => assert.rejects(askModeless(subject), /mode must be 'test' or 'live', not "sandbox"/),
  },
  httpLaw(TOPIC, 'answers requests that come at once each with its own', async (world) => {
    const ids: string[] = [];
    for (let nth = 0; nth < 12; nth += 1) ids.push(String((await open(world))['id']));
    const answers = await Promise.all(ids.map((id) => retrieve(world, id)));
    assert.deepEqual(
      answers.map((answer) => answer.json['id']),
      ids,
    );
    assert.equal(new Set(answers.map((answer) => answer.headers['x-request-id'])).size, ids.length);
  }),
];

/** Calls a host that was mounted with an invalid mode. */
async function askModeless(subject: HttpSubject): Promise<void> {
  await inWorld(subject, {}, async ({ t }) => {
    // As a host in JavaScript could write it, or one that reads it from its environment.
    const host = await subject.mount(t.gate, 'sandbox' as Mode);
    try {
      await host.send({ method: 'GET', path: '/health' });
    } finally {
      await host.close();
    }
  });
}

function forwardedFor(nth: number): Readonly<Record<string, string>> {
  const address = `198.51.100.${nth}`;
  return { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}`, 'cf-connecting-ip': address };
}
