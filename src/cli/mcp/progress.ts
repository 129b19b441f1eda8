/** One line on stderr for who waits: only after a second, only on a terminal, gone when the answer comes. */
import { printable } from '../../shared/printable.ts';
import { cutTo } from '../text-width.ts';

export interface Progress {
  readonly say: (text: string) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

const SHOWN_AFTER_MS = 1_000;
const CLEAR_LINE = '\r\u001b[2K';

export function createProgress(write: (text: string) => void, width: number): Progress {
  let current = 'working';
  let isShown = false;
  const show = () => {
    isShown = true;
    write(`${CLEAR_LINE}${cutTo(`… ${printable(current, 300)}`, width - 1)}`);
  };
  const timer = setTimeout(show, SHOWN_AFTER_MS);
  timer.unref();
  return {
    say(text) {
      current = text;
      if (isShown) show();
    },
    end() {
      clearTimeout(timer);
      if (isShown) write(CLEAR_LINE);
      isShown = false;
    },
  };
}

export const noProgress: Progress = { say() {}, end() {} };
