import type { ChoiceName } from '../../app/event.js';
import type { Asset, Draft, Terms } from '../../app/screen.js';
import type { Flow, Side } from '../../wire/types.js';

/** The number of decimals of a currency that is not listed. */
const DECIMALS_OTHERWISE = 2;

export function decimalsOf({ currencies, currency: fixed }: Terms, currency: string | null): number {
  return currencies.find(({ code }) => code === (currency ?? fixed))?.decimals ?? DECIMALS_OTHERWISE;
}

/** What the options depend on. */
type Choosing = Pick<Draft, 'flow' | 'currency' | 'source'>;

/** The keys of the options. With fewer than two there is nothing to choose. */
export function choicesOf(terms: Terms, draft: Choosing, of: ChoiceName): readonly string[] {
  switch (of) {
    case 'currency':
      return terms.currencies.filter(({ flows }) => flows.includes(draft.flow)).map(({ code }) => code);
    case 'source':
      return draft.flow === 'on_ramp' ? [] : sources(terms, draft).map(keyOf);
    case 'target':
      return draft.flow === 'off_ramp' ? [] : targets(terms, draft).map(keyOf);
  }
}

/** Whether the order step has nothing to choose, except for how to pay. */
export function isAllFixed(terms: Terms, flow: Flow): boolean {
  const isFixed = terms.sessionId !== null && terms.walletAddress !== null && terms.flows.length === 1;
  const draft = { flow, currency: null, source: null };
  return isFixed && flow === 'on_ramp' && choicesOf(terms, draft, 'target').length < 2;
}

/** The key of the option in effect: the chosen one, otherwise the one of the quotes. */
export function chosenOf(terms: Terms, draft: Draft, of: ChoiceName): string | null {
  if (of === 'currency') return draft.currency ?? terms.currency;
  const chosen = draft[of] ?? (of === 'source' ? sentBy(draft) : receivedBy(draft));
  return chosen === null ? null : keyOf(chosen);
}

/**
 * The draft with another choice. If the new source equals the target, the target is cleared, since an asset cannot be swapped into itself.
 */
export function withChoice(draft: Draft, of: ChoiceName, value: string): Draft {
  switch (of) {
    case 'currency':
      return { ...draft, currency: value };
    case 'target':
      return { ...draft, target: assetOf(value) };
    case 'source': {
      const isSame = draft.target !== null && keyOf(draft.target) === value;
      return { ...draft, source: assetOf(value), target: isSame ? null : draft.target };
    }
  }
}

/** Parses the key of an option. */
export function assetOf(key: string): Asset {
  const [token = '', network = ''] = key.split('/');
  return { token, network };
}

function sources(terms: Terms, draft: Choosing): readonly Asset[] {
  const { targetToken, targetNetwork } = terms;
  const isReceived = ({ token, network }: Asset): boolean => token === targetToken && network === targetNetwork;
  return assetsOf(terms, draft, 'source').filter((one) => draft.flow === 'off_ramp' || !isReceived(one));
}

function targets(terms: Terms, draft: Choosing): readonly Asset[] {
  const { targetToken, targetNetwork } = terms;
  const sent = draft.flow === 'swap' && draft.source !== null ? keyOf(draft.source) : null;
  return assetsOf(terms, draft, 'target')
    .filter(({ token }) => targetToken === null || token === targetToken)
    .filter(({ network }) => targetNetwork === null || network === targetNetwork)
    .filter((one) => keyOf(one) !== sent);
}

/** The assets that can be used now in the draft's currency. */
function assetsOf(terms: Terms, { flow, currency }: Choosing, usedAs: 'source' | 'target'): readonly Asset[] {
  return terms.assets
    .filter(({ flows }) => flows.includes(flow))
    .flatMap(({ code, networks, unavailable = [] }) => {
      const isClosed = (network: string) =>
        unavailable.some(
          (use) =>
            use.flow === flow &&
            use.used_as === usedAs &&
            use.network === network &&
            use.currency === (currency ?? terms.currency),
        );
      return networks.filter((network) => !isClosed(network)).map((network) => ({ token: code, network }));
    });
}

const keyOf = ({ token, network }: Asset): string => `${token}/${network}`;

const sentBy = ({ quotes }: Draft): Asset | null => sideOf(quotes?.quotes[0]?.source);
const receivedBy = ({ quotes }: Draft): Asset | null => sideOf(quotes?.quotes[0]?.destination);

function sideOf(side: Side | undefined): Asset | null {
  return side === undefined || side.network === null ? null : { token: side.currency, network: side.network };
}
