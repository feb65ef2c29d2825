import { go, stay, type Destination, type Next, type ScreenEvent } from '../../app/event.js';
import type { Resuming, Terms } from '../../app/screen.js';
import { chosenQuote, keepQuoting, withoutPrice } from '../quoting.js';
import { walletErrors } from '../wallet/wallet-state.js';

/** Returns to the buyer's step as soon as there is a price, or to the first step whose stored input is incomplete or invalid. */
export function reduceResuming(terms: Terms, state: Resuming, event: ScreenEvent): Next<Resuming> {
  const kept = keepQuoting(terms, state.draft, event);
  if (kept === null) return stay(state);
  const { draft, effects } = kept;
  if (draft.refusal !== null) return go(withoutPrice(draft));
  if (draft.isAsking) return stay({ ...state, draft }, ...effects);
  return go(destinationOf(terms, { ...state, draft }), ...effects);
}

function destinationOf(terms: Terms, { step, draft }: Resuming): Destination {
  if (step === 'order' || chosenQuote(draft) === null) return { to: 'order', draft };
  const isFilledIn = Object.keys(walletErrors(terms, draft)).length === 0;
  return step === 'payment' && isFilledIn ? { to: 'payment', draft } : { to: 'wallet', draft, errors: {} };
}
