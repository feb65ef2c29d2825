import type { Gate, GatePorts } from '@gateramp/core';
import type { OperatorReads, Provider, RateLimits, Scheduler, Store } from '@gateramp/core/ports';
import type { Express } from 'express';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';

/** A host's declarations around its gate, for blocks of the documentation that begin in the middle. */
export declare const gate: Gate;
export declare const ports: GatePorts;
export declare const app: Express;
export declare const server: FastifyInstance;
export declare const store: Store;
export declare const operator: OperatorReads;
export declare const scheduler: Scheduler;
export declare const limits: RateLimits;
export declare const providers: readonly Provider[];
export declare const pool: Pool;
export declare const masterKey: Uint8Array;
/** The host's own handling of a finished purchase. */
export declare function grantOnce(eventId: string, txRefid: string): Promise<void>;
