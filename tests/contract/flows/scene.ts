import assert from 'node:assert/strict';
import { attempt, expectStatus, type HttpWorld, type Members, retrieve, SECRET, textOf } from '../kit.js';

/** Longer than every settlement of the sandbox. */
export const SETTLED = '1m';

export async function begin(world: HttpWorld, token: string, body: Members = {}): Promise<Members> {
  return expectStatus(await attempt(world, token, body), 201).json;
}

export async function readIntent(world: HttpWorld, token: string, intent: Members): Promise<Members> {
  return expectStatus(await world.send('GET', `/v1/embed/intents/${textOf(intent, 'id')}`, { token }), 200).json;
}

export async function readTransaction(world: HttpWorld, intent: Members): Promise<Members> {
  return expectStatus(await world.send('GET', `/v1/transactions/${textOf(intent, 'tx_refid')}`, { key: SECRET }), 200)
    .json;
}

export async function statusOf(world: HttpWorld, sessionId: string): Promise<unknown> {
  return expectStatus(await retrieve(world, sessionId), 200).json['status'];
}

export function failureCode(intent: Members): unknown {
  const { failure } = intent;
  return typeof failure === 'object' && failure !== null && 'code' in failure ? failure.code : null;
}

export function actionOf(intent: Members): Members {
  const action = intent['next_action'];
  assert.ok(typeof action === 'object' && action !== null, JSON.stringify(intent));
  // A JSON object from the wire.
  return action as Members;
}

/** The types of the events delivered so far, without their prefix, in order. */
export function delivered(world: HttpWorld): readonly string[] {
  return world.t.deliveries().map((one) => one.type.replace('gate_session.', ''));
}

/** Sequences start at 1 and have no gaps (`docs/spec-notes.md`, webhook envelope). */
export function checkSequence(world: HttpWorld): void {
  const sequences = world.t.deliveries().map((one) => one.sequence);
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => index + 1),
  );
}
