import type { Gate, Mode } from '@gateramp/core';
import type { Extension } from '@gateramp/core/extension';
import type { OpenStore } from '../store/store-subject.js';

/** A gate, or its host of pools. */
export type ServedGate = Pick<Gate, 'handle' | 'fetch' | 'policy'>;

/** A way to serve a gate: an adapter on a real socket, or the Fetch bridge. */
export interface HttpSubject {
  /** Serves it as the host of one mode. Several may be mounted at once. */
  mount(gate: ServedGate, mode: Mode): Promise<MountedHost>;
  /** A new, empty store for the gate of each law that does not bring its own; in memory by default. */
  readonly store?: () => Promise<OpenStore>;
  /** Extensions of the gate, in place of those of a test gate. Laws of products need theirs. */
  readonly extensions?: readonly Extension[];
}

/** The gate, served as the host of one mode. */
export interface MountedHost {
  send(request: WireRequest): Promise<WireResponse>;
  close(): Promise<void>;
}

/** A request as sent by the client. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged: nothing may be added or parsed. */
  readonly body?: Uint8Array | string;
}

/** A response as received by the client. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
