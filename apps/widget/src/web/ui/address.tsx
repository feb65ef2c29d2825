import type { Messages } from '../i18n/en.js';

/** The number of characters at each end that buyers compare. */
const ENDS = { first: 6, last: 4 } as const;

/** Shortens a long address to its ends. */
export function shortAddress(address: string): string {
  return address.length <= 16 ? address : `${address.slice(0, ENDS.first)}…${address.slice(-ENDS.last)}`;
}

/** An address in groups of four with its ends highlighted. The gaps are CSS only, so that copied text has none. */
export function Address({ address }: { readonly address: string }) {
  const groups = address.match(/^0x.{4}|.{1,4}/g) ?? [];
  const last = groups.length - 1;
  return (
    <bdi dir="ltr" class="address">
      {groups.map((group, index) => (
        <span key={index} class={index === 0 || index === last ? 'address-end' : undefined}>
          {group}
        </span>
      ))}
    </bdi>
  );
}

export function AddressRow({ title, address }: { readonly title: string; readonly address: string }) {
  return (
    <div class="row">
      <dt>{title}</dt>
      <dd>
        <Address address={address} />
      </dd>
    </div>
  );
}

/** Shows the ends of an address to compare with the wallet, once the address is long enough. */
export function EndsToCheck({ address, t }: { readonly address: string; readonly t: Messages }) {
  if (address.length <= ENDS.first + ENDS.last) return null;
  return (
    <p class="ends">
      {t.checkEnds}{' '}
      <bdi dir="ltr" class="address">
        <span class="address-end">{address.slice(0, ENDS.first)}</span>
        <span>…</span>
        <span class="address-end">{address.slice(-ENDS.last)}</span>
      </bdi>
    </p>
  );
}
