import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile();
const { env } = process;

export const PORT = Number(env['PORT'] ?? 3000);

/** Where buyers open the shop. The gate must have it among the partner's allowed origins. */
export const SHOP_URL = env['SHOP_URL'] ?? `http://127.0.0.1:${PORT}`;

/** A gate, and the shop's keys for it. */
export interface Connection {
  readonly apiUrl: string;
  readonly checkoutUrl: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly webhookSecret: string;
}

declare global {
  var gateConnection: Promise<Connection> | undefined;
}

/** One for the process: Next.js may load this module more than once. */
export const connection = (): Promise<Connection> => (globalThis.gateConnection ??= connect());

async function connect(): Promise<Connection> {
  if (env['GATE_URL'] !== undefined)
    return {
      apiUrl: env['GATE_URL'],
      checkoutUrl: required('GATE_CHECKOUT_URL'),
      secretKey: required('GATE_SECRET_KEY'),
      publishableKey: required('GATE_PUBLISHABLE_KEY'),
      webhookSecret: required('GATE_WEBHOOK_SECRET'),
    };
  if (env['NODE_ENV'] === 'production') throw new Error('Set GATE_URL. The gate in memory is for development only.');
  const { openDevelopmentGate } = await import('./development-gate.ts');
  return openDevelopmentGate(SHOP_URL);
}

function required(name: string): string {
  const value = env[name];
  if (value === undefined) throw new Error(`Set ${name}, as in .env.example: GATE_URL is set.`);
  return value;
}
