import * as z from 'zod';
import { SECRETS_BY_FILE } from './environment.js';
import {
  bindAddress,
  choice,
  collectorUrl,
  connections,
  databaseUrl,
  hostNames,
  issuer,
  masterKey,
  milliseconds,
  oldMasterKeys,
  pageOrigin,
  port,
  publicUrl,
  rateLimits,
  redisUrl,
  scopes,
  text,
  toggle,
  trustedProxies,
  webhookProxy,
} from './formats.js';

/** The documentation of a variable, from which the table in `docs/operating.md` is generated. */
interface VariableDoc {
  /** The default in the form an operator would write, or null. */
  readonly usual: string | null;
  readonly meaning: string;
}

const DOCS = z.registry<VariableDoc>();

/** A variable with a default. */
function setting<Format extends z.ZodType<unknown, string>>(
  format: Format,
  { usual, meaning }: { readonly usual: z.input<Format>; readonly meaning: string },
) {
  const schema = z.prefault(format, usual);
  DOCS.add(schema, { usual, meaning });
  return schema;
}

/** A variable that is null if it is not set. `usual` describes a default that depends on others. */
function optional<Format extends z.ZodType<unknown, string>>(
  format: Format,
  { usual, meaning }: { readonly usual?: string; readonly meaning: string },
) {
  const schema = format.optional().transform((value) => value ?? null);
  DOCS.add(schema, { usual: usual ?? null, meaning });
  return schema;
}

/** All variables of the server, in the order of the documentation. */
export const VARIABLES = z.object({
  // Addresses and ports
  GATE_HOST: setting(bindAddress, { usual: '127.0.0.1', meaning: 'Address that every listener binds to.' }),
  GATE_HOST_NAMES: optional(hostNames, {
    meaning:
      "Comma-separated host names by which the demo and the operators' port are reached, such as the name of the service in a cluster.",
  }),
  GATE_PUBLIC_URL: optional(publicUrl, {
    meaning: 'Public URL of the API, such as `https://api.example.com`. If set, `doc_url` of errors is absolute.',
  }),
  GATE_SANDBOX_URL: optional(publicUrl, {
    meaning:
      'Public URL of the API for test keys, as browsers reach it through a proxy or load balancer. By default the address of the port.',
  }),
  GATE_LIVE_URL: optional(publicUrl, { meaning: 'The same for live keys.' }),
  GATE_SANDBOX_WIDGET_URL: optional(pageOrigin('https://pay-sandbox.example.com'), {
    meaning:
      'Public https origin of the checkout of test mode, such as `https://pay-sandbox.example.com`. By default that of the port. Calls of the checkout from any other origin are refused.',
  }),
  GATE_WIDGET_URL: optional(pageOrigin('https://pay.example.com'), {
    meaning: 'The same of live mode, such as `https://pay.example.com`.',
  }),
  GATE_SANDBOX_PORT: setting(port, {
    usual: '4242',
    meaning: 'API for test keys. Set a port to 0 to use a free one, which the ready line prints.',
  }),
  GATE_LIVE_PORT: setting(port, { usual: '4243', meaning: 'API for live keys.' }),
  GATE_SANDBOX_WIDGET_PORT: setting(port, { usual: '4244', meaning: 'Hosted checkout of test mode.' }),
  GATE_WIDGET_PORT: setting(port, { usual: '4245', meaning: 'Hosted checkout of live mode.' }),
  GATE_POOLS_PORT: setting(port, { usual: '4246', meaning: 'Pools product, for live keys.' }),
  GATE_DEMO_PORT: setting(port, { usual: '4240', meaning: 'Demo shop, if it is enabled.' }),
  GATE_OPS_PORT: setting(port, {
    usual: '4247',
    meaning: '`/health`, `/ready`, `/metrics`, and `/drain` for the worker. Keep it private: it has no password.',
  }),
  GATE_CONSOLE_PORT: setting(port, {
    usual: '4248',
    meaning: 'Console for partners and operators, and its API `/console/v1`.',
  }),

  // Console and sign-in
  GATE_CONSOLE_URL: optional(pageOrigin('https://console.example.com'), {
    meaning:
      'Public https origin of the console, such as `https://console.example.com`. Without it the console is served only if `GATE_HOST` is a loopback address.',
  }),
  GATE_OIDC_ISSUER: optional(issuer, {
    meaning:
      'OpenID Connect provider at which operators [sign in to the console](#sign-in-to-the-console), such as `https://id.example.com/realms/staff`.',
  }),
  GATE_OIDC_CLIENT_ID: optional(text, { meaning: 'Client id of the console at this provider.' }),
  GATE_OIDC_CLIENT_SECRET: optional(text, {
    meaning: 'Client secret of the console at this provider. Omit it for a public client.',
  }),
  GATE_OIDC_ROLES_CLAIM: setting(text, {
    usual: 'gateramp_roles',
    meaning:
      'Claim of the ID token or of the user info that contains roles of the console; with dots, a path such as `realm_access.roles`.',
  }),
  GATE_OIDC_PARTNERS_CLAIM: optional(text, {
    meaning:
      'Claim that contains the ids of the partners that an operator sees, or `*` for all. Without it every operator sees all.',
  }),
  GATE_OIDC_SCOPES: setting(scopes, {
    usual: 'openid email profile',
    meaning: 'Scopes to request. Some providers need an additional one to include the claim with the roles.',
  }),

  // Processes and data
  GATE_HTTP: setting(choice(['fastify', 'express']), {
    usual: 'fastify',
    meaning: 'Framework of the API hosts: `fastify` or `express`.',
  }),
  GATE_ROLE: setting(choice(['all', 'api', 'worker']), {
    usual: 'all',
    meaning: '`api` serves requests, `worker` delivers and settles, `all` does both.',
  }),
  GATE_DATA_DIR: optional(text, {
    meaning:
      'Folder in which a single server keeps all data in one SQLite file. Cannot be combined with `DATABASE_URL`.',
  }),
  DATABASE_URL: optional(databaseUrl, {
    meaning: 'Postgres database for all data. Without it and `GATE_DATA_DIR`, data is kept in memory.',
  }),
  GATE_DATABASE_CONNECTIONS: setting(connections, {
    usual: '10',
    meaning: 'Connections of the process for requests and work; two more are for `/ready` and `/metrics`.',
  }),
  GATE_DATABASE_PROXY: setting(toggle, { usual: 'off', meaning: '`on` behind a proxy that pools by transaction.' }),
  GATE_DATABASE_DISTRIBUTED: setting(toggle, {
    usual: 'off',
    meaning: '`on` if the tables are [distributed over Citus](citus.md); a preview.',
  }),
  GATE_STATE_FILE: optional(text, {
    meaning:
      'File in which this process records acknowledged writes, to detect lost commits. Keep it on a disk that is not restored with the database. In a data folder it is `told.json`.',
  }),
  REDIS_URL: optional(redisUrl, {
    meaning:
      'Redis for wake-ups and for rate limits that processes share: `redis://`, `rediss://` over TLS, or `redis+sentinel://`.',
  }),

  // Secrets, partners and providers
  GATE_MASTER_KEY: optional(masterKey, {
    meaning:
      '32 random bytes as base64; encrypts stored secrets. Required with `DATABASE_URL`. Generate one with `openssl rand -base64 32`.',
  }),
  GATE_MASTER_KEYS_OLD: optional(oldMasterKeys, {
    meaning: 'Previous master keys, comma-separated; used to decrypt, never to encrypt.',
  }),
  GATE_SEED_FILE: optional(text, {
    meaning: 'JSON file with partners to create or update at every start; it replaces the demo partner.',
  }),
  GATE_LEGS_FILE: optional(text, {
    meaning:
      'JSON file with the [provider legs](guides/go-live-with-legs.md) that move money in the modes it names, in place of the sandbox provider.',
  }),

  // Requests
  GATE_RATE_LIMITS: setting(rateLimits, {
    usual: 'on',
    meaning: '`off`, or a factor such as `20` that multiplies every limit.',
  }),
  GATE_REQUEST_TIMEOUT_MS: setting(milliseconds({ min: 100, max: 60_000 }), {
    usual: '10000',
    meaning:
      'A request that takes longer is answered 503. Its work continues, and a retry with the same idempotency key returns the outcome.',
  }),
  GATE_DRAIN_DELAY_MS: setting(milliseconds({ min: 0, max: 600_000 }), {
    usual: '0',
    meaning:
      'After SIGTERM, `/ready` answers 503 at once, and ports stay open for this time. Set it to the time that a load balancer needs to notice.',
  }),
  GATE_KEEP_ALIVE_MS: setting(milliseconds({ min: 1_000, max: 3_600_000 }), {
    usual: '72000',
    meaning:
      'How long an idle connection is kept. Must be longer than the idle timeout of the load balancer, which otherwise uses closed connections.',
  }),
  GATE_DEMO: optional(toggle, {
    usual: '`on` in memory, else `off`',
    meaning:
      'Serves the demo shop and, without `GATE_SEED_FILE` and on a loopback `GATE_HOST`, keeps the demo partner, whose keys are public.',
  }),
  GATE_TRUSTED_PROXIES: optional(trustedProxies, {
    meaning:
      'Addresses or networks whose `X-Forwarded-For` header is trusted. Without it, all clients behind a load balancer share one rate limit.',
  }),

  // Sandbox and webhooks
  GATE_LIVE_SANDBOX: optional(toggle, {
    usual: '`on` in memory, else `off`',
    meaning:
      'Runs live mode on the sandbox provider, which moves no real money. If it is off and no provider legs serve live mode, live checkouts are unavailable and live payments are refused. Live pool trades always need it.',
  }),
  GATE_TEST_CLOCK: optional(toggle, {
    usual: '`on` in memory and with the demo partner in a data directory, else `off`',
    meaning:
      'Enables the test clock, with which partners advance the time of their sandbox. Several processes on Postgres share it: set it in all of them. With `GATE_TEST_CLOCK_SCOPE=mode` or distributed tables, use a single process.',
  }),
  GATE_TEST_CLOCK_SCOPE: setting(choice(['partner', 'mode']), {
    usual: 'partner',
    meaning:
      'What an advance moves: the sandbox of the calling partner (`partner`), or one clock that all partners share (`mode`).',
  }),
  GATE_ALLOW_PRIVATE_WEBHOOKS: optional(toggle, {
    usual: '`on` in memory and with the demo partner in a data directory, else `off`',
    meaning: 'Allows webhooks to loopback and private addresses. Keep it off if others can set webhook URLs.',
  }),
  GATE_WEBHOOK_PROXY: optional(webhookProxy, {
    meaning:
      'HTTP proxy for all webhooks, such as `http://user:password@proxy.internal:3128`. They are sent through `CONNECT` to the address that was checked, so this process still resolves the names of receivers. If the proxy is down or refuses, attempts have the error `proxy`.',
  }),

  // Logs and traces
  GATE_LOG: optional(choice(['pretty', 'json', 'silent']), {
    usual: '`pretty` on a terminal, else `json`',
    meaning: 'Format of the log on stderr; `silent` disables it. With `json`, a failed start is a JSON line too.',
  }),
  GATE_LOG_LEVEL: setting(choice(['debug', 'info', 'warn', 'error']), {
    usual: 'info',
    meaning:
      'Lowest level that is logged. `error`: failures, outages and alarms. `warn`: also risky settings and the end of an outage. `info`: also one line for each request, payment and failed webhook attempt. `debug`: also delivered webhooks.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(collectorUrl, {
    meaning: 'OpenTelemetry collector for [traces](#traces), such as `http://collector:4318`.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(collectorUrl, {
    meaning: 'Full URL for traces, in place of the above: `http://collector:4318/v1/traces`.',
  }),
});

export type Variables = z.output<typeof VARIABLES>;

/** Every listener with the variable that sets its port. */
export const PORT_VARIABLES = {
  sandbox: 'GATE_SANDBOX_PORT',
  live: 'GATE_LIVE_PORT',
  sandboxWidget: 'GATE_SANDBOX_WIDGET_PORT',
  widget: 'GATE_WIDGET_PORT',
  pools: 'GATE_POOLS_PORT',
  demo: 'GATE_DEMO_PORT',
  ops: 'GATE_OPS_PORT',
  console: 'GATE_CONSOLE_PORT',
} as const satisfies Readonly<Record<string, keyof Variables>>;

export type ListenerName = keyof typeof PORT_VARIABLES;

/** The documentation of every variable. */
export const VARIABLE_DOCS: Readonly<Record<string, VariableDoc>> = Object.fromEntries(
  Object.entries(VARIABLES.shape).map(([name, schema]) => [name, docOf(name, schema)]),
);

function docOf(name: string, schema: z.ZodType): VariableDoc {
  const doc = DOCS.get(schema);
  if (doc === undefined) throw new Error(`${name} has no documentation: define it with "setting" or "optional".`);
  return doc;
}

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
    `| ${files} | – | File that contains the secret, one key per line. Set the variable or its file, not both. |`,
  ].join('\n');
}

function usualText(usual: string | null): string {
  if (usual === null) return '–';
  return usual.includes('`') ? usual : `\`${usual}\``;
}
