import { isRecord } from '@gateramp/core/domain';
import { jsonOf, textIn } from '../lib/ask.js';
import { codeOf, once, posted, read, wrong, type Office } from './office.js';

const attemptsMax = 20;
const wallet = '0x00000000000000000000000000000000000A11cE';
/** The sandbox fails every trade to a wallet with this ending. */
const blocked = `0x${'0'.repeat(32)}dead0001`;

/** One trade: a quote, executed with one key or sometimes with two at once; an expired quote is replaced. */
export async function tradeInAPool(office: Office, pool: string, name: string): Promise<void> {
  const destAddress = office.luck.isHit(0.2) ? blocked : wallet;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const key = `${name}-${attempt}`;
    const quote = await quoted(office, pool, key, destAddress);
    if (quote === null) return;
    const keys = office.luck.isHit(0.2) ? [key, `${key}-rival`] : [key];
    const ends = await Promise.all(keys.map((one) => executed(office, pool, one, { quoteId: quote, destAddress })));
    if (!ends.includes('expired')) break;
  }
  if (office.luck.isHit(0.2)) await readBalances(office, pool);
}

async function quoted(office: Office, pool: string, key: string, destAddress: string): Promise<string | null> {
  const amount = `${office.luck.between(40, 60)}.${office.luck.between(10, 99)}`;
  const body = { side: 'on_ramp', asset: 'USDC', network: 'base', amount, currency: 'EUR', destAddress };
  const path = `/v1/pools/${pool}/quote`;
  const answer = await once(office, office.pools, 'pool quote', path, posted(office.keys.live, `${key}-quote`, body));
  if (answer === null) return null;
  if (answer.status === 201) return textIn(jsonOf(answer.text), 'quoteId');
  wrong(office, 'pool quote', key, answer);
  return null;
}

interface Execution {
  readonly quoteId: string;
  readonly destAddress: string;
}

async function executed(office: Office, pool: string, key: string, body: Execution): Promise<'expired' | null> {
  const quote = body.quoteId;
  const answer = await once(
    office,
    office.pools,
    'transact',
    `/v1/pools/${pool}/transact`,
    posted(office.keys.live, key, body),
  );
  if (answer === null) {
    office.write({ kind: 'open', what: 'trade', key, quote, atMost: 1 });
    return null;
  }
  const trade = textIn(jsonOf(answer.text), 'transactId');
  if ((answer.status === 201 || answer.status === 200) && trade !== null)
    office.write({ kind: 'trade', key, trade, quote });
  else if (answer.status === 402) office.write({ kind: 'short', key, quote });
  else if (codeOf(answer) === 'quote_expired') return 'expired';
  else wrong(office, 'transact', key, answer);
  return null;
}

async function readBalances(office: Office, pool: string): Promise<void> {
  const answer = await office.pools('balance', `/v1/pools/${pool}/balance`, read(office.keys.live));
  if (answer === null) return;
  const listed = jsonOf(answer.text)?.balances;
  const balances = Array.isArray(listed) ? listed.filter(isRecord).map(balanceOf) : [];
  if (answer.status === 200) office.write({ kind: 'balances', pool, balances });
  else wrong(office, 'balance', pool, answer);
}

function balanceOf(said: Readonly<Record<string, unknown>>) {
  const text = (field: string): string => textIn(said, field) ?? 'nothing';
  return { currency: text('currency'), total: text('total'), available: text('available'), reserved: text('reserved') };
}
