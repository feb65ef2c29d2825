import { memoryStore } from '@gateramp/adapters-store-memory';
import type { Store } from '@gateramp/core/ports';
import { createTestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

/** A store without the method that only the clocks of single sandboxes need. A claim by such a clock fails. */
function withoutSandboxes(): Store {
  const { sandboxesDue: _, ...store } = memoryStore();
  return {
    ...store,
    claim: (kind, request) => {
      expect(request).not.toHaveProperty('sandboxes');
      expect(request).not.toHaveProperty('skipsStepped');
      return store.claim(kind, request);
    },
  };
}

describe('a gate on a store without sandboxesDue', () => {
  it('serves purchases, and steps all of test mode together', async () => {
    const t = await createTestGate({ ports: { store: withoutSandboxes() } });
    const paid = await t.createSession();
    const unpaid = await t.createSession();
    await t.settle(paid.id);
    await t.clock.advance('2d');
    expect((await t.retrieveSession(paid.id)).status).toBe('completed');
    expect((await t.retrieveSession(unpaid.id)).status).toBe('expired');
    await t.clock.advance('1h');
    const types = t.deliveries().map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['gate_session.completed', 'gate_session.expired']));
  });

  it('is refused with a clock for each sandbox', async () => {
    const asked = createTestGate({ ports: { store: withoutSandboxes() }, policy: { testClock: 'partner' } });
    await expect(asked).rejects.toThrow('store lacks sandboxesDue: its sandboxes cannot have clocks of their own.');
  });
});
