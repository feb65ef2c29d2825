import { err, ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { SavedMethod } from '../../domain/intent/saved-method.js';
import { type Scope, scopeOf } from '../../domain/mode.js';
import { type Partner, savesMethods } from '../../domain/partner/partner.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Session } from '../../domain/session/session.js';
import type { CustomerOrder, Provider, SavingProvider } from '../../ports/provider.js';
import { type DocumentKind, findRow } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { type Keyed, replayable } from '../idempotency/keyed.js';
import { takesOn } from '../capabilities/retrieve-capabilities.js';
import { answersOf, type CallResult, callProvider } from '../providers/call-providers.js';
import { readTaggedId, taggedId } from '../providers/route-provider.js';
import { type EmbedToken, sessionOfToken } from './embed-token.js';

/** A saved method with the provider that stores it. */
export interface HeldMethod {
  readonly provider: SavingProvider;
  readonly method: SavedMethod;
}

/** A buyer's saved methods, with the ids used by the checkout, and when they were read. */
interface SavedMethods {
  readonly methods: readonly SavedMethod[];
  readonly now: Instant;
}

type SavedMethodsRefusal = Refusal<'session_required' | 'session_not_found' | 'invalid_embed_token'>;

interface Caller {
  readonly token: EmbedToken;
  readonly partner: Partner;
}

type Buyer = Pick<Session, 'partnerId' | 'mode' | 'userReference'>;

/** Whether the session identifies its buyer, which saving a payment method requires. A blank reference does not. */
export function hasCustomer({ userReference }: Buyer): boolean {
  return userReference !== null && userReference.trim() !== '';
}

/**
 * The last return of a sandbox to a checkpoint. Its id is part of the digest by which the sandbox provider knows a buyer, so each return
 * gives buyers new customers, whose saved methods it has restored. They take effect with the commit of the return.
 */
export interface SandboxCustomers extends Scope {
  readonly id: typeof CUSTOMERS_ID;
  readonly version: number;
  readonly createdAt: Instant;
  readonly returnId: string;
  /** The provider that was returned too. Absent in rows of earlier versions, which had no other. */
  readonly provider?: string;
}

/** The only provider that earlier versions returned. */
const FIRST_RETURNED = 'sandbox';

/** Constant id: a sandbox has one row. */
export const CUSTOMERS_ID = 'customers';

/** The row of a sandbox's last return. */
export const CUSTOMERS: DocumentKind<SandboxCustomers> = { noun: 'sandbox_customers' };

/** Identifies the buyer of a session to a provider. Null if the partner named no buyer. */
export async function customerOf(engine: Engine, buyer: Buyer, provider: Provider): Promise<string | null> {
  if (!hasCustomer(buyer)) return null;
  const last = buyer.mode === 'test' ? await findRow(engine.store, CUSTOMERS, scopeOf(buyer), CUSTOMERS_ID) : null;
  const isReturned = last !== null && (last.provider ?? FIRST_RETURNED) === provider.name;
  return customerSince(engine, buyer, isReturned ? last.returnId : null);
}

/** The customer since a return to a checkpoint, or before the first one. A digest, so that no provider learns the partner's reference. */
export function customerSince(
  { crypto }: Pick<Engine, 'crypto'>,
  buyer: Buyer,
  returnId: string | null,
): string | null {
  const { partnerId, mode, userReference } = buyer;
  if (!hasCustomer(buyer)) return null;
  const named = [partnerId, mode, userReference];
  return crypto.keyedHash('customer', JSON.stringify(returnId === null ? named : [...named, returnId]));
}

/** Lists the saved methods of the session's buyer, newest first per provider. Empty unless the partner has saved payment methods. */
export async function listSavedMethods(
  engine: Engine,
  { token, partner }: Caller,
): Promise<Result<SavedMethods, SavedMethodsRefusal>> {
  const session = await sessionOf(engine, token);
  if (session.isErr()) return err(session.error);
  const now = engine.clock.now(token.scope);
  if (!savesMethods(partner)) return ok({ methods: [], now });
  const { mode } = token.scope;
  const saving = engine.providers.filter(keepsMethods).filter((provider) => takesOn(provider, mode));
  const results = await Promise.all(
    saving.map(async (provider): Promise<CallResult<readonly SavedMethod[]>> => {
      const order = await customerOrder(engine, session.value, provider, now);
      if (order === null) return { kind: 'answered', answer: [] };
      return callSaved(engine, provider, order, async () =>
        (await provider.listSavedMethods(order)).map((method) => ({
          ...method,
          id: taggedId(engine, provider.name, method.id),
        })),
      );
    }),
  );
  return ok({ methods: answersOf(results).flat(), now });
}

/** Removes a saved method. Another buyer's id gets the same response as an unknown one. */
export function removeSavedMethod(
  engine: Engine,
  { token, partner }: Caller,
  id: string,
  idempotent: Idempotent<string> | null,
): Keyed<string, SavedMethodsRefusal | Refusal<'payment_method_not_found'>> {
  return replayable(engine, token.scope, idempotent, async () => {
    const session = await sessionOf(engine, token);
    if (session.isErr()) return err(session.error);
    const named = savingProviderOf(engine, id);
    if (named === null || !savesMethods(partner)) return savedMethodNotFound();
    const { provider, methodId } = named;
    const order = await customerOrder(engine, session.value, provider, engine.clock.now(token.scope));
    if (order === null) return savedMethodNotFound();
    const [isForgotten] = answersOf([
      await callSaved(engine, provider, order, () => provider.forgetSavedMethod({ ...order, methodId })),
    ]);
    return isForgotten === true ? ok(id) : savedMethodNotFound();
  });
}

/** Finds a method by id among those saved by the session's buyer. */
export async function findSavedMethod(engine: Engine, buyer: SavedBy, id: string): Promise<HeldMethod | null> {
  const [held] = answersOf([await lookUpSavedMethod(engine, buyer, id)]);
  return held ?? null;
}

/** For quotes, which are computed without the saved method if its provider is down. */
export async function savedMethodForPrice(engine: Engine, buyer: SavedBy, id: string): Promise<HeldMethod | null> {
  const result = await lookUpSavedMethod(engine, buyer, id);
  return result.kind === 'answered' ? result.answer : null;
}

/** The session and its partner, on which it depends whether methods are saved. */
interface SavedBy {
  readonly session: Owner;
  readonly partner: Partner;
}

async function lookUpSavedMethod(
  engine: Engine,
  { session, partner }: SavedBy,
  id: string,
): Promise<CallResult<HeldMethod | null>> {
  const named = savingProviderOf(engine, id);
  if (named === null || !savesMethods(partner)) return { kind: 'answered', answer: null };
  const { provider, methodId } = named;
  const order = await customerOrder(engine, session, provider, engine.clock.now(session));
  if (order === null) return { kind: 'answered', answer: null };
  return callSaved(engine, provider, order, async () => {
    const method = (await provider.listSavedMethods(order)).find((one) => one.id === methodId);
    return method === undefined ? null : { provider, method };
  });
}

export function savedMethodNotFound() {
  return refuse('payment_method_not_found', 'This buyer has no such saved payment method.');
}

/** Whether a provider can save payment methods. */
export function keepsMethods(provider: Provider): provider is SavingProvider {
  return provider.listSavedMethods !== undefined && provider.forgetSavedMethod !== undefined;
}

async function sessionOf(engine: Engine, token: EmbedToken): Promise<Result<Session, SavedMethodsRefusal>> {
  if (token.sessionId === null)
    return refuse('session_required', 'This checkout was opened without a session; create one on your server first.');
  return sessionOfToken(engine, token);
}

type Owner = Pick<Session, 'partnerId' | 'mode' | 'userReference' | 'status'>;

/** Null if nothing can be saved. Ended sessions have no saved methods, because their links may be kept for a long time. */
async function customerOrder(
  engine: Engine,
  session: Owner,
  provider: Provider,
  now: Instant,
): Promise<CustomerOrder | null> {
  const customer = session.status === 'open' ? await customerOf(engine, session, provider) : null;
  return customer === null ? null : { customer, mode: scopeOf(session).mode, now };
}

function savingProviderOf(engine: Engine, id: string) {
  const named = readTaggedId(engine, id);
  return named === null || !keepsMethods(named.provider) ? null : { provider: named.provider, methodId: named.id };
}

/** Saved methods are optional, so failures do not count against the provider's error budget. */
function callSaved<Answer>(engine: Engine, provider: Provider, { mode }: CustomerOrder, call: () => Promise<Answer>) {
  return callProvider(engine, provider, { mode, question: null, call });
}
