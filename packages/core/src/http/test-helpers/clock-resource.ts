import type { Advanced, Fired } from '../../application/test-helpers/advance-clock.js';
import { isoTime } from '../../domain/instant.js';
import { toJsonText, type JsonText } from '../../domain/json/json-text.js';

export const FIRED_TYPES = ['webhook_delivery', 'task'] as const;

type FiredType = (typeof FIRED_TYPES)[number];

/** The test clock on the wire, and what moving it has run. */
export type TestClock = {
  readonly object: 'test_clock';
  readonly now: string;
  readonly fired: readonly { readonly type: FiredType; readonly id: string }[];
};

export function clockResource({ now, fired }: Advanced): JsonText<TestClock> {
  return toJsonText({
    object: 'test_clock',
    now: isoTime(now),
    fired: fired.map((one) => ({ type: TYPES[one.type], id: one.id })),
  } satisfies TestClock);
}

const TYPES: Record<Fired['type'], FiredType> = { delivery: 'webhook_delivery', task: 'task' };
