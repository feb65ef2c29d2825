import { type Intent, MODES, type Scope, scopeOf } from '@gateramp/core/domain';
import {
  type Engine,
  type ExtensionContext,
  type FoundObject,
  inTime,
  operatorOf,
  ProviderUnavailable,
} from '@gateramp/core/extension';
import type { OperationTransfer, Provider } from '@gateramp/core/ports';

/** What an id or a hash on chain belongs to. */
export interface Found {
  /** A kind of the engine: `session`, `intent`, `transaction`, `event`, `delivery` or `operation`; or one of an extension. */
  readonly kind: string;
  readonly id: string;
  readonly scope: Scope;
  readonly sessionId: string | null;
  /** Its transaction, of an attempt or a payment over rails. */
  readonly refid: string | null;
  /** Its event, of an event or a delivery. */
  readonly eventId: string | null;
  /** The attempt, of an intent or an operation. Without payment data and next action, which may contain secrets of the buyer. */
  readonly intent: IntentSummary | null;
  /** The kind of the transfer with this hash, for a transaction or operation that was found by it; null if no provider knows it. */
  readonly transfer: OperationTransfer['kind'] | null;
  /** The resource of an extension's object. */
  readonly resource: FoundObject['resource'] | null;
}

type IntentSummary = Pick<
  Intent,
  | 'id'
  | 'status'
  | 'attempt'
  | 'provider'
  | 'operationId'
  | 'txRefid'
  | 'sessionId'
  | 'failure'
  | 'createdAt'
  | 'updatedAt'
>;

/** Lookups by an id or a hash on chain. */
export interface Lookup {
  /**
   * Finds what an id belongs to, in these scopes, or in those of all partners (port `operator`). `providers` are the names by which
   * operations are looked up, by default those of this gate.
   */
  find(
    id: string,
    where?: { readonly scopes?: readonly Scope[]; readonly providers?: readonly string[] },
  ): Promise<Found | null>;
  /**
   * Finds what a hash on chain belongs to, in these scopes, or in those of all partners (port `operator`): transactions, each with its
   * session and attempt; operations by other transfers that `providers` know (by default those of this gate), such as a returned deposit
   * or a replaced send (`transfer`); and objects of extensions. Makes a few statements for each scope, and stops at about 100
   * results. Empty unless `txHash` has 40 to 128 letters and digits.
   */
  findByTxHash(
    txHash: string,
    where?: { readonly scopes?: readonly Scope[]; readonly providers?: readonly TransferFinder[] },
  ): Promise<readonly Found[]>;
}

type TransferFinder = Pick<Provider, 'name' | 'findTransfers'>;

export function lookup({ engine, extensions }: Pick<ExtensionContext, 'engine' | 'extensions'>): Lookup {
  const lookups = extensions.flatMap((one) => one.lookup ?? []);
  return {
    find: async (id, { scopes, providers = engine.providers.map(({ name }) => name) } = {}) => {
      const [found] = await inEach(engine, { scopes, atMost: 1 }, async (scope) => [
        (await findIn(engine, scope, id)) ??
          (await firstOf(
            scope,
            lookups.map((one) => one.find(engine, scope, id)),
          )),
      ]);
      return found ?? findOperation(engine, id, providers, scopes ?? null);
    },
    findByTxHash: async (txHash, { scopes, providers = engine.providers } = {}) => {
      if (!TX_HASH.test(txHash)) return [];
      const [found, transfers] = await Promise.all([
        inEach(engine, { scopes, atMost: FOUND_MAX }, async (scope) => [
          ...(await transactionsOf(engine, scope, txHash)),
          ...(await Promise.all(lookups.map((one) => one.findByTxHash(engine, scope, txHash))))
            .flat()
            .map((one) => ofExtension(scope, one)),
        ]),
        transfersOf(engine, { txHash, scopes: scopes ?? null, providers }),
      ]);
      // A transaction that shows the hash itself includes its transfer, which is not listed again.
      const isOf = (transaction: Found, { scope, refid }: Found): boolean =>
        refid !== null && transaction.refid === refid && isSame(transaction.scope, scope);
      return [
        ...found.map((one) => ({ ...one, transfer: transfers.find((other) => isOf(one, other))?.transfer ?? null })),
        ...transfers.filter((one) => !found.some((transaction) => isOf(transaction, one))),
      ];
    },
  };
}

const SCOPES_AT_ONCE = 20;
const FOUND_MAX = 100;

/** Ids are shorter. Networks write hashes in hexadecimal or base 58, most of them with 64 to 88 characters. */
const TX_HASH = /^[0-9a-z]{40,128}$/i;

const EMPTY = { refid: null, eventId: null, intent: null, transfer: null, resource: null } as const;

/** Searches these scopes, or those of all partners, a few at a time, until they are done or `atMost` results are found. */
async function inEach(
  engine: Engine,
  { scopes, atMost }: { readonly scopes: readonly Scope[] | undefined; readonly atMost: number },
  search: (scope: Scope) => Promise<readonly (Found | null)[]>,
): Promise<readonly Found[]> {
  const searched = scopes ?? (await operatorOf(engine).partners()).flatMap((one) => scopesOf(one.id));
  const all: Found[] = [];
  for (let from = 0; from < searched.length && all.length < atMost; from += SCOPES_AT_ONCE) {
    const found = (await Promise.all(searched.slice(from, from + SCOPES_AT_ONCE).map(search))).flat();
    all.push(...found.filter((one) => one !== null));
  }
  return all;
}

function scopesOf(partnerId: string): readonly Scope[] {
  return MODES.map((mode) => ({ partnerId, mode }));
}

async function findIn({ store }: Engine, scope: Scope, id: string): Promise<Found | null> {
  const [session, intent, transaction, event, delivery] = await Promise.all([
    store.find('session', scope, id),
    store.find('intent', scope, id),
    store.find('transaction', scope, id),
    store.find('event', scope, id),
    store.find('delivery', scope, id),
  ]);
  const base = { ...EMPTY, id, scope };
  if (session !== null) return { ...base, kind: 'session', sessionId: session.id };
  if (intent !== null) return { ...base, ...ofIntent(intent), kind: 'intent' };
  if (transaction !== null)
    return { ...base, kind: 'transaction', sessionId: transaction.sessionId, refid: transaction.refid };
  if (event !== null) return { ...base, kind: 'event', sessionId: event.sessionId, eventId: event.id };
  if (delivery === null) return null;
  const { sessionId, eventId } = delivery.delivery;
  return { ...base, kind: 'delivery', sessionId, eventId };
}

async function transactionsOf({ store }: Engine, scope: Scope, txHash: string): Promise<readonly Found[]> {
  const transactions = await store.list('transaction_of_hash', scope, txHash);
  return Promise.all(
    transactions.map(async ({ refid, sessionId, intentId }): Promise<Found> => {
      const intent = await store.find('intent', scope, intentId);
      const attempt = intent === null ? null : ofIntent(intent).intent;
      return { ...EMPTY, kind: 'transaction', id: refid, scope, sessionId, refid, intent: attempt };
    }),
  );
}

/** The transfers that the providers know, with their attempts. */
async function transfersOf(
  engine: Engine,
  {
    txHash,
    scopes,
    providers,
  }: {
    readonly txHash: string;
    readonly scopes: readonly Scope[] | null;
    readonly providers: readonly TransferFinder[];
  },
): Promise<readonly Found[]> {
  const found = await Promise.all(
    providers.map(async (provider) => {
      const transfers = await transfersKnownTo(engine, provider, txHash, scopes);
      return Promise.all(
        transfers
          .filter((one) => isSeen(scopes, one))
          .map(async ({ operationId: id, kind: transfer, ...scope }): Promise<Found> => {
            const intent = await engine.store.find('intent_by_operation', scope.mode, provider.name, id);
            const of = intent === null ? { sessionId: null } : ofIntent(intent);
            return { ...EMPTY, kind: 'operation', id, scope: scopeOf(scope), ...of, transfer };
          }),
      );
    }),
  );
  return found.flat();
}

/** A provider that does not answer in time is reported, and the search continues without it. */
async function transfersKnownTo(
  engine: Engine,
  provider: TransferFinder,
  txHash: string,
  scopes: readonly Scope[] | null,
): Promise<readonly OperationTransfer[]> {
  try {
    return (await inTime(engine, provider.name, Promise.resolve(provider.findTransfers?.(txHash, scopes)))) ?? [];
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error;
    engine.telemetry.failure(error, { provider: provider.name });
    return [];
  }
}

/** Operations are looked up by provider and mode instead of by partner. */
async function findOperation(
  { store }: Engine,
  id: string,
  providers: readonly string[],
  scopes: readonly Scope[] | null,
): Promise<Found | null> {
  const lookups = MODES.flatMap((mode) =>
    providers.map((provider) => store.find('intent_by_operation', mode, provider, id)),
  );
  const intent = (await Promise.all(lookups)).find((one) => one !== null) ?? null;
  if (intent === null || !isSeen(scopes, intent)) return null;
  return { ...EMPTY, kind: 'operation', id, scope: scopeOf(intent), ...ofIntent(intent) };
}

function isSeen(scopes: readonly Scope[] | null, one: Scope): boolean {
  return scopes?.some((scope) => isSame(scope, one)) ?? true;
}

function isSame(one: Scope, other: Scope): boolean {
  return one.partnerId === other.partnerId && one.mode === other.mode;
}

async function firstOf(scope: Scope, finds: readonly Promise<FoundObject | null>[]): Promise<Found | null> {
  const found = (await Promise.all(finds)).find((one) => one !== null) ?? null;
  return found === null ? null : ofExtension(scope, found);
}

function ofExtension(scope: Scope, { kind, id, resource }: FoundObject): Found {
  return { ...EMPTY, kind, id, scope, sessionId: null, resource };
}

function ofIntent(intent: Intent): Pick<Found, 'sessionId' | 'refid' | 'intent'> {
  const { id, status, attempt, provider, operationId, txRefid, sessionId, failure, createdAt, updatedAt } = intent;
  const summary = { id, status, attempt, provider, operationId, txRefid, sessionId, failure, createdAt, updatedAt };
  return { sessionId, refid: txRefid, intent: summary };
}
