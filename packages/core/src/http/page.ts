import type { Host } from './hosts.js';

/** A static page that every host serves, outside the endpoint table. Public, and counted in the global tiers of the address. */
export interface Page {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `url` is the host's mount prefix, or `/`. */
  readonly body: (host: Host, url: string) => string;
  /** Whether `doc_url` of errors leads to this page, with the code as the fragment. */
  readonly explainsErrors?: true;
}
