import { rows } from '@gateramp/conformance';
import { emptyChange, MARKED_WORK_MAX, type OperatorReads, type Store } from '@gateramp/core/ports';
import { expect } from 'vitest';

const { ACME, T0 } = rows;

/** Marks change with each held session and parked task of a mode up to `MARKED_WORK_MAX`, and not beyond it. */
export async function expectMarksUpToTheLimit(store: Store, operator: OperatorReads): Promise<void> {
  const read = async () => (await operator.marks({ scopes: [], work: true })).work;
  const parked = () => ({ ...rows.aTask({ at: T0, dueAt: T0 }), status: 'parked' as const });
  const held = () => ({ row: { ...rows.aSession().session, heldSince: T0 }, expectedVersion: null });
  const kinds = [
    (count: number) => ({ tasks: Array.from({ length: count }, parked) }),
    (count: number) => ({ sessions: Array.from({ length: count }, held) }),
  ];
  for (const of of kinds) {
    const add = (count: number) => store.commit({ ...emptyChange(ACME, T0), ...of(count) });
    await add(MARKED_WORK_MAX - 1);
    const below = await read();
    await add(1);
    const full = await read();
    expect(full).not.toBe(below);
    await add(1);
    expect(await read()).toBe(full);
  }
}
