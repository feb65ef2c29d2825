/** A part of the checkout that the first step does not need. It is fetched on demand and then kept. */
export interface LaterPart<Part> {
  /** Null until it has loaded. */
  loaded(): Part | null;
  /** Rejects if loading fails. May be called again. */
  load(): Promise<Part>;
}

/** Browsers remember a failed module import while the page is open, so a retry uses another URL. */
export function laterPart<Part>(fetchPart: () => Promise<Part>): LaterPart<Part> {
  let part: Part | null = null;
  let address: string | undefined;
  let tries = 0;
  const load = async (): Promise<Part> => {
    if (part !== null) return part;
    try {
      // The cast holds, since the module at that URL is the part.
      part = await (address === undefined
        ? fetchPart()
        : (import(/* @vite-ignore */ `${address}?${(tries += 1)}`) as Promise<Part>));
      return part;
    } catch (error) {
      // Browsers that remember failures include the URL in the message.
      address ??= /https?:\S{1,2000}\.js/.exec(String(error))?.[0];
      throw error;
    }
  };
  return { loaded: () => part, load };
}
