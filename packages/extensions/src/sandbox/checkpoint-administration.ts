import type { Result } from 'neverthrow';
import { hasUnprintable, type Scope } from '@gateramp/core/domain';
import { type ExtensionContext, partnerIdProblems, shapeOf, throwIfAny } from '@gateramp/core/extension';
import {
  type CheckpointRefusal,
  createCheckpoint,
  deleteCheckpoint,
  listCheckpoints,
  type Returned,
  type Sandbox,
} from './checkpoints.js';
import type { Checkpoint } from './restored-rows.js';
import { returnToCheckpoint } from './return-to-checkpoint.js';

/**
 * Saves named states of a partner's sandbox and restores them. Test mode only. A checkpoint contains the sessions, payments, quotes, tasks
 * and pending deliveries of the sandbox, and the operations and saved payment methods of its sandbox provider, but no settings or keys.
 */
export interface Checkpoints {
  /** Newest first. */
  list(partnerId: string): Promise<readonly Checkpoint[]>;
  /** Saves the current state under a name of 1 to 60 characters. Refused above a row limit, which the message states. */
  create(partnerId: string, name: string): Promise<Result<Checkpoint, CheckpointRefusal>>;
  /**
   * Restores the state in one commit, with future instants as far ahead as they were. Ids, event numbers and the clock never go back. Open
   * sessions created since expire, and events announced since are still delivered.
   */
  return(partnerId: string, id: string): Promise<Result<Returned, CheckpointRefusal>>;
  delete(partnerId: string, id: string): Promise<Result<Checkpoint, CheckpointRefusal>>;
}

export function checkpointsOf({ ready, by }: ExtensionContext, sandbox: Sandbox): Checkpoints {
  const sandboxOf = async (what: string, partnerId: string, problems: readonly string[] = []): Promise<Scope> => {
    throwIfAny(`checkpoints.${what} received invalid arguments`, partnerIdProblems(partnerId), problems);
    await ready();
    return { partnerId, mode: 'test' };
  };
  return {
    list: async (partnerId) => listCheckpoints(sandbox.engine, await sandboxOf('list', partnerId)),
    create: async (partnerId, name) => {
      const scope = await sandboxOf('create', partnerId, nameProblems(name));
      return createCheckpoint(sandbox, scope, name, by);
    },
    return: async (partnerId, id) => returnToCheckpoint(sandbox, await sandboxOf('return', partnerId), id, by),
    delete: async (partnerId, id) => deleteCheckpoint(sandbox.engine, await sandboxOf('delete', partnerId), id, by),
  };
}

function nameProblems(name: unknown): readonly string[] {
  const isName = typeof name === 'string' && name.trim() === name && name.length >= 1 && name.length <= 60;
  if (isName && !hasUnprintable(name)) return [];
  return [`name must be 1 to 60 printable characters, without spaces at its ends; it is ${shapeOf(name)}.`];
}
