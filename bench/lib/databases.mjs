import pg from 'pg';

/** The settings of a typical database server. A stock Postgres keeps its own. */
export const TUNING = { shared_buffers: '512MB', max_wal_size: '4GB' };

let made = 0;

/** Creates a new, empty database on this server and returns its URL, so that no run inherits rows of another. */
export async function newDatabase(url) {
  const name = `bench_${(made += 1)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`);
  // Writes the dirty pages of earlier runs now, so that they do not affect this one.
  await client.query('checkpoint');
  await client.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}
