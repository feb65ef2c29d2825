/** The ports whose calls the parent process answers. */
export type Port = 'chain' | 'fiat';

/** The start of one process. */
export interface Start {
  readonly kind: 'start';
  readonly file: string;
  readonly now: number;
  /** The number of its first payment. */
  readonly first: number;
  /** Callbacks of the processor that no process has recorded yet. */
  readonly callbacks: readonly Uint8Array[];
  /** Whether the process starts no new payments, and exits when all operations have ended. */
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
