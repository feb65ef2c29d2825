import type { TestGate } from '@gateramp/testing';
import type { Scene } from './scene.js';
import type { Actor } from './turns.js';

/** Concurrent disturbances of a buyer. */
export const DISTURBANCES = [
  'buyer in another tab',
  'buyer whose request is repeated',
  'buyer who cancels and pays again',
  'buyer who cancels',
  'partner who cancels',
  'partner who reads',
  'partner who lists',
  'simulation of success',
  'simulation of a decline',
  'simulation of a late settlement',
  'callback of success',
  'callback of failure',
  'callback of a refund',
  'time past the session',
  'time past the action',
  'end of patience',
  'worker',
  'worker after the leases have lapsed',
  'crash',
] as const;

export type Part = 'buyer' | (typeof DISTURBANCES)[number];

/** A part, the process that plays it, and the number of turns after which it begins. */
export interface Role {
  readonly part: Part;
  readonly process: 'A' | 'B';
  readonly hesitation: number;
}

export function actor(scene: Scene, { part, process, hesitation }: Role, index: number): Actor {
  const t = scene.processes[process];
  return {
    name: `${part} ${index}`,
    process: part === 'crash' ? 'fate' : process,
    async act() {
      for (let turn = 0; turn < hesitation; turn += 1) await scene.turns.turn('hesitates');
      await play(scene, t, part, index);
    },
  };
}

async function play(scene: Scene, t: TestGate, part: Part, index: number): Promise<void> {
  switch (part) {
    case 'buyer':
    case 'buyer in another tab':
      return buy(scene, t, `key-${index}`);
    case 'buyer whose request is repeated':
      return repeat(scene, t);
    case 'buyer who cancels and pays again':
      if (await cancelLive(scene, t)) await buy(scene, t, `key-${index}`);
      return;
    case 'buyer who cancels':
      await cancelLive(scene, t);
      return;
    case 'partner who cancels':
      await scene.cancelSession(t);
      return;
    case 'partner who reads':
      await scene.retrieve(t);
      return;
    case 'partner who lists':
      return expectOpenOnly(scene, t);
    case 'simulation of success':
      await scene.simulate(t, 'succeed');
      return;
    case 'simulation of a decline':
      await scene.simulate(t, 'decline');
      return;
    case 'simulation of a late settlement': {
      const live = await scene.live();
      if (live !== null) scene.reported.add(live.operationId);
      const answer = await scene.simulate(t, 'late_settlement');
      await noteAnswered(scene, answer.json['id']);
      return;
    }
    case 'callback of success':
      return report(scene, t, 'succeeded');
    case 'callback of failure':
      return report(scene, t, 'failed');
    case 'callback of a refund':
      return report(scene, t, 'refunded');
    case 'time past the session':
      return pass(scene, (await scene.session()).expiresAt + 1 - scene.still.clock.now('test'));
    case 'time past the action':
      return pass(scene, 31 * 60_000);
    case 'end of patience':
      // Requests that wait for a provider are answered as timed out, while the call continues.
      scene.deadlines.expire();
      scene.hasExpiredDeadlines = true;
      return;
    case 'worker':
      return t.gate.runDue();
    case 'worker after the leases have lapsed':
      await pass(scene, 31_000);
      return t.gate.runDue();
    case 'crash':
      scene.turns.kill('A');
  }
}

/** Begins or continues the purchase, and provides the requested data until the intent needs nothing more. */
async function buy(scene: Scene, t: TestGate, key: string): Promise<void> {
  const live = await scene.live();
  let answer = live === null ? await scene.begin(t, key) : await scene.look(t, live.id);
  for (let step = 0; step < 3 && answer.json['status'] === 'requires_action'; step += 1) {
    const { type } = answer.json['next_action'] as { readonly type: string };
    answer = await scene.confirm(t, String(answer.json['id']), type, `${key}-${step}`);
  }
}

/** Repeats the first buyer's requests with the same keys, like a browser that has received no response. */
async function repeat(scene: Scene, t: TestGate): Promise<void> {
  const key = 'key-0';
  let answer = await scene.begin(t, key);
  for (let step = 0; step < 3 && answer.json['status'] === 'requires_action'; step += 1) {
    const { type } = answer.json['next_action'] as { readonly type: string };
    answer = await scene.confirm(t, String(answer.json['id']), type, `${key}-${step}`);
  }
}

async function report(scene: Scene, t: TestGate, outcome: 'succeeded' | 'failed' | 'refunded'): Promise<void> {
  const live = await scene.live();
  // Providers report only operations that they have received.
  const isStarted = live !== null && (await scene.still.ledger.read(live.operationId)) !== null;
  if (isStarted) await scene.callback(t, live.operationId, outcome);
}

async function cancelLive(scene: Scene, t: TestGate): Promise<boolean> {
  const live = await scene.live();
  if (live === null) return false;
  return (await scene.cancelIntent(t, live.id)).status === 200;
}

/** A list of open sessions contains no closed ones (`docs/spec-notes.md` C7). */
async function expectOpenOnly(scene: Scene, t: TestGate): Promise<void> {
  const { json } = await scene.list(t, 'open');
  const data = (json['data'] ?? []) as readonly { readonly status: string }[];
  const closed = data.filter(({ status }) => status !== 'open');
  if (closed.length > 0) throw new Error(`A list of open sessions shows one that is ${String(closed[0]?.status)}.`);
}

async function noteAnswered(scene: Scene, intentId: unknown): Promise<void> {
  const intent = typeof intentId === 'string' ? await scene.still.store.find('intent', scene.scope, intentId) : null;
  if (intent !== null) scene.reported.add(intent.operationId);
}

async function pass(scene: Scene, byMs: number): Promise<void> {
  await scene.turns.turn('lets time pass');
  await scene.still.clock.advanceTo(scene.still.clock.now('test') + Math.max(0, byMs));
}
