import {
  ACCEPTANCE,
  type AuditCheck,
  type AuditComparison,
  type AuditPage,
  compareAudit,
  listAudit,
  type RememberedHead,
  verifyAudit,
  writeAudited,
} from '../../application/audit.js';
import { apply } from '../../application/commit/apply.js';
import { endRemoved } from '../../application/work/watchdogs.js';
import type { Actor, AuditContext, AuditEntry, AuditHead } from '../../domain/audit.js';
import type { Scope } from '../../domain/mode.js';
import { type AuditWrite, emptyChange } from '../../ports/change.js';
import {
  actorProblems,
  auditHeadProblems,
  auditPageProblems,
  auditedProblems,
  consumerNameProblems,
} from '../checks/check-administration.js';
import { throwIfAny } from '../checks/argument-error.js';
import { withAdded } from '../checks/check-extensions.js';
import { endpointAdministration, type EndpointAdministration } from './endpoints.js';
import { keyAdministration, type KeyAdministration } from './keys.js';
import {
  type AdminChange,
  type AdminContext,
  partnerAdministration,
  type PartnerAdministration,
  writeWithAudit,
} from './partners.js';
import type { RefundCall } from '../in-process.js';

/**
 * Manages the store's partners, keys, webhook endpoints and consumers. Secrets are passed as text and stored hashed or encrypted.
 * Invalid arguments reject with a `GateArgumentError` that lists all problems. Every change is recorded in the audit trail, in the same
 * commit; a call that changes nothing is not.
 */
export interface Administration<More = unknown>
  extends PartnerAdministration, KeyAdministration, EndpointAdministration {
  /**
   * Removes a consumer with all its event types: no more deliveries are written for it, and existing ones are dead-lettered as they become
   * due. A process that still calls `gate.on` for it registers it again at its next start, so remove that call first.
   */
  removeConsumer(name: string): Promise<void>;
  /**
   * Refunds a completed transaction of a partner, in whole or in part (`{ amount?, reason? }`). The refund is committed before the provider
   * is called, and an unknown result is looked up. Calls with the same `idempotencyKey` refund once. In a process
   * without providers, a worker of another process makes the refund.
   */
  readonly refundTransaction: RefundCall;
  /**
   * The same calls by an actor other than the host, whom the audit trail then names:
   * `gate.admin.as({ type: 'operator', id: 'ada@example.com' }, { reason: 'ticket 812' })`.
   */
  as(actor: Actor, why?: { readonly reason?: string; readonly requestId?: string }): Administration<More> & More;
  readonly audit: AuditTrail;
}

/** Who changed what. Entries are chained by keyed digests and never deleted. */
export interface AuditTrail {
  /**
   * Newest first, at most 500; `before` is the sequence of the last entry of the previous page. `action` is one such as `key.issue`, or
   * all of a noun: `key`. `actor` is the id of an actor or access. `from` (inclusive) and `to` are epoch milliseconds.
   */
  list(page?: AuditPage): Promise<readonly AuditEntry[]>;
  /**
   * Reads the whole trail and checks that no entry was changed, added or removed, that it contains the end of an earlier check
   * (`atLeast`), and that no key, or other row that lets someone in, lacks the entry of its creation (of partners: port `operator`).
   */
  verify(options?: { readonly atLeast?: AuditHead }): Promise<AuditCheck>;
  /**
   * Compares the end of the trail with an end that was remembered outside of the database; null: none was. Reads a few entries only, so
   * it can be repeated often.
   */
  compare(remembered: RememberedHead | null): Promise<AuditComparison>;
  /** Adds an entry with which `compare` accepts a trail that was set back before, such as by a restore. */
  accept(): Promise<void>;
  /** Adds an entry about something that the host itself administers. */
  record(change: AdminChange): Promise<void>;
  /**
   * Adds an entry in the commit of another store in the same database, such as that of provider legs. Calls `write` with the entry, and
   * repeats that while other entries come first. Resolves to its answer: `stale` if the commit was refused for another reason, and then
   * there is no entry.
   */
  recordWith(
    change: AdminChange,
    write: (audit: AuditWrite) => Promise<'committed' | 'stale'>,
  ): Promise<'committed' | 'stale'>;
}

const HOST: AuditContext = { actor: { type: 'host', id: 'gate.admin' }, reason: null, requestId: null };

export function administration(parts: Omit<AdminContext, 'by'>, by: AuditContext = HOST): Administration {
  const context: AdminContext = { ...parts, by };
  const { engine } = parts;
  const engineMembers: Administration = {
    ...partnerAdministration(context),
    ...keyAdministration(context),
    ...endpointAdministration(context),
    removeConsumer: async (name) => {
      throwIfAny('removeConsumer received invalid arguments', consumerNameProblems(name));
      await removeRegistered(context, name);
      const { consumers } = await engine.consumers.refresh();
      for (const consumer of consumers)
        if (consumer.name === name && consumer.isRemoved) await endRemoved(engine, consumer);
    },
    as: (actor, why = {}) => {
      throwIfAny('gate.admin.as received invalid arguments', actorProblems(actor, why));
      const { reason = null, requestId = null } = why;
      return administration(parts, { actor, reason, requestId });
    },
    refundTransaction: parts.refundCall(by),
    audit: auditTrail(context),
  };
  return withAdded(
    'member of gate.admin',
    engineMembers,
    parts.opened.map((one) => one.admin?.(context)),
  );
}

/** Removes a consumer, unless it is removed already or was never registered. */
async function removeRegistered(context: AdminContext, name: string): Promise<void> {
  const { store } = context.engine;
  const { consumers } = await store.readConsumers();
  const types = consumers.filter((one) => one.name === name && !one.isRemoved).map(({ type }) => type);
  if (types.length === 0) return;
  const target = { type: 'consumer', id: name };
  const change = { action: 'consumer.remove', target, partnerId: null, mode: null, before: { types }, after: null };
  await writeWithAudit(context, change, (audit) => store.removeConsumer(name, audit));
}

function auditTrail({ engine, ready, by }: AdminContext): AuditTrail {
  const record = async (change: AdminChange): Promise<void> => {
    await ready();
    const scope: Scope = { partnerId: change.partnerId ?? '', mode: change.mode ?? 'live' };
    await apply(engine, {
      load: async () => engine.clock.now(scope),
      decide: (now) => ({ change: emptyChange(scope, now), value: null, audited: [{ ...by, ...change }] }),
    });
  };
  return {
    list: async (page = {}) => {
      throwIfAny('audit.list received invalid arguments', auditPageProblems(page));
      return listAudit(engine, page);
    },
    verify: async ({ atLeast = null } = {}) => {
      throwIfAny('audit.verify received invalid arguments', auditHeadProblems(atLeast));
      await ready();
      return verifyAudit(engine, atLeast);
    },
    compare: async (remembered) => {
      throwIfAny('audit.compare received invalid arguments', auditHeadProblems(remembered));
      await ready();
      return compareAudit(engine, remembered);
    },
    recordWith: async (change, write) => {
      throwIfAny('audit.recordWith received an invalid entry', auditedProblems(change));
      await ready();
      return writeAudited(engine, [{ ...by, ...change }], write, (outcome) => outcome === 'stale');
    },
    record: async (change) => {
      throwIfAny('audit.record received an invalid entry', auditedProblems(change));
      await record(change);
    },
    accept: () => record(ACCEPTANCE),
  };
}
