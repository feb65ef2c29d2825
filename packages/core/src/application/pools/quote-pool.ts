import { err, ok, type Result } from 'neverthrow';
import {
  checkTerms,
  quotePool as decideQuote,
  type PoolPrice,
  type PoolQuote,
  type PoolQuoteRequest,
  type TermsRefusal,
} from '../../domain/pools/pool-quote.js';
import type { Pool } from '../../domain/pools/pool.js';
import type { Restricted } from '../../domain/partner/restrictions.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import type { PoolPriceRefusalCode } from '../../ports/pool-provider.js';
import { inTime } from '../providers/call-providers.js';
import { takesOn } from '../capabilities/retrieve-capabilities.js';
import { documentWrite } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { executeKeyed, type Keyed } from '../idempotency/keyed.js';
import {
  findPool,
  noPoolProvider,
  POOL_QUOTES,
  type PoolRefusal,
  type PoolsCaller,
  whyPoolRestricted,
} from './read-pools.js';

type QuotePoolRefusal = PoolRefusal | TermsRefusal | Refusal<PoolPriceRefusalCode | Restricted['code']>;

/** Quotes a price held for half a minute. Nothing is reserved, so a trade may still find the balance too low. */
export async function quotePool(
  engine: Engine,
  caller: PoolsCaller,
  { poolId, request }: { readonly poolId: string; readonly request: PoolQuoteRequest },
  idempotent: Idempotent<PoolQuote> | null,
): Keyed<PoolQuote, QuotePoolRefusal> {
  const { scope } = caller;
  return executeKeyed<Priced, PoolQuote, QuotePoolRefusal['code']>(
    engine,
    {
      load: () => priced(engine, caller, poolId, request),
      decide: ({ pool, price }) => {
        const now = engine.clock.now(scope);
        const quote = decideQuote(pool, request, price, { id: engine.ids.object(now), now });
        return quote.map((value) => ({
          change: { ...emptyChange(scope, now), documents: [documentWrite(POOL_QUOTES, value, null)] },
          value,
        }));
      },
    },
    idempotent,
  );
}

interface Priced {
  readonly pool: Pool;
  readonly price: PoolPrice;
}

async function priced(
  engine: Engine,
  caller: PoolsCaller,
  poolId: string,
  request: PoolQuoteRequest,
): Promise<Result<Priced, QuotePoolRefusal>> {
  const found = await findPool(engine, caller, poolId);
  if (found.isErr()) return err(found.error);
  const pool = found.value;
  const terms = checkTerms(pool, request);
  if (terms.isErr()) return err(terms.error);
  const restricted = whyPoolRestricted(caller, { ...pool, amount: request.amount });
  if (restricted !== null) return refuse(restricted.code, restricted.message);
  const { scope } = caller;
  if (!takesOn(engine.pools, scope.mode)) return noPoolProvider();
  const { asset, network, currency } = pool;
  const now = engine.clock.now(scope);
  const question = engine.pools.price({ scope, asset, network, currency, destAddress: request.destAddress, now });
  const answer = await inTime(engine, 'of pools', question);
  return answer.kind === 'refused' ? refuse(answer.code, answer.message) : ok({ pool, price: answer.price });
}
