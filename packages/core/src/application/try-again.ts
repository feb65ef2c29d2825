/**
 * The state kept moving while a decision was taken, three times in a row. Nothing was changed; the
 * HTTP ring answers 503 `try_again`.
 */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';

  constructor() {
    super('The resource is being changed by others; try again.');
  }
}
