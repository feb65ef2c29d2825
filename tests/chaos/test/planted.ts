/** A fault that breaks the law; `plant` changes the facts it is given. */
export interface PlantedFault<Facts> {
  readonly law: string;
  readonly plant: (facts: Facts) => unknown;
}

/** Only ends a run that hangs. Slow starts of servers make a run longer. */
export const RUN_MAX_MS = 1_800_000;

/** The first match. Throws without one, because the fault could not be planted. */
export function some<Row>(rows: readonly Row[], fits: (row: Row) => boolean = () => true): Row {
  const found = rows.find(fits);
  if (found === undefined) throw new Error('The run has nothing to plant this fault in.');
  return found;
}
