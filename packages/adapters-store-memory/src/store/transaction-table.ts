import type { Scope } from '@gateramp/core';
import type { Transaction } from '@gateramp/core/domain';
import { OF_HASH_MAX, type RowWrite } from '@gateramp/core/ports';
import { VersionedTable } from './versioned-table.js';

/** Transactions, indexed also by their hash on chain. They are never deleted. */
export class TransactionTable extends VersionedTable<Transaction> {
  private readonly byHash = new Map<string, Set<string>>();

  constructor() {
    super((transaction) => transaction.refid);
  }

  ofHash(scope: Scope, txHash: string): readonly Transaction[] {
    return [...(this.byHash.get(txHash.toLowerCase()) ?? [])]
      .map((refid) => this.find(scope, refid))
      .filter((row) => row !== null)
      .toSorted((one, other) => (one.refid < other.refid ? 1 : -1))
      .slice(0, OF_HASH_MAX);
  }

  override write(write: RowWrite<Transaction>): Transaction | null {
    const former = super.write(write);
    if (former !== null) this.forget(former);
    const { refid, txHash } = write.row;
    if (txHash === null) return former;
    const name = txHash.toLowerCase();
    this.byHash.set(name, (this.byHash.get(name) ?? new Set()).add(refid));
    return former;
  }

  private forget({ refid, txHash }: Transaction): void {
    const name = txHash?.toLowerCase() ?? '';
    const refids = this.byHash.get(name);
    refids?.delete(refid);
    if (refids?.size === 0) this.byHash.delete(name);
  }
}
