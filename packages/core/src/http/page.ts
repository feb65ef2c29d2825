import type { Host } from './hosts.js';
import type { HttpRequest } from './message.js';

/** A static page that every host serves, outside the endpoint table. Public, and counted in the global tiers of the address. */
export interface Page {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `url` is the host's mount prefix, or `/`. */
  readonly body: (host: Host, url: string) => string;
  /** Whether `doc_url` of errors leads to this page, with the code as the fragment. */
  readonly explainsErrors?: true;
}

/** The pages of a gate. */
export class Pages {
  /** The path that `doc_url` of errors leads to; null if no page explains them. */
  readonly errorPath: string | null;
  private readonly byPath: ReadonlyMap<string, Page>;

  constructor(pages: readonly Page[]) {
    this.byPath = new Map(pages.map((page) => [page.path, page]));
    this.errorPath = pages.find(({ explainsErrors = false }) => explainsErrors)?.path ?? null;
  }

  find({ method, path }: HttpRequest): Page | undefined {
    return method === 'GET' || method === 'HEAD' ? this.byPath.get(path) : undefined;
  }
}
