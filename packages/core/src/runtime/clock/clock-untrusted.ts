/** What a clock throws while it does not know the time: to requests and workers an outage like that of the store. */
export class ClockUntrusted extends Error {
  readonly outage = true;

  constructor() {
    super(
      'The time of the store is unknown: it has not answered since the start, its answers contradict each other, or its clock was changed by more than can be corrected. No request or task is processed until this is fixed.',
    );
    this.name = 'ClockUntrusted';
  }
}
