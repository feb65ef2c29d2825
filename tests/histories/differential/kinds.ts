import { memoryStore } from '@gateramp/adapters-store-memory';
import type { StoreSubject } from '@gateramp/conformance';
import type pg from 'pg';
import { expressSubject } from '../../../packages/adapters-http-express/test/express-subject.js';
import { fastifySubject } from '../../../packages/adapters-http-fastify/test/fastify-subject.js';
import { postgresSubject } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { sqliteSubject } from '../../../packages/adapters-store-sqlite/test/sqlite-subject.js';
import type { Kind } from './system.js';

export const memory: StoreSubject = { create: async () => ({ store: memoryStore(), close: async () => {} }) };

export const express = expressSubject();
export const fastify = fastifySubject();

/** All stores with both HTTP frameworks. */
export function sixKinds(pool: pg.Pool): readonly Kind[] {
  const postgres = postgresSubject(() => pool);
  return [
    { name: 'memory behind Fastify', store: memory, http: fastify },
    { name: 'memory behind Express', store: memory, http: express },
    { name: 'SQLite behind Fastify', store: sqliteSubject, http: fastify },
    { name: 'SQLite behind Express', store: sqliteSubject, http: express },
    { name: 'Postgres behind Fastify', store: postgres, http: fastify },
    { name: 'Postgres behind Express', store: postgres, http: express },
  ];
}
