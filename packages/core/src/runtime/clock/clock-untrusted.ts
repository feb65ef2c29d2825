/** What a clock throws while it does not know the time: to requests and workers an outage like that of the store. */
export class ClockUntrusted extends Error {
  readonly outage = true;

  constructor() {
    super(
      'What time it is at the store is not known: it has not answered since the start, its answers contradict each other, or its clock was set by more than can be corrected. Nothing is decided until that is mended.',
    );
    this.name = 'ClockUntrusted';
  }
}
