import { type Refusal, refuse, type Restricted } from '@gateramp/core/domain';
import { documentWrite, executeKeyed, type Idempotent, inTime, type Keyed, takesOn } from '@gateramp/core/extension';
import { emptyChange } from '@gateramp/core/ports';
import { err, ok, type Result } from 'neverthrow';
import type { PoolPriceRefusalCode } from './pool-provider.js';
import {
  checkTerms,
  type PoolPrice,
  type PoolQuote,
  type PoolQuoteRequest,
  quotePool as decideQuote,
  type TermsRefusal,
} from './pool-quote.js';
import type { Pool } from './pool.js';
import {
  findPool,
  noPoolProvider,
  POOL_QUOTES,
  type PoolRefusal,
  type PoolsCaller,
  whyPoolRestricted,
  type PoolsEngine,
} from './read-pools.js';

type QuotePoolRefusal = PoolRefusal | TermsRefusal | Refusal<PoolPriceRefusalCode | Restricted['code']>;

/** Quotes a price held for half a minute. Nothing is reserved, so a trade may still find the balance too low. */
export async function quotePool(
  { engine, provider }: PoolsEngine,
  caller: PoolsCaller,
  { poolId, request }: { readonly poolId: string; readonly request: PoolQuoteRequest },
  idempotent: Idempotent<PoolQuote> | null,
): Keyed<PoolQuote, QuotePoolRefusal> {
  const { scope } = caller;
  return executeKeyed<Priced, PoolQuote, QuotePoolRefusal['code']>(
    engine,
    {
      load: () => priced({ engine, provider }, caller, poolId, request),
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
  { engine, provider }: PoolsEngine,
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
  if (!takesOn(provider, scope.mode)) return noPoolProvider();
  const { asset, network, currency } = pool;
  const now = engine.clock.now(scope);
  const question = provider.price({ scope, asset, network, currency, destAddress: request.destAddress, now });
  const answer = await inTime(engine, 'of pools', question);
  return answer.kind === 'refused' ? refuse(answer.code, answer.message) : ok({ pool, price: answer.price });
}
