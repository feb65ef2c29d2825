import { SECRETS_BY_FILE } from './config-secret-files.js';
import type { VARIABLES } from './config-variables.js';

interface VariableDoc {
  /** As an operator would write it, or null. */
  readonly usual: string | null;
  readonly meaning: string;
}

/** What each variable does: the table of `docs/operating.md` is made of it, and a variable without a line does not compile. */
export const VARIABLE_DOCS: Readonly<Record<keyof typeof VARIABLES.shape, VariableDoc>> = {
  GATE_HOST: { usual: '127.0.0.1', meaning: 'Address that every listener binds to.' },
  GATE_HOST_NAMES: {
    usual: null,
    meaning:
      "Names, comma-separated, under which the demo and the operators' port are called, such as the service's name in a cluster.",
  },
  GATE_PUBLIC_URL: {
    usual: null,
    meaning: 'Where clients reach the API, such as `https://api.example.com`; then `doc_url` of errors is absolute.',
  },
  GATE_SANDBOX_PORT: {
    usual: '4242',
    meaning: 'API for test keys. Any port may be 0: a free one, which the ready line names.',
  },
  GATE_LIVE_PORT: { usual: '4243', meaning: 'API for live keys.' },
  GATE_SANDBOX_WIDGET_PORT: { usual: '4244', meaning: 'Hosted checkout of test mode.' },
  GATE_WIDGET_PORT: { usual: '4245', meaning: 'Hosted checkout of live mode.' },
  GATE_POOLS_PORT: { usual: '4246', meaning: 'Pools product, for live keys.' },
  GATE_DEMO_PORT: { usual: '4240', meaning: 'Demo shop, where it is served.' },
  GATE_OPS_PORT: { usual: '4247', meaning: '`/health`, `/ready` and `/metrics`. Keep it private: it has no password.' },
  GATE_HTTP: { usual: 'fastify', meaning: 'Framework of the API hosts: `fastify` or `express`.' },
  GATE_ROLE: { usual: 'all', meaning: '`api` serves requests, `worker` delivers and settles, `all` does both.' },
  GATE_DATA_DIR: {
    usual: null,
    meaning: 'Folder in which one server keeps everything in one SQLite file. Not together with `DATABASE_URL`.',
  },
  DATABASE_URL: {
    usual: null,
    meaning: 'Postgres that keeps everything. Without it and `GATE_DATA_DIR` all is in memory.',
  },
  GATE_DATABASE_CONNECTIONS: {
    usual: '10',
    meaning: 'Connections of the process for requests and work; two more are for `/ready` and `/metrics`.',
  },
  GATE_DATABASE_PROXY: { usual: 'off', meaning: '`on` behind a proxy that pools by transaction.' },
  GATE_STATE_FILE: {
    usual: null,
    meaning:
      'File in which this process keeps what it acknowledged, on a disk that is not restored with the database; in a data folder it is `told.json`.',
  },
  REDIS_URL: { usual: null, meaning: 'Redis for wake-ups and for rate limits that processes share.' },
  GATE_MASTER_KEY: {
    usual: null,
    meaning:
      '32 random bytes as base64; seals what is stored. Required with `DATABASE_URL`. Make one with `openssl rand -base64 32`.',
  },
  GATE_MASTER_KEYS_OLD: { usual: null, meaning: 'Former master keys, comma-separated; they open and do not seal.' },
  GATE_SEED_FILE: {
    usual: null,
    meaning: 'JSON file with partners to create or update at every start; it replaces the demo partner.',
  },
  GATE_RATE_LIMITS: { usual: 'on', meaning: '`off`, or a factor such as `20` that multiplies every limit.' },
  GATE_REQUEST_TIMEOUT_MS: {
    usual: '10000',
    meaning:
      'A request without an answer by then gets 503; what it had begun continues, and a repeat with the same key returns its outcome.',
  },
  GATE_DRAIN_DELAY_MS: {
    usual: '0',
    meaning:
      'After SIGTERM `/ready` is 503 at once, and the ports stay open so long: set it to the time a load balancer takes to notice.',
  },
  GATE_KEEP_ALIVE_MS: {
    usual: '72000',
    meaning:
      'How long an idle connection is kept. Make it longer than the load balancer keeps its own, or that meets closed ones.',
  },
  GATE_DEMO: {
    usual: '`on` in memory, else `off`',
    meaning: 'Serves the demo shop and, without `GATE_SEED_FILE`, keeps the demo partner, whose keys are public.',
  },
  GATE_TRUSTED_PROXIES: {
    usual: null,
    meaning:
      'Addresses or networks whose `X-Forwarded-For` is believed; without it all clients of a load balancer share one rate limit.',
  },
  GATE_LIVE_SANDBOX: {
    usual: '`on` in memory, else `off`',
    meaning:
      'Lets live mode run on the sandbox provider, which moves no real money. Off: live checkouts are unavailable, and live payments and trades are refused.',
  },
  GATE_TEST_CLOCK: {
    usual: '`on` in memory, else `off`',
    meaning: 'The helper that moves the time of test mode. For a single process.',
  },
  GATE_ALLOW_PRIVATE_WEBHOOKS: {
    usual: '`on` in memory, else `off`',
    meaning: 'Lets webhooks go to loopback and private addresses. Leave it off where others may name the URL.',
  },
  GATE_LOG: { usual: '`pretty` on a terminal, else `json`', meaning: 'Form of the log on stderr; `silent` for none.' },
};

/** The table of all variables in Markdown. */
export function variablesTable(): string {
  const rows = Object.entries(VARIABLE_DOCS).map(
    ([name, { usual, meaning }]) => `| \`${name}\` | ${usualText(usual)} | ${meaning} |`,
  );
  const files = SECRETS_BY_FILE.map((name) => `\`${name}_FILE\``).join(', ');
  return [
    '| variable | default | |',
    '|---|---|---|',
    ...rows,
    `| ${files} | – | The file that holds the secret instead, one key a line. Set the variable or its file, never both. |`,
  ].join('\n');
}

function usualText(usual: string | null): string {
  if (usual === null) return '–';
  return usual.includes('`') ? usual : `\`${usual}\``;
}
