/** What a poll for the work of other processes finds: text that differs once there is more. */
export interface Found {
  readonly newest: string;
  readonly heads: string;
}

/** `new` is work that the previous poll did not find. */
export type Look = 'nothing' | 'waiting' | 'new';

/** Compares what each poll finds with what the previous one found. */
export function lookFor(find: () => Promise<Found | undefined>): () => Promise<Look> {
  let last: Found = { newest: '', heads: '' };
  return async () => {
    const found = await find();
    if (found === undefined) return 'nothing';
    const isNew =
      (found.newest !== last.newest && found.newest !== '') || (found.heads !== last.heads && found.heads !== '');
    last = found;
    return isNew ? 'new' : found.newest === '' ? 'nothing' : 'waiting';
  };
}
