/** Redis did not answer in time. Unlike an error that Redis returns, this concerns the connection. */
export class Unanswered extends Error {
  constructor(limitMs: number) {
    super(`Redis did not answer within ${limitMs} ms.`);
    this.name = 'Unanswered';
  }
}

/**
 * Rejects if no answer arrives in time. A process that was busy itself must not blame Redis: its timer is then overdue while the answer
 * waits in the socket, so the socket is read once more first.
 */
export async function answerWithin<Answer>(limitMs: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new Unanswered(limitMs))), limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
