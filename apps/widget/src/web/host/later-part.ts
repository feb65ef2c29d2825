/** A part of the checkout that most first steps do without: it is fetched when it is wanted, and then kept. */
export interface LaterPart<Part> {
  /** Null until it has come. */
  loaded(): Part | null;
  /** Rejects where it did not come. It may be asked for again. */
  load(): Promise<Part>;
}

/** Browsers keep a script that did not come as failed for as long as the page is open, so it is asked for under another address then. */
export function laterPart<Part>(fetchPart: () => Promise<Part>): LaterPart<Part> {
  let part: Part | null = null;
  let address: string | undefined;
  let tries = 0;
  const load = async (): Promise<Part> => {
    if (part !== null) return part;
    try {
      // The file of that address is the part.
      part = await (address === undefined
        ? fetchPart()
        : (import(/* @vite-ignore */ `${address}?${(tries += 1)}`) as Promise<Part>));
      return part;
    } catch (error) {
      // Browsers that keep failures name the file in the message.
      address ??= /https?:\S+\.js/.exec(String(error))?.[0];
      throw error;
    }
  };
  return { loaded: () => part, load };
}
