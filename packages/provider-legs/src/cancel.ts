import type { OperationOrder } from '@gateramp/core/ports';
import { commit, drive, dueAfter, loadOperation, WRITES_MAX, type Drive, type Loaded } from './drive.js';
import { callIdOf, isPast, toDocument, type Operation } from './operation.js';
import { undoing } from './progress.js';

/** Cancels an operation while no money has moved. Once money has moved, the operation continues and is returned unchanged. */
export async function cancelOperation(context: Drive, order: OperationOrder): Promise<Loaded> {
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const at = await loadOperation(context.store, order.mode, order.operationId);
    const closed = at === null ? await closeUnseen(context, order) : await close(context, at, order);
    if (closed !== null) return drive(context, closed, null, order.now);
  }
  throw new Error('Too many writers are changing this operation; try again.');
}

/** Stores a cancelled operation in place of one that was never started, so that a start that is still under way has no effect. */
async function closeUnseen({ store }: Drive, order: OperationOrder): Promise<Loaded | null> {
  const operation = closedOperation(order);
  const done = await store.commit({ documents: [toDocument(operation, 1, null)], entries: [] });
  return done === 'stale' ? null : { operation, version: 1, dueAt: null, isMarked: false };
}

async function close(context: Drive, at: Loaded, { now }: OperationOrder): Promise<Loaded | null> {
  const { operation } = at;
  const { price } = operation;
  if (price === null || !(await mayClose(context, operation, now))) return at;
  const undone = undoing({ ...operation, endsAs: 'cancelled' }, price, now);
  return commit(context.store, at, { ...undone, dueAt: dueAfter(undone.operation, null, now) });
}

/** Whether the operation can still be cancelled: no money has been taken, and no deposit has been seen. */
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
    tries: 0,
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
