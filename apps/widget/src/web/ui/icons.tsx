import type { ComponentChildren } from 'preact';
import type { PaymentMethod } from '../wire/types.js';

/** An icon on a 24 × 24 grid in the current text colour. It is decorative: its meaning is always given as text as well. */
function Icon({ children, size = 20 }: { readonly children: ComponentChildren; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export function MethodIcon({ method }: { readonly method: PaymentMethod }) {
  switch (method) {
    case 'card':
      return (
        <Icon>
          <rect x="2.5" y="5" width="19" height="14" rx="2.5" />
          <path d="M2.5 10h19M6.5 15h3" />
        </Icon>
      );
    case 'bank_transfer':
      return (
        <Icon>
          <path d="M3 9.5 12 4l9 5.5M5 10v8M10 10v8M14 10v8M19 10v8M3 20h18" />
        </Icon>
      );
    case 'crypto':
      return (
        <Icon>
          <path d="M4 8h14l-3.5-3.5M20 16H6l3.5 3.5" />
        </Icon>
      );
  }
}

export function ScanIcon() {
  return (
    <Icon>
      <path d="M4 8V5.5A1.5 1.5 0 0 1 5.5 4H8M16 4h2.5A1.5 1.5 0 0 1 20 5.5V8M20 16v2.5a1.5 1.5 0 0 1-1.5 1.5H16M8 20H5.5A1.5 1.5 0 0 1 4 18.5V16M8 9h3v3H8zM14 9h2M14 13h2v2M9 15h2" />
    </Icon>
  );
}

export function ChevronIcon() {
  return (
    <Icon>
      <path d="m6 9.5 6 6 6-6" />
    </Icon>
  );
}

export function LockIcon() {
  return (
    <Icon size={14}>
      <rect x="4.5" y="10.5" width="15" height="10" rx="2" />
      <path d="M8 10.5V7a4 4 0 0 1 8 0v3.5" />
    </Icon>
  );
}

export function BinIcon() {
  return (
    <Icon>
      <path d="M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10 10.5v5.5M14 10.5v5.5" />
    </Icon>
  );
}

export function TickIcon({ size = 16 }: { readonly size?: number }) {
  return (
    <Icon size={size}>
      <path d="m5 12.5 4.5 4.5L19 7.5" />
    </Icon>
  );
}

export function CrossIcon({ size = 16 }: { readonly size?: number }) {
  return (
    <Icon size={size}>
      <path d="M6 6l12 12M18 6 6 18" />
    </Icon>
  );
}

export function DashIcon({ size = 16 }: { readonly size?: number }) {
  return (
    <Icon size={size}>
      <path d="M12 7v6M12 17h.01" />
    </Icon>
  );
}

export function CameraIcon() {
  return (
    <Icon>
      <path d="M4 8h3.2l1.6-2.5h6.4L16.8 8H20a1.5 1.5 0 0 1 1.5 1.5v8A1.5 1.5 0 0 1 20 19H4a1.5 1.5 0 0 1-1.5-1.5v-8A1.5 1.5 0 0 1 4 8Z" />
      <circle cx="12" cy="13.2" r="3.2" />
    </Icon>
  );
}

/** A document, or the outline of a card while there is no file. */
export function FileIcon({ isBlank }: { readonly isBlank: boolean }) {
  return (
    <Icon size={24}>
      {isBlank ? (
        <path d="M4.5 6h15A1.5 1.5 0 0 1 21 7.5v9a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 16.5v-9A1.5 1.5 0 0 1 4.5 6ZM6.5 14.5h5M14.5 10.5h3" />
      ) : (
        <path d="M7 3h7l4.5 4.5V21H7ZM14 3v4.5h4.5" />
      )}
    </Icon>
  );
}

export function ShieldIcon() {
  return (
    <Icon size={48}>
      <path d="M12 3l7.5 2.800v5.700c0 4.5-3 7.800-7.5 9.5-4.5-1.700-7.5-5-7.5-9.5V5.800ZM8.800 12l2.300 2.300 4.2-4.400" />
    </Icon>
  );
}
