import Libsql from 'libsql';

/** Hand-written books as the baseline: one row per purchase and per posting, and one transaction per step. */
export function memoryBooks() {
  const purchases = new Map();
  const postings = [];
  return {
    insert: async (id, row) => void purchases.set(id, JSON.stringify(row)),
    update: async (id, row, moved) => {
      purchases.set(id, JSON.stringify(row));
      for (const posting of moved) postings.push([id, ...posting]);
    },
    close: async () => {},
  };
}

/** The same in SQLite, synced before a step counts as done, as in `sqliteLegsStore`. */
export function sqliteBooks(file) {
  const database = new Libsql(file);
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  database.exec(`create table purchases (id text primary key, row text) without rowid;
    create table postings (id text, account text, currency text, amount text);`);
  const insert = database.prepare('insert into purchases values (?, ?)');
  const update = database.prepare('update purchases set row = ? where id = ?');
  const post = database.prepare('insert into postings values (?, ?, ?, ?)');
  const step = database.transaction((id, row, moved) => {
    update.run(JSON.stringify(row), id);
    for (const posting of moved) post.run(id, ...posting);
  });
  return {
    insert: async (id, row) => void insert.run(id, JSON.stringify(row)),
    update: async (id, row, moved) => step(id, row, moved),
    close: async () => void database.close(),
  };
}

/** The same in Postgres, with one statement per step. */
export async function postgresBooks(pool) {
  await pool.query(`create table purchases (id text primary key, row json not null);
    create table postings (id text, account text, currency text, amount numeric);`);
  const insert = { name: 'insert', text: 'insert into purchases values ($1, $2)' };
  const update = {
    name: 'update',
    text: `with changed as (update purchases set row = $2 where id = $1)
      insert into postings select $1, * from unnest($3::text[], $4::text[], $5::numeric[])`,
  };
  return {
    insert: (id, row) => pool.query({ ...insert, values: [id, JSON.stringify(row)] }),
    update: (id, row, moved) =>
      pool.query({
        ...update,
        values: [id, JSON.stringify(row), ...[0, 1, 2].map((at) => moved.map((one) => one[at]))],
      }),
    close: () => pool.end(),
  };
}
