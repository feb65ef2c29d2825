import { effectsOf, type MoneyEffect } from './effects.js';
import type { SandboxOperation } from './operation.js';

/** The ledger of the sandbox; durable if it is stored in a database. Operations are plain JSON. */
export interface SandboxLedger {
  read(operationId: string): Promise<SandboxOperation | null>;
  /** Compare-and-set on the version; null inserts a new operation. Returns false if nothing was written. */
  write(operation: SandboxOperation, expectedVersion: number | null): Promise<boolean>;
}

/** A ledger in memory. Rows are stored as text, so that callers never share a mutable row. */
export function memorySandboxLedger(): SandboxLedger & SandboxAudit {
  const rows = new Map<string, { readonly version: number; readonly text: string }>();
  const read = async (operationId: string): Promise<SandboxOperation | null> => {
    const row = rows.get(operationId);
    // The text was serialised from an operation.
    return row === undefined ? null : (JSON.parse(row.text) as SandboxOperation);
  };
  return {
    read,
    async write(operation, expectedVersion) {
      if ((rows.get(operation.operationId)?.version ?? null) !== expectedVersion) return false;
      rows.set(operation.operationId, { version: operation.version, text: JSON.stringify(operation) });
      return true;
    },
    async effects(operationId, now) {
      const operation = await read(operationId);
      return operation === null ? [] : effectsOf(operation, now);
    },
  };
}

/** Read access to the sandbox's ledger, for audits. */
export interface SandboxAudit {
  /** The movements of money of one operation up to `now`, in the order they were recorded. */
  effects(operationId: string, now: number): Promise<readonly MoneyEffect[]>;
}

/** More concurrent writers on one operation indicate a fault; the caller then looks the operation up. */
const WRITES_MAX = 16;

/** The row before and after a change; identical if nothing was written. */
interface Changed {
  readonly before: SandboxOperation | null;
  readonly operation: SandboxOperation;
}

/**
 * Reads, decides and writes; decides again if another writer was faster. A decision that returns its input writes nothing. Throws if it
 * does not succeed: the result is then unknown to the caller.
 */
export async function changeRow(
  ledger: SandboxLedger,
  operationId: string,
  decide: (operation: SandboxOperation | null) => SandboxOperation,
): Promise<Changed> {
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const before = await ledger.read(operationId);
    const decided = decide(before);
    if (decided === before) return { before, operation: decided };
    const operation = { ...decided, version: (before?.version ?? 0) + 1 };
    if (await ledger.write(operation, before?.version ?? null)) return { before, operation };
  }
  throw new Error('The sandbox ledger is too busy with this operation.');
}
