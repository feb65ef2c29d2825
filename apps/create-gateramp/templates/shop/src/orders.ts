import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const MUG = { amount: '25.00', currency: 'EUR' } as const;

interface Placed {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
}

/** What the buyer gets, with the reference of the payment. */
interface Grant {
  readonly tx_refid: string;
}

export interface Order extends Placed {
  readonly status: 'open' | 'paid';
  readonly tx_refid: string | null;
}

/** In place of your database: a file for each order, and a second one when it is granted. */
const FOLDER = 'data';
const ORDER_ID = /^[0-9a-f-]{36}$/;
const orderFile = (id: string): string => join(FOLDER, `${id}.order.json`);
const grantFile = (id: string): string => join(FOLDER, `${id}.grant.json`);

export function openOrder(): Order {
  const order: Placed = { id: randomUUID(), ...MUG };
  createFile(orderFile(order.id), order);
  return { ...order, status: 'open', tx_refid: null };
}

export function findOrder(id: string): Order | null {
  if (!ORDER_ID.test(id) || !existsSync(orderFile(id))) return null;
  const order = read(orderFile(id)) as Placed;
  if (!existsSync(grantFile(id))) return { ...order, status: 'open', tx_refid: null };
  return { ...order, status: 'paid', ...(read(grantFile(id)) as Grant) };
}

/**
 * Grants an order once: only the first call for an order returns true, also if two processes call it at the same time, or after a
 * restart. In a database, this is an insert into a table whose key is the order's id, in one transaction with what the buyer gets.
 */
export function grantOrder(id: string, grant: Grant): boolean {
  return createFile(grantFile(id), grant);
}

/** Creates a file with its whole content. Returns false if it exists. */
function createFile(path: string, content: object): boolean {
  mkdirSync(FOLDER, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(content), { flush: true });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
