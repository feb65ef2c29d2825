import type { OperationOrder } from '@gateramp/core/ports';
import { commit, drive, LEASE_MS, loadOperation, WRITES_MAX, type Drive, type Loaded } from './drive.js';
import { callIdOf, isPast, toDocument, type Operation } from './operation.js';
import { undoing } from './progress.js';

/** Closes an operation while no money has moved; afterwards it goes on, and is returned as it is. */
export async function cancelOperation(context: Drive, order: OperationOrder): Promise<Loaded> {
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const at = await loadOperation(context.store, order.mode, order.operationId);
    const closed = at === null ? await closeUnseen(context, order) : await close(context, at, order);
    if (closed !== null) return drive(context, closed, null, order.now);
  }
  throw new Error('Too many writers are changing this operation; try again.');
}

/** One that was never started is closed all the same, so that a start that is still under way is refused. */
async function closeUnseen({ store }: Drive, order: OperationOrder): Promise<Loaded | null> {
  const operation = closedOperation(order);
  const done = await store.commit({ documents: [toDocument(operation, 1, null)], entries: [] });
  return done === 'stale' ? null : { operation, version: 1, dueAt: null };
}

async function close(context: Drive, at: Loaded, { now }: OperationOrder): Promise<Loaded | null> {
  const { operation } = at;
  const { price } = operation;
  if (price === null || !(await mayClose(context, operation, now))) return at;
  const undone = undoing({ ...operation, endsAs: 'cancelled' }, price, now);
  return commit(context.store, at, undone.operation, undone.entries, now + LEASE_MS);
}

/** Before money was taken, and before a deposit was seen. */
async function mayClose({ legs }: Drive, operation: Operation, now: number): Promise<boolean> {
  const { state, flow, failure, price, mode } = operation;
  if (state.kind === 'ended' || state.kind === 'stuck' || failure !== null || operation.endsAs !== 'failed')
    return false;
  if (flow === 'on_ramp') return !isPast(operation, 'clear');
  if (state.step !== 'deposit') return !isPast(operation, 'deposit');
  const network = price?.source.network ?? '';
  const deposits = await legs.chain.deposits({ callId: callIdOf(operation, 'deposit'), mode, now, network });
  return deposits.length === 0;
}

function closedOperation({ operationId, mode, now }: OperationOrder): Operation {
  return {
    operationId,
    mode,
    partnerId: '',
    flow: 'on_ramp',
    method: 'card',
    countryCode: null,
    walletAddress: null,
    refundAddress: null,
    price: null,
    isVerified: false,
    state: { kind: 'ended', as: 'cancelled' },
    failure: null,
    endsAs: 'cancelled',
    disputes: [],
    resolution: null,
    onChain: null,
    credited: [],
    returns: [],
    refunds: [],
    createdAt: now,
    updatedAt: now,
  };
}
