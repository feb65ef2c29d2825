import { AssertionError } from 'node:assert';
import type { Store } from '@gateramp/core/ports';
import type { SocketSubject, StoreSubject } from '@gateramp/conformance';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServedGate } from '../../../packages/conformance/src/http/subject.js';
import { overStore, type StoreParts } from '../../../packages/conformance/test/faults/over.js';
import type { History } from '../differential/command.js';
import { histories } from '../differential/histories.js';
import { express, fastify, memory } from '../differential/kinds.js';
import { play } from '../differential/play.js';
import type { Kind } from '../differential/system.js';

const SOUND: Kind = { name: 'sound', store: memory, http: fastify };

/** Systems with one planted fault of a store or an adapter each. */
const FAULTY: Readonly<Record<string, Kind>> = {
  'a store that gives the first two of a page in the wrong order': withStore((store) => ({
    list: {
      session: async (...asked) => {
        const [first, second, ...others] = await store.list('session', ...asked);
        return first === undefined || second === undefined
          ? [first].filter((row) => row !== undefined)
          : [second, first, ...others];
      },
    },
  })),
  'a store that lets a filter through': withStore((store) => ({
    list: {
      session: (scope, filter, page, now) => store.list('session', scope, { ...filter, status: null }, page, now),
    },
  })),
  'an adapter that drops a header': { name: 'faulty', store: memory, http: dropping(express, 'vary') },
};

describe('histories find', () => {
  for (const [fault, faulty] of Object.entries(FAULTY)) {
    it(`${fault}, and come down to a few steps`, async () => {
      const drawn = histories(100, 200);
      const property = fc.asyncProperty(drawn, (history) =>
        drawn.watch(history, (onStep) => play([SOUND, faulty], history, { onStep })),
      );
      const found = await fc.check(property, { seed: 1, numRuns: 40 });
      expect(found.failed).toBe(true);
      expect(found.errorInstance).toBeInstanceOf(AssertionError);
      const [history] = found.counterexample as [History];
      expect(history.commands.length, JSON.stringify(history.commands)).toBeLessThanOrEqual(6);
    });
  }
});

function withStore(replaced: (inner: Store) => StoreParts): Kind {
  const store: StoreSubject = {
    create: async () => {
      const made = await memory.create();
      return { ...made, store: overStore(made.store, replaced(made.store)) };
    },
  };
  return { name: 'faulty', store, http: fastify };
}

function dropping(inner: SocketSubject, header: string): SocketSubject {
  const without = (gate: ServedGate): ServedGate => ({
    ...gate,
    handle: async (mode, request) => {
      const { headers, ...answer } = await gate.handle(mode, request);
      return { ...answer, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== header)) };
    },
  });
  return { mount: (gate, mode) => inner.mount(without(gate), mode) };
}
