import type { Advanced, Fired } from '../../application/test-helpers/advance-clock.js';
import { isoTime } from '../../domain/instant.js';
import { toJsonText, type JsonText } from '../../domain/json/json-text.js';

export function clockResource({ now, fired }: Advanced): JsonText {
  return toJsonText({
    object: 'test_clock',
    now: isoTime(now),
    fired: fired.map((one) => ({ type: TYPES[one.type], id: one.id })),
  });
}

const TYPES: Record<Fired['type'], string> = { delivery: 'webhook_delivery', task: 'task' };
