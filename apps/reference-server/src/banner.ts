import type { ListenerName } from './config/settings.js';
import type { Listeners } from './http/bind-listeners.js';
import { DEMO_KEYS, DEMO_POOL } from './demo/demo-partner.js';
import type { LiveProvider } from './live-provider.js';

interface BannerFacts {
  /** The origins of the listeners of this role. */
  readonly origins: Partial<Listeners['origins']>;
  /** Where data is kept; null in memory. */
  readonly keptIn: string | null;
  /** Whether the `gate` command reaches the data. */
  readonly hasCommand: boolean;
  /** Whether the demo partner exists, or a seed file has replaced it. */
  readonly hasDemoPartner: boolean;
  readonly liveProvider: LiveProvider;
  /** The one-time link to the console; null if operators enter elsewhere. */
  readonly operatorLink: string | null;
}

/** The text for the terminal once all listeners are ready. */
export function banner({
  origins,
  keptIn,
  hasCommand,
  hasDemoPartner,
  liveProvider,
  operatorLink,
}: BannerFacts): string {
  return [
    '',
    `Gateramp is ready. Data is kept in ${keptIn ?? 'memory and is lost when the server stops'}.`,
    '',
    ...table(
      TITLES.filter(([name]) => name !== 'demo' || hasDemoPartner).flatMap(([name, title]) =>
        urlRow(title, name, origins[name]),
      ),
    ),
    '',
    LIVE_MODE[liveProvider],
    '',
    ...(operatorLink === null ? [] : [`Open the console as an operator, once and within an hour: ${operatorLink}`, '']),
    ...(hasDemoPartner && origins.demo !== undefined ? [firstStep(origins.demo), ''] : []),
    ...demoPart(origins, { hasCommand, hasDemoPartner, hasPool: keptIn === null }),
    '',
  ].join('\n');
}

const LIVE_MODE: Readonly<Record<LiveProvider, string>> = {
  legs: '  Live mode runs on the provider legs of GATE_LEGS_FILE.',
  sandbox: '  Live mode runs on the sandbox provider: no real money moves.',
  none: '  Live mode is unavailable because it has no provider; see GATE_LEGS_FILE and GATE_LIVE_SANDBOX.',
};

/** The first step; the lines below it show the API calls. */
function firstStep(demo: string): string {
  return `Open ${demo} in a browser and buy with test card 4242 4242 4242 4242. Or use the API:`;
}

const TITLES: readonly (readonly [ListenerName, string])[] = [
  ['demo', 'Demo shop'],
  ['sandbox', 'Sandbox API'],
  ['live', 'Live API'],
  ['sandboxWidget', 'Sandbox checkout'],
  ['widget', 'Live checkout'],
  ['pools', 'Pools'],
  ['ops', 'Operators'],
  ['console', 'Console'],
];

function urlRow(title: string, name: ListenerName, origin: string | undefined): readonly (readonly [string, string])[] {
  if (origin === undefined) return [];
  return [[title, name === 'ops' ? `${origin}/ready and /metrics` : origin]];
}

function demoPart(
  { sandbox, demo, pools }: BannerFacts['origins'],
  {
    hasCommand,
    hasDemoPartner,
    hasPool,
  }: { readonly hasCommand: boolean; readonly hasDemoPartner: boolean; readonly hasPool: boolean },
): readonly string[] {
  if (sandbox === undefined)
    return ['  This process delivers webhooks and settles payments that other processes accept.'];
  if (demo === undefined || !hasDemoPartner)
    return [`  Partners come from GATE_SEED_FILE${hasCommand ? ' and "gate partners create"' : ''}.`];
  const origins = { sandbox, demo };
  const [create, open, pay, look] = purchaseCommands(origins);
  return [
    ...table([
      ['Secret key', DEMO_KEYS.secret],
      ['Publishable key', DEMO_KEYS.publishable],
    ]),
    '',
    '# 1. Create a session',
    create,
    '# 2. Open it in the checkout of the demo shop',
    open,
    '# 3. Pay for it with a test token; only the checkout takes cards',
    pay,
    '# 4. After five seconds it is settled: list the webhooks that the shop received',
    look,
    '',
    '# Or in one line: create a session and simulate a successful payment',
    simulateCommand(origins),
    ...(hasPool ? poolsPart(pools) : []),
  ];
}

function poolsPart(pools: string | undefined): readonly string[] {
  if (pools === undefined) return [];
  const [quote, trade, balance] = poolCommands(pools);
  return ['', `# Pools, with ${DEMO_KEYS.pools}: quote a trade, execute it, read the balance`, quote, trade, balance];
}

/** Like the commands of a purchase, each stores its answer for the next one. */
function poolCommands(pools: string): readonly [string, string, string] {
  const at = `${pools}/v1/pools/${DEMO_POOL.id}`;
  const key = `-H 'Authorization: Bearer ${DEMO_KEYS.pools}'`;
  const quoteBody =
    `{"side":"on_ramp","asset":"${DEMO_POOL.asset}","network":"${DEMO_POOL.network}","amount":"100.00",` +
    `"currency":"${DEMO_POOL.currency}","destAddress":"${WALLET}"}`;
  const trade = `"{\\"quoteId\\":\\"${memberOf('Q', 'quoteId')}\\",\\"destAddress\\":\\"${WALLET}\\"}"`;
  return [
    `Q=$(curl -s ${at}/quote ${key} ${JSON_BODY} -d '${quoteBody}'); echo "$Q"`,
    `curl -s ${at}/transact ${key} -H "Idempotency-Key: trade-$(date +%s)" ${JSON_BODY} -d ${trade}; echo`,
    `curl -s ${at}/balance ${key}; echo`,
  ];
}

type ShopOrigins = Pick<Listeners['origins'], 'sandbox' | 'demo'>;

/** Run in any POSIX shell with curl. Each command stores its answer in a variable for the next one, and prints it. */
function purchaseCommands(origins: ShopOrigins): readonly [string, string, string, string] {
  const { sandbox, demo } = origins;
  const intent =
    `{"flow":"on_ramp","amount":"100.00","currency":"EUR","target_token":"USDC","target_network":"base","wallet_address":"${WALLET}",` +
    `"payment_method":"card","payment_details":{"provider":"sandbox","token":"tok_succeeds"}}`;
  return [
    `S=$(${createCommand(origins, 'try')}); echo "$S"`,
    `B=$(curl -s ${sandbox}/v1/embed/bootstrap -H 'Authorization: Bearer ${DEMO_KEYS.publishable}' -H 'Origin: ${demo}' ${JSON_BODY} -d "{\\"clientSecret\\":\\"${memberOf('S', 'client_secret')}\\"}"); echo "$B"`,
    `curl -s ${sandbox}/v1/embed/intents -H "X-Embed-Token: ${memberOf('B', 'embed_token')}" ${JSON_BODY} -d '${intent}'; echo`,
    `sleep 6; curl -s ${demo}/hooks; echo`,
  ];
}

function simulateCommand(origins: ShopOrigins): string {
  const simulate = `curl -s ${origins.sandbox}/v1/test_helpers/gate_sessions/${memberOf('S', 'id')}/simulate ${SECRET} ${JSON_BODY} -d '{"scenario":"succeed"}'`;
  return `S=$(${createCommand(origins, 'buy')}); ${simulate}; echo`;
}

function createCommand({ sandbox, demo }: ShopOrigins, key: string): string {
  const session = `{"amount":"100.00","currency":"EUR","return_url":"${demo}/"}`;
  return `curl -s ${sandbox}/v1/gate_sessions ${SECRET} -H "Idempotency-Key: ${key}-$(date +%s)" ${JSON_BODY} -d '${session}'`;
}

const SECRET = `-H 'Authorization: Bearer ${DEMO_KEYS.secret}'`;
const JSON_BODY = `-H 'Content-Type: application/json'`;
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Extracts a text member of the JSON in a shell variable, using only POSIX expr. */
function memberOf(variable: string, name: string): string {
  return `$(expr "$${variable}" : '.*"${name}":"\\([^"]*\\)"')`;
}

function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.map(([title, value]) => `  ${title.padEnd(18)}${value}`);
}
