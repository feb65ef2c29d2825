import type { CardBrand } from '../forms/card.js';

/** A simple mark of our own in the colours of the card brand. */
export function CardMark({ brand }: { readonly brand: CardBrand }) {
  const [back, text] = MARKS[brand];
  return (
    <svg class="card-mark" viewBox="0 0 38 24" role="img" aria-label={brand}>
      <rect x="0.5" y="0.5" width="37" height="23" rx="4" fill={back} stroke="#c9d1da" />
      {brand === 'Mastercard' ? (
        <>
          <circle cx="15" cy="12" r="7" fill="#eb001b" />
          <circle cx="23" cy="12" r="7" fill="#f79e1b" />
          <path d="M19 6.3a7 7 0 0 1 0 11.4 7 7 0 0 1 0-11.4" fill="#ff5f00" />
        </>
      ) : (
        <text
          x="19"
          y="16"
          text-anchor="middle"
          font-size={text.length > 4 ? 7.5 : 10.5}
          font-weight="800"
          font-style={brand === 'Visa' ? 'italic' : undefined}
          fill={back === '#fff' ? '#1a1f71' : '#fff'}
        >
          {text}
        </text>
      )}
    </svg>
  );
}

const MARKS: Readonly<Record<CardBrand, readonly [string, string]>> = {
  Visa: ['#fff', 'VISA'],
  Mastercard: ['#fff', ''],
  'American Express': ['#016fd0', 'AMEX'],
  Discover: ['#d9690f', 'DISC'],
  JCB: ['#0b4ea2', 'JCB'],
  'Diners Club': ['#fff', 'DINERS'],
  UnionPay: ['#00707c', 'UP'],
};
