/** What a call is answered with, in addition to its subject. */
export interface WithResponse<T> {
  readonly data: T;
  /** The answer as `fetch` gave it; its body has been read. */
  readonly response: Response;
  readonly requestId: string | null;
}

/** A promise of what a call answers, or, by `withResponse()`, of the whole answer. The request is under way as soon as it is made. */
export class GatePromise<T> implements Promise<T> {
  readonly #answer: Promise<WithResponse<T>>;

  constructor(answer: Promise<WithResponse<T>>) {
    this.#answer = answer;
  }

  get [Symbol.toStringTag](): string {
    return 'GatePromise';
  }

  /** `{ data, response, requestId }` instead of the data alone. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#answer;
  }

  then<Kept = T, Caught = never>(
    onKept?: ((value: T) => Kept | PromiseLike<Kept>) | null,
    onBroken?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    return this.#answer.then(({ data }) => data).then(onKept, onBroken);
  }

  catch<Caught = never>(onBroken?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null): Promise<T | Caught> {
    return this.then(undefined, onBroken);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnd);
  }
}
