import type { Mode } from '@gateramp/core';
import type { HttpResponse } from '@gateramp/core/http';

/** A request and its answer, for logs and metrics. */
export interface AnsweredRequest {
  readonly requestId: string | null;
  /** Null for requests without an authenticated partner. */
  readonly partnerId: string | null;
  readonly mode: Mode;
  readonly method: string;
  /** The template of its path. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** Of its recorded span; absent if it is not traced. */
  readonly trace?: HttpResponse['trace'];
}
