import type { ChoiceName } from '../../app/event.js';
import type { Asset, Draft, Terms } from '../../app/screen.js';
import type { Side } from '../../wire/types.js';

/** Of money that is not listed. */
const DECIMALS_OTHERWISE = 2;

export function decimalsOf({ currencies, currency: fixed }: Terms, currency: string | null): number {
  return currencies.find(({ code }) => code === (currency ?? fixed))?.decimals ?? DECIMALS_OTHERWISE;
}

/** What can be chosen, as the texts by which it is; fewer than two leave nothing to choose. */
export function choicesOf(terms: Terms, draft: Draft, of: ChoiceName): readonly string[] {
  switch (of) {
    case 'currency':
      return terms.currencies.filter(({ flows }) => flows.includes(draft.flow)).map(({ code }) => code);
    case 'source':
      return draft.flow === 'on_ramp' ? [] : sources(terms, draft).map(keyOf);
    case 'target':
      return draft.flow === 'off_ramp' ? [] : targets(terms, draft).map(keyOf);
  }
}

/** The one that applies: as chosen, else as the price has it. */
export function chosenOf(terms: Terms, draft: Draft, of: ChoiceName): string | null {
  if (of === 'currency') return draft.currency ?? terms.currency;
  const chosen = draft[of] ?? (of === 'source' ? sentBy(draft) : receivedBy(draft));
  return chosen === null ? null : keyOf(chosen);
}

/** The draft with another choice. Swapping something into itself is nothing: what was to be received gives way. */
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

/** Of the text by which it is chosen. */
export function assetOf(key: string): Asset {
  const [token = '', network = ''] = key.split('/');
  return { token, network };
}

function sources(terms: Terms, draft: Draft): readonly Asset[] {
  const { targetToken, targetNetwork } = terms;
  const isReceived = ({ token, network }: Asset): boolean => token === targetToken && network === targetNetwork;
  return assetsOf(terms, draft).filter((one) => draft.flow === 'off_ramp' || !isReceived(one));
}

function targets(terms: Terms, draft: Draft): readonly Asset[] {
  const { targetToken, targetNetwork } = terms;
  const sent = draft.flow === 'swap' && draft.source !== null ? keyOf(draft.source) : null;
  return assetsOf(terms, draft)
    .filter(({ token }) => targetToken === null || token === targetToken)
    .filter(({ network }) => targetNetwork === null || network === targetNetwork)
    .filter((one) => keyOf(one) !== sent);
}

function assetsOf({ assets }: Terms, { flow }: Draft): readonly Asset[] {
  return assets
    .filter(({ flows }) => flows.includes(flow))
    .flatMap(({ code, networks }) => networks.map((network) => ({ token: code, network })));
}

const keyOf = ({ token, network }: Asset): string => `${token}/${network}`;

const sentBy = ({ quotes }: Draft): Asset | null => sideOf(quotes?.quotes[0]?.source);
const receivedBy = ({ quotes }: Draft): Asset | null => sideOf(quotes?.quotes[0]?.destination);

function sideOf(side: Side | undefined): Asset | null {
  return side === undefined || side.network === null ? null : { token: side.currency, network: side.network };
}
