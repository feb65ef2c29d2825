import assert from 'node:assert/strict';
import { CALLBACK_SIGNATURE_HEADER, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import fc from 'fast-check';
import {
  type Answer,
  CALLBACK_SECRET,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  nameOf,
  type Route,
  ROUTES,
  type Sample,
  sendTo,
  type Sent,
} from '../kit.js';
import { hostileBodies } from './hostile-bodies.js';

const POSTS = ROUTES.filter((route) => route.method === 'POST');

/** An answer takes milliseconds; one that takes this long counts as a hang. */
const ANSWER_WITHIN_MS = 60_000;

/** The number of hostile bodies, and their seed. */
export interface HostileRuns {
  /** The total number of bodies, distributed over the POST endpoints. */
  readonly runs: number;
  /** Repeats a failure: fast-check prints its seed. Random by default. */
  readonly seed?: number;
}

/**
 * Random and hostile bodies for every POST endpoint: each is refused with the error envelope or
 * answered correctly, never with a server error.
 */
export function hostileBodyLaws({ runs, seed }: HostileRuns): readonly Law<HttpSubject>[] {
  const each = Math.ceil(runs / POSTS.length);
  return POSTS.map((route) =>
    httpLaw(
      'HTTP: hostile bodies',
      `${nameOf(route)} answers ${each} hostile bodies with a 4xx in the envelope or ${route.success}, never hangs, and works on`,
      (world) => withstand(world, route, seed === undefined ? { numRuns: each } : { numRuns: each, seed }),
    ),
  );
}

async function withstand(world: HttpWorld, route: Route, parameters: fc.Parameters<unknown>): Promise<void> {
  const sample = await route.sample(world, 'test');
  const valid = typeof sample.sent.body === 'string' ? sample.sent.body : JSON.stringify(sample.sent.body ?? {});
  const type = fc.oneof(
    { weight: 9, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=x', '') },
  );
  await fc.assert(
    fc.asyncProperty(hostileBodies(valid), type, async (body, contentType) => {
      const answer = await within(
        world.send(route.method, sample.path, hostile(world, route, sample, body, contentType)),
      );
      assert.ok(
        answer.status === route.success || (answer.status >= 400 && answer.status < 500),
        `${answer.status} ${answer.text}`,
      );
    }),
    { ...parameters, endOnFailure: true },
  );
  assert.deepEqual(world.t.telemetry.failures, []);
  expectStatus(await sendTo(world, route, await route.sample(world, 'test')), route.success);
}

function hostile(world: HttpWorld, route: Route, { sent }: Sample, body: Uint8Array, contentType: string): Sent {
  const signature =
    route.auth === 'none'
      ? { [CALLBACK_SIGNATURE_HEADER]: signSandboxCallback(body, CALLBACK_SECRET, world.t.clock.wall()) }
      : {};
  const key = route.idempotency === 'required' ? { idempotencyKey: freshKey() } : {};
  return { ...sent, ...key, body, headers: { ...signature, 'content-type': contentType } };
}

async function within(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The request was never answered.')), ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
