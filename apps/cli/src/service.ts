import { Gate } from '@gateramp/sdk-node';
import { Option, type Command } from 'commander';
import { type Terminal } from './terminal.js';

/** The options of every command that calls the service. */
export interface ServiceOptions {
  readonly baseUrl?: string;
  readonly json?: boolean;
}

/** The settings of a server that was started with its defaults. */
const LOCAL = { baseUrl: 'http://127.0.0.1:4242', secretKey: 'sk_test_gateramp_demo_secret_key' } as const;

export const withService = (command: Command): Command =>
  withJson(
    command.option(
      '--base-url <url>',
      `address of the service (GATERAMP_BASE_URL, else ${LOCAL.baseUrl} with the demo key)`,
    ),
  );

export const withJson = (command: Command): Command =>
  command.addOption(new Option('--json', 'print one JSON value per result'));

/** The key comes from the environment only: arguments are visible in the process list and in the shell's history. */
export function serviceOf({ environment }: Terminal, { baseUrl }: ServiceOptions): Gate {
  const url = baseUrl ?? environment.baseUrl;
  const { secretKey } = environment;
  if (secretKey !== null) return new Gate(secretKey, url === null || url === undefined ? {} : { baseUrl: url });
  return new Gate(LOCAL.secretKey, { baseUrl: url ?? LOCAL.baseUrl });
}
