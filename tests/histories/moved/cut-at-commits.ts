import type pg from 'pg';

/** A pool whose process dies at the first commit: before Postgres receives it, or before its answer arrives. */
export function cutAtCommits(pool: pg.Pool, when: 'before' | 'after'): pg.Pool {
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === 'connect') return async () => cutting(await target.connect(), when);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function cutting(client: pg.PoolClient, when: 'before' | 'after'): pg.PoolClient {
  const query = async (...asked: [text: string, values?: unknown[]]): Promise<unknown> => {
    if (asked[0] !== 'commit') return client.query(...asked);
    if (when === 'after') await client.query(...asked);
    throw new Error(`Cut ${when} the commit.`);
  };
  return new Proxy(client, {
    get: (target, name) => {
      if (name === 'query') return query;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
