/** A result with its HTTP response. */
export interface WithResponse<T> {
  readonly data: T;
  /** The response of `fetch`; its body has been read. */
  readonly response: Response;
  readonly requestId: string | null;
}

/** A promise of the result of a call, or, by `withResponse()`, of the result with its response. The request is sent immediately. */
export class GatePromise<T> implements Promise<T> {
  readonly #answer: Promise<WithResponse<T>>;

  constructor(answer: Promise<WithResponse<T>>) {
    this.#answer = answer;
  }

  get [Symbol.toStringTag](): string {
    return 'GatePromise';
  }

  /** Resolves to `{ data, response, requestId }` instead of the data alone. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#answer;
  }

  then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#answer.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<T | Rejected> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }
}
