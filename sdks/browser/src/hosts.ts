import { ConfigError } from './errors.js';

/** Selects the default hosts. */
export type Environment = 'production' | 'sandbox' | 'development';

interface Hosts {
  /** Of the API, which serves the bootstrap. */
  readonly api: string;
  /** Origin of the hosted checkout. */
  readonly widget: string;
}

const HOSTS: Readonly<Record<Exclude<Environment, 'development'>, Hosts>> = {
  production: { api: 'https://api.gateramp.example', widget: 'https://checkout.gateramp.example' },
  sandbox: { api: 'https://sandbox.gateramp.example', widget: 'https://sandbox-checkout.gateramp.example' },
};

/**
 * Every default address of this package. Those under `.example` are placeholders: replace them and rebuild when you deploy the service, or
 * override them in a page with `apiBaseUrl` and `iframeUrl`. `development` is the reference server with its default settings.
 */
export function hostsOf(environment: Environment = 'production', publishableKey: string): Hosts {
  if (environment === 'development')
    return publishableKey.startsWith('pk_test_') ? local(4242, 4244) : local(4243, 4245);
  if (Object.hasOwn(HOSTS, environment)) return HOSTS[environment];
  throw new ConfigError(`Unknown environment "${environment}".`);
}

function local(api: number, widget: number): Hosts {
  return { api: `http://127.0.0.1:${api}`, widget: `http://127.0.0.1:${widget}` };
}
