import type { NotSent } from '../../ports/provider.js';

/** A call that was not sent, for the operator's log. */
export function notReached({ reason }: NotSent): Error {
  return new Error(`The provider was not reached: ${reason}`);
}
