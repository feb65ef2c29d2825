/** What the process of the legs may ask of the world. */
export type Port = 'chain' | 'fiat';

/** How a life begins. */
export interface Start {
  readonly kind: 'start';
  readonly file: string;
  readonly now: number;
  /** The number of its first payment. */
  readonly first: number;
  /** Callbacks of the processor that no life has recorded. */
  readonly callbacks: readonly Uint8Array[];
  /** It begins nothing new, and ends when everything is at rest. */
  readonly isLast: boolean;
}

export type ToLife =
  | Start
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown; readonly error: string | null };

export type FromLife =
  | { readonly kind: 'ready' }
  | { readonly kind: 'tick'; readonly now: number; readonly next: number }
  | { readonly kind: 'recorded'; readonly rawBody: Uint8Array }
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly port: Port;
      readonly method: string;
      readonly args: readonly unknown[];
    };
