import type { Instant } from '@gateramp/core/domain';
import {
  type AuditedCommit,
  type ChainTransfer,
  commitAudited,
  type JsonValue,
  type LedgerEntry,
  type LegDocument,
  type LegsStore,
  TRANSFER_KIND,
  transferDocument,
} from '@gateramp/provider-legs';
import type { Address, Hash, Hex } from 'viem';

/** A document of this leg. `version` is the stored version, 0 for a new document. */
export interface Doc<Status extends string, Body extends JsonValue> {
  readonly id: string;
  readonly version: number;
  readonly status: Status;
  readonly dueAt: Instant | null;
  readonly body: Body;
}

/** The kinds of documents with their content. Big numbers are decimal text. */
export interface Kinds {
  evm_send: Doc<SendStatus, SendBody>;
  evm_wallet: Doc<'active' | 'paused', WalletBody>;
  evm_reservation: Doc<'held' | 'used' | 'released', ReservationBody>;
  evm_outside_spend: Doc<'open' | 'adopted', OutsideSpendBody>;
  evm_deposit: Doc<'watched', DepositBody>;
  evm_deposit_index: Doc<'watched', IndexBody>;
  evm_deposit_counter: Doc<'active', { readonly next: number }>;
  evm_cursor: Doc<'active', CursorBody>;
  evm_reconciled: Doc<'active', ReconciledBody>;
  evm_books: Doc<'active', BooksBody>;
  evm_settled: Doc<'final', SettledBody>;
  evm_swept: Doc<'active', SweptBody>;
  evm_compared: Doc<'active', ComparedBody>;
  [TRANSFER_KIND]: Doc<string, JsonValue>;
}

/** The last compared block, and since when the watcher's cursor has been at the same block; absent in rows of an older version. */
export type ReconciledBody = {
  readonly block: number;
  readonly watcher?: { readonly number: number; readonly since: Instant };
};

/** The address whose balances were compared last, in the round through all addresses of a network, and when. */
export type ComparedBody = { readonly address: Address; readonly at: Instant };

/**
 * queued → sending → confirmed | refused. A queued send has no nonce yet; a sending one keeps its nonce. The only way
 * back, sending → queued, requires a final block in which another signer's transaction has spent the nonce.
 */
export type SendStatus = 'queued' | 'sending' | 'confirmed' | 'refused';

/** A send, with every transaction that was signed for it. */
export type SendBody = {
  readonly network: string;
  readonly chainId: number;
  readonly wallet: Address;
  readonly asset: string;
  readonly to: Address;
  readonly amount: string;
  readonly units: string;
  /** Null while queued. */
  readonly nonce: number | null;
  /** The newest block when the nonce was taken. The nonce was unspent up to it. */
  readonly sinceBlock: number;
  /** Oldest first. Each is stored before its first broadcast. */
  readonly attempts: readonly Attempt[];
  /** Earlier nonces of the send that another signer spent. */
  readonly lost: readonly { readonly nonce: number; readonly by: Hash; readonly attempts: readonly Attempt[] }[];
  readonly isCancelling: boolean;
  /** The included transaction; null while none is in a block. */
  readonly included: { readonly hash: Hash; readonly block: number } | null;
  readonly seen: number;
  readonly failure: Failure | null;
  /** Absent in rows of an older version. */
  readonly origin?: Origin;
  /** Why only an operator can end the send; absent when it ends by itself. */
  readonly problem?: string;
  /** What arrived of a transfer that arrived in part. */
  readonly arrived?: string;
};

/** Why a send or a reservation was refused. */
export type Failure = { readonly code: string; readonly message: string; readonly retryable: boolean };

/** When the operation began, and the newest block at that time, as far as they are known. */
export type Origin = { readonly at: Instant | null; readonly block: number | null };

/** An amount that is set aside for a send. */
export type ReservationBody = {
  readonly network: string;
  readonly chainId: number;
  readonly wallet: Address;
  readonly asset: string;
  readonly to: string;
  readonly units: string;
  readonly origin: Origin;
  /** Why the reservation was refused; null when it was not. */
  readonly failure: Failure | null;
};

/**
 * A transaction of the wallet's key that this database does not know, such as one that was signed after a backup. `adopted`: it is the
 * transaction of a send.
 */
export type OutsideSpendBody = {
  readonly network: string;
  readonly nonce: number;
  /** Null for a content that is not a transfer of a served asset. */
  readonly paid: Paid | null;
  readonly attempt: Attempt;
  /** Its block, or the next block when it was found while it was pending. */
  readonly block: number;
  readonly at: Instant;
  readonly adoptedBy: string | null;
  /** Whether the wallet was paused because of it. */
  readonly isReported: boolean;
};

/** A transfer of a served asset. */
export type Paid = { readonly asset: string; readonly to: Address; readonly units: string };

/** One signed transaction. All attempts of a send share its nonce, so at most one of them is ever included. */
export type Attempt = {
  readonly kind: 'transfer' | 'cancellation';
  readonly hash: Hash;
  readonly raw: Hex;
  readonly gas: string;
  /** The gas price on networks with legacy fees. */
  readonly maxFee: string;
  readonly tip: string;
  readonly at: Instant;
  /** The newest block when it was signed; absent in rows of an older version. */
  readonly block?: number;
};

/** Amounts in the smallest unit, by asset. */
export type Units = { readonly [asset: string]: string };

/** The wallet on one network. */
export type WalletBody = {
  readonly network: string;
  readonly address: Address;
  readonly nextNonce: number;
  readonly day: string;
  /** Units of the sends of the UTC day `day`, by asset. The day never goes back. */
  readonly spent: Units;
  /** Units of the reservations that are held. */
  readonly reserved?: Units;
  /** The number of reservations that are held. */
  readonly holds?: number;
  /** Units and gas of all sends that ever got a nonce. A view of the chain subtracts what was taken after it was read. */
  readonly taken?: Units;
  /** Why an asset must not be sent until an operator resumes the wallet, by asset. */
  readonly stopped?: { readonly [asset: string]: string };
  /** True until `nextNonce` has been read from the network. */
  readonly isUnread?: boolean;
  readonly pausedBecause: string | null;
  /** Every pause and resumption, oldest first, so that operators can see later why nothing was sent. */
  readonly history: readonly WalletChange[];
};

/** A pause or a resumption of the wallet. */
export type WalletChange = {
  readonly at: Instant;
  readonly to: 'active' | 'paused';
  readonly by: 'operator' | 'leg';
  readonly reason: string;
};

/** The deposit address of one call, with its deposits. */
export type DepositBody = {
  readonly network: string;
  readonly index: number;
  readonly address: Address;
  readonly createdAt: Instant;
  readonly deposits: readonly StoredDeposit[];
  /** Credited deposits that a reorganization removed. */
  readonly reorged: readonly StoredDeposit[];
  /** What the balances of the address are compared with. Absent until the first comparison of an address of an earlier version. */
  readonly measured?: Measured;
  /** Units by asset that the balance shows and no deposit explains. An operator can credit them. */
  readonly unattributed?: Units;
};

/**
 * What left the address, so that its balance and `spent` together are all that arrived. `nonce` is its count of transactions in the final
 * block `block`: only its own transactions raise it, such as those of a sweep.
 */
export type Measured = { readonly block: number; readonly nonce: number; readonly spent: Units };

/** The owner of the address at an index. Ids are in the order of the indexes, so that new ones follow the newest known id. */
export type IndexBody = {
  readonly callId: string;
  readonly network: string;
  readonly address: Address;
  readonly createdAt: Instant;
};

/** One transfer, identified by its transaction and its position among the transaction's transfers to this address. */
export type StoredDeposit = {
  readonly hash: Hash;
  readonly index: number;
  readonly asset: string;
  readonly units: string;
  readonly block: number;
  readonly blockHash: Hash;
  readonly at: Instant;
  readonly creditedAt: Instant | null;
  /**
   * `own`: sent by the operator, so it is never credited. The others were found by the balance of the address, or credited by an operator;
   * `hash` then identifies it, but is no transaction.
   */
  readonly by?: 'balance' | 'operator' | 'own';
};

/** The position up to which a network has been read. */
export type CursorBody = {
  readonly number: number;
  readonly hash: Hash;
  readonly finalized: number;
  /** Blocks that were read, oldest first. Older ones are kept more sparsely. */
  readonly headers: readonly { readonly number: number; readonly hash: Hash }[];
  /** Ids of calls with a deposit that a reorganization could still remove. */
  readonly unsettled: readonly string[];
};

/** The balances of the wallet up to which the ledger has booked them. */
export type BooksBody = {
  readonly network: string;
  /** Transactions below this nonce are part of the opening balance. */
  readonly openedNonce: number;
  /** The first nonce that was not spent at `block`. */
  readonly nonce: number;
  readonly block: number;
  /** Units at `block`, by asset. */
  readonly balances: { readonly [asset: string]: string };
};

/** What was moved away from a deposit address, in units by asset. The id is that of the deposit. */
export type SweptBody = {
  readonly network: string;
  readonly units: { readonly [asset: string]: string };
};

/** What a final transaction of a send took from the wallet, with its gas, in units by asset. */
export type SettledBody = {
  readonly hash: Hash;
  readonly block: number;
  readonly spent: { readonly [asset: string]: string };
};

/** One document to write, of its kind. */
export interface Write {
  readonly kind: keyof Kinds;
  readonly next: Doc<string, JsonValue>;
}

/** Loads, commits and claims documents of these kinds. */
export function documentsOf(store: LegsStore) {
  return {
    /** The time of the store, which all processes share, or this process's time if the store has none. */
    now: async (own: Instant): Promise<Instant> => (await store.now?.()) ?? own,
    async load<K extends keyof Kinds>(kind: K, id: string): Promise<Kinds[K] | null> {
      const document = await store.load(kind, id);
      return document === null ? null : ofKind<K>(document);
    },
    /** The document that a write commits, for a commit together with others. */
    documentOf,
    /** Writes each document with the next version. False when another process was faster; then nothing was written. */
    async commit(...writes: readonly Write[]): Promise<boolean> {
      return (await store.commit(changeOf(writes))) === 'committed';
    },
    /** As `commit`, together with ledger entries. */
    async book(entries: readonly LedgerEntry[], ...writes: readonly Write[]): Promise<boolean> {
      return (await store.commit({ ...changeOf(writes), entries })) === 'committed';
    },
    /** Whether a send or a deposit of this store has this hash. */
    async hasTransfer(hash: Hash): Promise<boolean> {
      const range = { after: `${hash.toLowerCase()} `, before: `${hash.toLowerCase()}!` };
      return (await store.list({ kind: TRANSFER_KIND, ...range, limit: 1 })).length > 0;
    },
    /** The writes by which operations are found by these hashes. A deposit that a reorganization moved has its document already. */
    async writesOf(transfers: readonly ChainTransfer[]): Promise<readonly Write[]> {
      const documents = new Map(transfers.map(transferDocument).map((one) => [one.id, { ...one, version: 0 }]));
      const stored = await Promise.all([...documents.keys()].map((id) => store.load(TRANSFER_KIND, id)));
      return [...documents.values()]
        .filter((_, nth) => stored[nth] === null)
        .map((next) => ({ kind: TRANSFER_KIND, next }));
    },
    /** Writes a wallet as an operator changes it, with its entry of the audit trail if there is one. False as `commit`. */
    async commitWallet(
      before: Kinds['evm_wallet'],
      next: Kinds['evm_wallet'],
      audited?: AuditedCommit,
    ): Promise<boolean> {
      const rows = { before: before.version === 0 ? null : before, after: next };
      return (await commitAudited(store, changeOf([{ kind: 'evm_wallet', next }]), rows, audited)) === 'committed';
    },
    async claimDue<K extends keyof Kinds>(kind: K, now: Instant, leaseMs: number, limit: number) {
      return (await store.claimDue({ kind, now, leaseMs, limit })).map(ofKind<K>);
    },
    /** One page of a kind, in the order of their ids. */
    async page<K extends keyof Kinds>(kind: K, after: string | null, limit: number) {
      return (await store.list({ kind, after, limit })).map(ofKind<K>);
    },
    /** The documents of a kind that are due now or later. */
    async allDue<K extends keyof Kinds>(kind: K) {
      return (await store.listDue({ kind, limit: DUE_MAX })).map(ofKind<K>);
    },
    /** All documents of a kind with ids between two, which are exclusive. */
    async between<K extends keyof Kinds>(kind: K, after: string, before: string) {
      return this.all(kind, { after, before });
    },
    /** All documents of a kind, in the order of their ids. */
    async all<K extends keyof Kinds>(
      kind: K,
      { status, after = null, before }: { status?: string; after?: string | null; before?: string } = {},
    ) {
      const found: Kinds[K][] = [];
      for (let from = after; ;) {
        const filter = { ...(status === undefined ? {} : { status }), ...(before === undefined ? {} : { before }) };
        const page = await store.list({ kind, ...filter, after: from, limit: PAGE });
        found.push(...page.map(ofKind<K>));
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return found;
        from = last.id;
      }
    },
  };
}

function changeOf(writes: readonly Write[]) {
  return { documents: writes.map(documentOf), entries: [] };
}

function documentOf({ kind, next }: Write): LegDocument {
  return { ...next, kind, version: next.version + 1 };
}

/** The documents of this leg in a store. */
export type Documents = ReturnType<typeof documentsOf>;

const PAGE = 200;
const DUE_MAX = 10_000;

/** Casts a stored document. Safe, because only this leg writes documents of these kinds. */
function ofKind<K extends keyof Kinds>({ id, version, status, dueAt, body }: LegDocument): Kinds[K] {
  return { id, version, status, dueAt, body } as unknown as Kinds[K];
}
