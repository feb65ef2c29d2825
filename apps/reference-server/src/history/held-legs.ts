import type { LegsStore } from '@gateramp/provider-legs';
import { Outage } from '@gateramp/core/ports';

const HELD =
  'The database was restored, or has lost commits in a failover. Provider legs wait until an operator has checked: gate recover status';
const CHECK_EVERY_MS = 1_000;

/** The store of the legs of a server: while the installation is held, nothing is written and no operation is claimed. */
export function heldLegsStore(store: LegsStore, isHeld: () => boolean): LegsStore {
  return {
    ...store,
    commit: async (change) => {
      if (isHeld()) throw new Outage(HELD);
      return store.commit(change);
    },
    claimDue: async (claim) => (isHeld() ? [] : store.claimDue(claim)),
    removeDue: async (due) => (isHeld() ? 0 : store.removeDue(due)),
  };
}

interface Work {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

/** Runs background work between `start` and `stop`, except while the installation is held. */
export function unlessHeld(work: Work, isHeld: () => boolean): Work {
  let isWanted = false;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  let settled = Promise.resolve();
  const settle = async (): Promise<void> => {
    const mayRun = isWanted && !isHeld();
    if (mayRun === isRunning) return;
    isRunning = mayRun;
    if (mayRun) work.start();
    else await work.stop();
  };
  const check = (): Promise<void> => (settled = settled.then(settle));
  return {
    start: () => {
      if (isWanted) return;
      isWanted = true;
      timer = setInterval(() => void check(), CHECK_EVERY_MS).unref();
      void check();
    },
    stop: async () => {
      isWanted = false;
      clearInterval(timer);
      await check();
    },
  };
}
