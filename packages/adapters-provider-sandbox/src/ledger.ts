import { effectsOf, type MoneyEffect } from './effects.js';
import type { SandboxOperation } from './operation.js';

/** The sandbox's own books, which outlive a process when they are kept in a database. Operations are plain JSON. */
export interface SandboxLedger {
  read(operationId: string): Promise<SandboxOperation | null>;
  /** Compare-and-set on the version; null inserts, and the operation must be new. False: nothing was written. */
  write(operation: SandboxOperation, expectedVersion: number | null): Promise<boolean>;
}

/** Books that live as long as the process. Kept as text, so that no caller holds a row that can change. */
export function memorySandboxLedger(): SandboxLedger & SandboxAudit {
  const rows = new Map<string, { readonly version: number; readonly text: string }>();
  const read = async (operationId: string): Promise<SandboxOperation | null> => {
    const row = rows.get(operationId);
    // What was serialised from an operation is one.
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

/** What an audit reads of the sandbox's books. */
export interface SandboxAudit {
  /** Movements of money of one operation up to `now`, in the order they were booked. */
  effects(operationId: string, now: number): Promise<readonly MoneyEffect[]>;
}

/** More writers than this on one operation at one moment is a fault; the caller looks the operation up. */
const WRITES_MAX = 16;

/** What a change found and what it wrote: one and the same where it wrote nothing. */
interface Changed {
  readonly before: SandboxOperation | null;
  readonly operation: SandboxOperation;
}

/**
 * Reads, decides, writes; decides again when another writer was faster. A decision that returns what it was given writes nothing.
 * Throws when it cannot get through: the result is then unknown to the caller.
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
