import type { Intent } from '../../domain/intent/intent.js';
import type { Provider } from '../../ports/provider.js';
import type { Engine } from '../engine.js';

/**
 * The id under which a checkout shows a provider's quote. It remembers the provider by a keyed digest of its name, so that no table of
 * quotes is kept and browsers do not learn who serves them.
 */
export function quoteIdOf(engine: Engine, provider: string, id: string): string {
  return `${tagOf(engine, provider)}${SEPARATOR}${id}`;
}

/** The provider of a quote and its own id for it. An id without a tag is from the version before this one, which knew one provider. */
export function readQuoteId(
  engine: Engine,
  shown: string,
): { readonly provider: Provider; readonly id: string } | null {
  const end = shown.indexOf(SEPARATOR);
  const tag = end < 0 ? null : shown.slice(0, end);
  const tagged = engine.providers.find(({ name }) => tag !== null && engine.crypto.equal(tag, tagOf(engine, name)));
  if (tagged !== undefined) return { provider: tagged, id: shown.slice(end + SEPARATOR.length) };
  const [first] = engine.providers;
  return first === undefined ? null : { provider: first, id: shown };
}

/** The intent as its provider knows it: under its own id of the quote. */
export function intentForProvider(engine: Engine, intent: Intent): Intent {
  if (intent.quoteId === null || intent.sessionId === null) return intent;
  return { ...intent, quoteId: readQuoteId(engine, intent.quoteId)?.id ?? intent.quoteId };
}

const SEPARATOR = '.';

function tagOf({ crypto }: Engine, provider: string): string {
  return crypto.keyedHash('quote-provider', provider).slice(0, 12);
}
