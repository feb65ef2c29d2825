import { TryAgain } from '../../application/commit/apply.js';
import { writeAudited } from '../../application/audit.js';
import { type AuditContext, type AuditedChange, sortedJson } from '../../domain/audit.js';
import type { Instant } from '../../domain/instant.js';
import { isRecord } from '../../domain/json.js';
import type { Engine } from '../../application/engine.js';
import { notify } from '../../application/listeners.js';
import { isSuspended, type Partner } from '../../domain/partner/partner.js';
import type { AuditWrite } from '../../ports/change.js';
import type { ExtensionContext, OpenExtension } from '../extension.js';
import type { RefundCall } from '../in-process.js';
import type { PartnerStore, Saved } from '../../ports/partners.js';
import type { OperatorReads } from '../../ports/store.js';
import { partnerIdProblems, partnerProblems } from '../checks/check-administration.js';
import { GateArgumentError, throwIfAny } from '../checks/argument-error.js';

/**
 * The store of partners, keys and endpoints. Throws a `GateArgumentError` if the host manages its own, because writes to the store would
 * never be read.
 */
export function partnerStoreOf({ partners, partnerStore }: Engine): PartnerStore {
  if (partnerStore !== null && partners === partnerStore) return partnerStore;
  throw new GateArgumentError('gate.admin is not available', [
    "partners, keys and endpoints are managed by the host through its partners port. Write them to the host's own tables.",
  ]);
}

/** The reads of all partners. Throws a `GateArgumentError` if the host passed none. */
export function operatorOf({ operator }: Engine): OperatorReads {
  if (operator !== null) return operator;
  throw new GateArgumentError('gate.admin cannot read all partners', [
    'pass the port `operator` to createGate, such as postgresOperator(pool).',
  ]);
}

/** What the calls of `gate.admin` share. */
export interface AdminContext extends ExtensionContext {
  readonly opened: readonly OpenExtension[];
  readonly refundCall: (by: AuditContext) => RefundCall;
}

/** What a change means for the audit trail, apart from who makes it. */
export type AdminChange = Omit<AuditedChange, keyof AuditContext>;

/** Writes something to the store together with its audit entry. Throws `TryAgain` if too many other entries are added at the same time. */
export async function writeWithAudit(
  { engine, ready, by }: AdminContext,
  change: AdminChange,
  write: (audit: AuditWrite) => Promise<string>,
): Promise<void> {
  await ready();
  const audited = [{ ...by, ...change }];
  const outcome = await writeAudited(engine, audited, write, (written) => written === 'stale');
  if (outcome === 'stale') throw new TryAgain();
  notify(engine, (listener) => listener.audited?.(audited));
}

/** Saves a row together with its audit entry. */
export function saveAudited<Noun extends keyof Saved>(
  context: AdminContext,
  noun: Noun,
  row: Saved[Noun],
  change: AdminChange,
): Promise<void> {
  return writeWithAudit(context, change, (audit) => partnerStoreOf(context.engine).save(noun, row, audit));
}

/**
 * Decides on a row and saves it together with its audit entry. If another audited change is made in between, it decides again. Null: no
 * change.
 */
export async function changeAudited<Noun extends keyof Saved>(
  { engine, ready, by }: AdminContext,
  noun: Noun,
  decide: () => Promise<{ readonly row: Saved[Noun]; readonly change: AdminChange } | null>,
): Promise<void> {
  await ready();
  const last: { decided: Awaited<ReturnType<typeof decide>> } = { decided: null };
  const audited = () => (last.decided === null ? [] : [{ ...by, ...last.decided.change }]);
  const outcome = await writeAudited(
    engine,
    async () => {
      last.decided = await decide();
      return audited();
    },
    async (audit) => (last.decided === null ? 'saved' : partnerStoreOf(engine).save(noun, last.decided.row, audit)),
    (written) => written === 'stale',
  );
  if (outcome === 'stale') throw new TryAgain();
  if (last.decided !== null) notify(engine, (listener) => listener.audited?.(audited()));
}

/** A partner to create; omitted fields have the defaults that `createPartner` documents. */
export type NewPartner = Pick<Partner, 'name' | 'allowedOrigins'> & Partial<Omit<Partner, 'id'>>;

export interface PartnerAdministration {
  /** The partner with this id, also if the host manages its own partners; null if there is none. */
  findPartner(partnerId: string): Promise<Partner | null>;
  /** All partners, ordered by id. Needs the port `operator`. */
  listPartners(): Promise<readonly Partner[]>;
  /**
   * Creates a partner with a generated id (24 hexadecimal digits). By default it is not trusted with KYC packages, not enabled for live
   * mode, has no entitlements beyond buying and selling, and no quota.
   */
  createPartner(partner: NewPartner): Promise<Partner>;
  /**
   * Stores the complete partner under your own id, replacing an existing one except for its suspension. Changes nothing if it is stored
   * like this already.
   */
  savePartner(partner: Partner): Promise<void>;
  /**
   * Refuses the partner's keys with 403 `partner_suspended`, and begins no payment at its checkouts. Payments under way end as usual, and
   * webhooks are delivered. Takes effect within five seconds in every process, and lasts until `reinstatePartner`. Idempotent.
   */
  suspendPartner(partnerId: string): Promise<Partner>;
  /** Ends the suspension of a partner: its keys and checkouts work as before. */
  reinstatePartner(partnerId: string): Promise<Partner>;
}

const DEFAULTS: Omit<Partner, 'id' | 'name' | 'allowedOrigins'> = {
  kycTrusted: false,
  liveEnabled: false,
  entitlements: [],
  completedSessionsQuota: null,
};

export function partnerAdministration(context: AdminContext): PartnerAdministration {
  const { engine } = context;
  const { clock, ids } = engine;
  const keep = (action: string, partner: Partner, before: Partner | null): Promise<void> =>
    saveAudited(context, 'partner', partner, {
      action,
      target: { type: 'partner', id: partner.id },
      partnerId: partner.id,
      mode: null,
      before,
      after: partner,
    });
  const known = async (call: string, partnerId: string): Promise<Partner> => {
    throwIfAny(`${call} received invalid arguments`, partnerIdProblems(partnerId));
    const partner = await partnerStoreOf(engine).findPartner(partnerId);
    if (partner === null)
      throw new GateArgumentError(`${call} received invalid arguments`, ['No partner has this partnerId.']);
    return partner;
  };
  const suspend = async (action: string, before: Partner, suspendedAt: Instant | null): Promise<Partner> => {
    const { id } = before;
    const after = { ...before, suspendedAt };
    await saveAudited(
      context,
      'suspension',
      { partnerId: id, suspendedAt },
      { action, target: { type: 'partner', id }, partnerId: id, mode: null, before, after },
    );
    return after;
  };
  return {
    findPartner: async (partnerId) => engine.partners.findPartner(partnerId),
    listPartners: async () => operatorOf(engine).partners(),
    createPartner: async (given) => {
      const partner: Partner = { ...DEFAULTS, ...given, id: ids.object(clock.ofMode('live')) };
      const isNamed = isRecord(given) && Object.hasOwn(given, 'id');
      throwIfAny(
        'createPartner received an invalid partner',
        partnerProblems(isRecord(given) ? partner : given),
        isNamed ? ['id is generated; use savePartner to choose it.'] : [],
      );
      await keep('partner.create', partner, null);
      return partner;
    },
    suspendPartner: async (partnerId) => {
      const partner = await known('suspendPartner', partnerId);
      return isSuspended(partner) ? partner : suspend('partner.suspend', partner, clock.ofMode('live'));
    },
    reinstatePartner: async (partnerId) => {
      const partner = await known('reinstatePartner', partnerId);
      return isSuspended(partner) ? suspend('partner.reinstate', partner, null) : partner;
    },
    savePartner: async (partner) => {
      throwIfAny('savePartner received an invalid partner', partnerProblems(partner));
      const before = await partnerStoreOf(engine).findPartner(partner.id);
      const { suspendedAt: _, ...given } = partner;
      const suspendedAt = before?.suspendedAt ?? null;
      const next = suspendedAt === null ? given : { ...given, suspendedAt };
      if (before !== null && sortedJson(before) === sortedJson(next)) return;
      await keep(before === null ? 'partner.create' : 'partner.update', next, before);
    },
  };
}
