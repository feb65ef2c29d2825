/** A fault that breaks the law; `plant` changes the facts it is given. */
export interface PlantedFault<Facts> {
  readonly law: string;
  readonly plant: (facts: Facts) => unknown;
}

/** Only ends what hangs: where each start of a server is slow, a run is made longer by as much. */
export const RUN_MAX_MS = 1_800_000;

/** The first of them that fits: without one the fault could not be planted, and nothing would be proved. */
export function some<Row>(rows: readonly Row[], fits: (row: Row) => boolean = () => true): Row {
  const found = rows.find(fits);
  if (found === undefined) throw new Error('The run has nothing to plant this fault in.');
  return found;
}
