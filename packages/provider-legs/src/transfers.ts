import { MODES, type Mode, type Scope } from '@gateramp/core/domain';
import type { OperationTransfer } from '@gateramp/core/ports';
import { loadOperation } from './drive.js';
import type { Operation } from './operation.js';
import type { JsonValue, LegDocument, LegsStore } from './ports/legs-store.js';

/** A transfer that a chain leg signed or received, and the call that it belongs to. */
export interface ChainTransfer {
  readonly hash: string;
  readonly callId: string;
  readonly as: 'deposit' | 'send' | 'cancellation';
}

/** The kind of the documents by which operations are found by a hash on chain. */
export const TRANSFER_KIND = 'chain_transfer';

/**
 * The document by which the operation of a transfer is found. A chain leg commits it together with the transfer, once for each hash and
 * call; transfers without one are found only while a transaction shows their hash.
 */
export function transferDocument({ hash, callId, as }: ChainTransfer): LegDocument {
  const body = { callId, as };
  return { kind: TRANSFER_KIND, id: `${prefixOf(hash)}${callId}`, version: 1, status: 'recorded', dueAt: null, body };
}

/** One transaction on chain may pay many deposits: how many are found, and among how many, read by pages of `TRANSFERS_MAX`. */
const TRANSFERS_MAX = 100;
const TRANSFERS_READ_MAX = 1_000;

/** The transfers of operations with this hash, whose case is ignored; those in these scopes, or all. */
export async function findTransfers(
  store: LegsStore,
  hash: string,
  scopes: readonly Scope[] | null = null,
): Promise<readonly OperationTransfer[]> {
  // The range of this hash alone: in the order of ids, an exclamation mark follows a space.
  const before = `${hash.toLowerCase()}!`;
  const modes = MODES.filter((mode) => scopes?.some((scope) => scope.mode === mode) ?? true);
  const found: OperationTransfer[] = [];
  let after = prefixOf(hash);
  for (let read = 0; read < TRANSFERS_READ_MAX && found.length < TRANSFERS_MAX; read += TRANSFERS_MAX) {
    const documents = await store.list({ kind: TRANSFER_KIND, after, before, limit: TRANSFERS_MAX });
    const transfers = documents.map(({ body }) => transferOf(hash, body));
    const page = await Promise.all(transfers.map((transfer) => withOperation(store, transfer, modes)));
    found.push(...page.filter((one) => one !== null).filter((one) => isIn(scopes, one)));
    const last = documents.at(-1);
    if (last === undefined || documents.length < TRANSFERS_MAX) break;
    after = last.id;
  }
  return found.slice(0, TRANSFERS_MAX);
}

function isIn(scopes: readonly Scope[] | null, { partnerId, mode }: Scope): boolean {
  return scopes?.some((scope) => scope.partnerId === partnerId && scope.mode === mode) ?? true;
}

function prefixOf(hash: string): string {
  return `${hash.toLowerCase()} `;
}

function transferOf(hash: string, body: JsonValue): ChainTransfer {
  // Written from a transfer above.
  return { hash, ...(body as unknown as Omit<ChainTransfer, 'hash'>) };
}

/** Null for a call that is not part of an operation. No step has a hyphen in its name, but operations may have one in their id. */
async function withOperation(
  store: LegsStore,
  transfer: ChainTransfer,
  modes: readonly Mode[],
): Promise<OperationTransfer | null> {
  const end = transfer.callId.lastIndexOf('-');
  const [operationId, step] = [transfer.callId.slice(0, end), transfer.callId.slice(end + 1)];
  if (end < 0) return null;
  const loaded = await Promise.all(modes.map((mode) => loadOperation(store, mode, operationId)));
  const operation = loaded.find((one) => one !== null)?.operation;
  if (operation === undefined) return null;
  const { partnerId, mode } = operation;
  return { operationId, partnerId, mode, kind: kindOf(operation, step, transfer) };
}

function kindOf({ returns, onChain }: Operation, step: string, { hash, as }: ChainTransfer): OperationTransfer['kind'] {
  if (as === 'cancellation') return 'cancelled_send';
  if (as === 'deposit') return 'deposit';
  const nth = RETURN_STEP.exec(step)?.[1];
  if (nth !== undefined) return returns[Number(nth)]?.deposit === 'accepted' ? 'refund' : 'deposit_return';
  return onChain?.hash?.toLowerCase() === hash.toLowerCase() ? 'send' : 'replaced_send';
}

const RETURN_STEP = /^return_(\d+)$/;
