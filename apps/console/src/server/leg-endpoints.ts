import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import type { Audited, LegOperation, LegOperationView, LegWallet } from './legs-port.js';
import { NOTHING_HERE, refusal, refuse } from './refusal.js';
import { list, listOf, MODE, TIME } from './schemas.js';
import { sees } from './visitor.js';

const MONEY = z.object({ amount: z.string(), currency: z.string() });
const AMOUNTS = z.record(z.string(), z.string()).describe('Decimal texts by asset.');
const POSTING = MONEY.extend({ account: z.string() });

const WALLET = z
  .object({
    network: z.string(),
    address: z.string(),
    status: z.enum(['active', 'paused']),
    paused_because: z.string().nullable(),
    next_nonce: z.int().nullable().describe('Null before the first send.'),
    answering: z.boolean().describe('Whether the network answered within the last seconds.'),
    pending_sends: z.int(),
    balances: AMOUNTS,
    spent_today: AMOUNTS,
    max_per_send: AMOUNTS,
    max_per_day: AMOUNTS,
    history: z.array(z.object({ at: TIME, to: z.enum(['active', 'paused']), by: z.string(), reason: z.string() })),
  })
  .meta({ id: 'Wallet', description: 'The hot wallet of provider legs on one network.' });

const OPERATION = z
  .object({
    id: z.string(),
    mode: MODE,
    partner_id: z.string(),
    flow: z.string(),
    status: z.string().describe('`running`, `awaiting`, `stuck`, or how it ended.'),
    step: z.string().nullable(),
    steps: z.array(z.string()).describe('The calls of its flow, in order.'),
    reason: z.string().nullable(),
    source: MONEY.nullable(),
    destination: MONEY.nullable(),
    resolution: z.object({ as: z.string(), reason: z.string(), at: TIME }).nullable(),
    created_at: TIME,
    updated_at: TIME,
  })
  .meta({ id: 'LegOperation', description: 'An operation of provider legs.' });

const OPERATION_VIEW = OPERATION.extend({
  owed: z.array(MONEY).describe('The debt to the buyer; empty when it is settled.'),
  entries: z.array(z.object({ id: z.string(), at: TIME, postings: z.array(POSTING) })).describe('Oldest first.'),
}).meta({ id: 'LegOperationWithLedger' });

const iso = (at: number): string => new Date(at).toISOString();

function walletJson(wallet: LegWallet): z.input<typeof WALLET> {
  return {
    network: wallet.network,
    address: wallet.address,
    status: wallet.status,
    paused_because: wallet.pausedBecause,
    next_nonce: wallet.nextNonce,
    answering: wallet.isAnswering,
    pending_sends: wallet.pendingSends,
    balances: { ...wallet.balances },
    spent_today: { ...wallet.spentToday },
    max_per_send: { ...wallet.maxPerSend },
    max_per_day: { ...wallet.maxPerDay },
    history: wallet.history.map(({ at, to, by, reason }) => ({ at: iso(at), to, by, reason })),
  };
}

function operationJson(operation: LegOperation): z.input<typeof OPERATION> {
  const { id, mode, partnerId, flow, status, step, steps, reason, source, destination, resolution } = operation;
  return {
    ...{ id, mode, flow, status, step, reason, source, destination },
    steps: [...steps],
    partner_id: partnerId,
    resolution: resolution === null ? null : { ...resolution, at: iso(resolution.at) },
    created_at: iso(operation.createdAt),
    updated_at: iso(operation.updatedAt),
  };
}

function viewJson(operation: LegOperationView): z.input<typeof OPERATION_VIEW> {
  const entries = operation.entries.map(({ id, at, postings }) => ({ id, at: iso(at), postings: [...postings] }));
  return { ...operationJson(operation), owed: [...operation.owed], entries };
}

/** Operations of one read, and reads for one page of an operator who sees some partners only. */
const PAGE = 100;
const PAGES_MAX = 100;

const READ = {
  method: 'GET',
  audience: 'operators',
  needs: 'viewer',
  reason: 'never',
  body: null,
  success: 200,
} as const;
const CHANGE = { method: 'POST', audience: 'operators', needs: 'operator', reason: 'always', query: null } as const;

const NO_LEGS = refusal('not_available', 'This installation has no provider legs.');

export const LEG_ENDPOINTS = [
  endpoint({
    ...READ,
    // A wallet holds the money of all partners.
    audience: 'installation',
    name: 'listWallets',
    path: '/wallets',
    summary: 'List the hot wallet of each network: balance, limits, and whether it is paused',
    query: null,
    reply: listOf(WALLET),
    run: async ({ legs, path }) =>
      legs === null ? err(NO_LEGS) : ok({ json: list((await legs.wallets()).map(walletJson), path) }),
  }),
  ...(['pause', 'resume'] as const).map((verb) =>
    endpoint({
      ...CHANGE,
      audience: 'installation',
      name: `${verb}Wallet`,
      path: `/wallets/{network}/${verb}`,
      summary:
        verb === 'pause'
          ? 'Pause signing on a network; signed transactions are still tracked'
          : 'Resume signing on a network, starting with waiting transactions',
      body: null,
      reply: WALLET,
      success: 200,
      run: async ({ legs, admin, params, reason }) => {
        if (legs === null) return err(NO_LEGS);
        const network = params['network'] ?? '';
        const found = async () => (await legs.wallets()).find((one) => one.network === network);
        if ((await found()) === undefined) return err(NOTHING_HERE);
        const target = { type: 'wallet', id: network };
        const entry = { action: `wallet.${verb}`, target, partnerId: null, mode: null };
        const audited: Audited = (rows, commit) => admin.audit.recordWith({ ...entry, ...rows }, commit);
        if (verb === 'pause') await legs.pauseWallet(network, reason ?? '', audited);
        else if ((await legs.resumeWallet(network, reason ?? '', audited)) === 'unreachable')
          return refuse(
            'service_unavailable',
            `${network} does not answer, so the next nonce is unknown. The wallet is still paused.`,
          );
        const changed = await found();
        return changed === undefined ? err(NOTHING_HERE) : ok({ json: walletJson(changed) });
      },
    }),
  ),
  endpoint({
    ...READ,
    name: 'listOperations',
    path: '/operations',
    summary: 'List operations of provider legs in one mode, by id',
    query: z.strictObject({
      mode: MODE.default('live'),
      stuck: z.enum(['true', 'false']).default('false').describe('Only operations that wait for an operator.'),
      starting_after: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(25),
    }),
    reply: listOf(OPERATION),
    run: async ({ legs, visitor, query: { mode, stuck, starting_after: after = null, limit }, path }) => {
      if (legs === null) return err(NO_LEGS);
      const seen = [];
      let start = after;
      // Pages are read until enough are seen, so that `has_more` says nothing about other partners.
      for (let pages = 0; pages < PAGES_MAX && seen.length <= limit; pages += 1) {
        const page = await legs.listOperations({ mode, isStuck: stuck === 'true', after: start, limit: PAGE });
        seen.push(...page.filter(({ partnerId }) => sees(visitor, partnerId)));
        start = page.at(-1)?.id ?? null;
        if (page.length < PAGE) break;
      }
      return ok({ json: list(seen.slice(0, limit).map(operationJson), path, seen.length > limit) });
    },
  }),
  endpoint({
    ...READ,
    name: 'retrieveOperation',
    path: '/operations/{id}',
    summary: 'Retrieve an operation of provider legs with its steps, debt to the buyer and ledger',
    query: null,
    reply: OPERATION_VIEW,
    run: async ({ legs, visitor, params }) => {
      if (legs === null) return err(NO_LEGS);
      const found = await legs.findOperation(params['id'] ?? '');
      return found === null || !sees(visitor, found.partnerId) ? err(NOTHING_HERE) : ok({ json: viewJson(found) });
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'resolveOperation',
    path: '/operations/{id}/resolve',
    summary: 'Record how a stuck operation ended, without moving money; in live mode a second person must approve it',
    secondPerson: {
      isCollected: false,
      about: async ({ params, legs }) => (await legs?.findOperation(params['id'] ?? '')) ?? null,
      check: async ({ legs, params, body: { as } }) => {
        const planned = await legs?.resolveOperation({ id: params['id'] ?? '', as, reason: 'plan', audited: null });
        return planned?.kind === 'resolved' ? null : NOT_STUCK;
      },
    },
    isPreview: ({ dry_run: isDryRun }) => isDryRun === true,
    body: z.object({
      as: z.enum(['delivered', 'refunded', 'failed']),
      dry_run: z.boolean().optional().describe('Only return the postings; requires no reason.'),
    }),
    reply: z
      .object({ id: z.string(), as: z.string(), dry_run: z.boolean(), postings: z.array(POSTING) })
      .meta({ id: 'OperationResolution' }),
    success: 200,
    run: async ({ legs, admin, visitor, params, body: { as, dry_run: isDryRun = false }, reason }) => {
      const id = params['id'] ?? '';
      if (legs === null) return err(NO_LEGS);
      const found = await legs.findOperation(id);
      if (found === null || !sees(visitor, found.partnerId)) return err(NOTHING_HERE);
      const { partnerId, mode } = found;
      const entry = { action: 'operation.resolve', target: { type: 'operation', id }, partnerId, mode };
      const audited: Audited = (rows, commit) => admin.audit.recordWith({ ...entry, ...rows }, commit);
      const done = await legs.resolveOperation({ id, as, reason: reason ?? '', audited: isDryRun ? null : audited });
      if (done.kind === 'not_found') return err(NOTHING_HERE);
      if (done.kind === 'not_stuck') return err(NOT_STUCK);
      const postings = done.kind === 'resolved' ? [...done.postings] : [];
      return ok({ json: { id, as, dry_run: isDryRun, postings } });
    },
  }),
];

const NOT_STUCK = refusal('already_done', 'This operation is not stuck, so it cannot be resolved.');
