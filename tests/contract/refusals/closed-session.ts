import { MINUTE } from '@gateramp/core/domain';
import { cancel, expectStatus, type HttpWorld, simulate } from '../kit.js';

export const CLOSINGS = ['completed', 'cancelled', 'expired'] as const;

/** Sessions that end before the embed token of their browser. */
export const SHORT_SESSIONS = { policy: { sessionLifetime: 30 * MINUTE } } as const;

/** Closes a session that has just been created. */
export async function closeSession(world: HttpWorld, id: string, how: (typeof CLOSINGS)[number]): Promise<void> {
  const { clock, gate } = world.t;
  if (how === 'completed') expectStatus(await simulate(world, id, 'succeed'), 200);
  if (how === 'cancelled') expectStatus(await cancel(world, id), 200);
  if (how === 'expired') await clock.advance(gate.policy.sessionLifetime + 1);
}
