/** One guarantee: its title is the promise, and `run` rejects if the subject breaks it. */
export interface Law<Subject> {
  /** The topic, by which runners group laws. */
  readonly topic: string;
  readonly title: string;
  run(subject: Subject): Promise<void>;
  /** Why this subject cannot prove the law, and null if it can; `run` then checks that it cannot. Absent if every subject can. */
  unproved?(subject: Subject): string | null;
}

/** Laws of one topic. Each runs on a new instance from its subject, which is always closed. */
export function lawsOnTrial<Trial extends { readonly close: () => Promise<void> }>(
  topic: string,
  laws: Readonly<Record<string, (trial: Trial) => Promise<void>>>,
): readonly Law<{ create(): Promise<Trial> }>[] {
  return Object.entries(laws).map(([title, check]) => ({
    topic,
    title,
    async run(subject) {
      const trial = await subject.create();
      try {
        await check(trial);
      } finally {
        await trial.close();
      }
    },
  }));
}

/** The `describe` and `it` of any test runner. */
export interface LawRunner {
  describe(title: string, body: () => void): unknown;
  it(title: string, run: () => Promise<void>): unknown;
}

/** Registers every law with a runner, grouped by topic. Nothing is skipped: a law that the subject cannot prove says so in its title. */
export function describeLaws<Subject>(laws: readonly Law<Subject>[], subject: Subject, runner: LawRunner): void {
  for (const topic of new Set(laws.map((law) => law.topic))) {
    runner.describe(topic, () => {
      for (const law of laws) {
        if (law.topic === topic) runner.it(titleFor(law, subject), () => law.run(subject));
      }
    });
  }
}

function titleFor<Subject>(law: Law<Subject>, subject: Subject): string {
  const reason = law.unproved?.(subject) ?? null;
  return reason === null ? law.title : `NOT PROVED: ${law.title} (${reason})`;
}
