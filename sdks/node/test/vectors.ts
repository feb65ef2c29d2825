import { readFileSync } from 'node:fs';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../spec/${name}-vectors.json`, import.meta.url), 'utf8'));

/** Written by the engine's tests, which document each member. */
export interface SignatureVector {
  readonly name: string;
  readonly payload?: string;
  readonly payload_base64?: string;
  readonly payload_json?: unknown;
  readonly header: string | null;
  readonly secrets: readonly string[];
  readonly now: number;
  readonly tolerance_seconds: number;
  readonly reason: string | null;
}

export interface RetryVector {
  readonly name: string;
  readonly answer:
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
    | { readonly failure: 'connection' | 'timeout' };
  readonly retries_made: number;
  readonly now: number;
  readonly retried: boolean;
  readonly wait_ms: { readonly least: number; readonly most: number } | null;
  readonly error: string;
  readonly type: string;
  readonly code: string;
  readonly request_id?: string;
  readonly messages?: readonly string[];
  readonly retry_after_seconds?: number;
}

interface RetryFile {
  readonly policy: Readonly<Record<string, number>>;
  readonly vectors: readonly RetryVector[];
}

export const signatureVectors = (read('signature') as { vectors: readonly SignatureVector[] }).vectors;
export const { policy: retryPolicy, vectors: retryVectors } = read('retry') as RetryFile;
