import type { MoveProgress } from '../move/move.js';

interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows the progress of a move: an updated line on a terminal, otherwise a line for each completed kind. */
export function progressLine(stream: Screen): {
  readonly show: (progress: MoveProgress) => void;
  readonly end: () => void;
} {
  let isOpen = false;
  return {
    show: ({ kind, copied, total }) => {
      if (total === 0) return;
      const text = `${kind.replaceAll('_', ' ')}: ${copied.toLocaleString('en')} of ${total.toLocaleString('en')}`;
      if (stream.isTTY) {
        stream.write(`\r\u001b[K${text}`);
        isOpen = true;
      } else if (copied === total) stream.write(`${text}\n`);
    },
    end: () => {
      if (isOpen) stream.write('\r\u001b[K');
    },
  };
}
