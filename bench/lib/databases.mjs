import pg from 'pg';

/** A database server of a usual size; a stock one comes as it is. */
export const TUNING = { shared_buffers: '512MB', max_wal_size: '4GB' };

let made = 0;

/** The URL of a new, empty database of this server: no run inherits another's rows. */
export async function newDatabase(url) {
  const name = `bench_${(made += 1)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`);
  // What earlier runs have left to be written is not this one's.
  await client.query('checkpoint');
  await client.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}
