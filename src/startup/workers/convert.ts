/** A worker that converts long texts of Trilium notes between HTML and markdown. It reads no file and opens no connection. */
import { parentPort } from 'node:worker_threads';
import { isAppError } from '../../shared/errors.ts';
import type { Job, JobFailure, ThreadMessage } from '../../shared/job-threads.ts';
import { conversions } from '../../stores/trilium/html/conversions.ts';

const SECTION = `## A heading

Some words with **strong** and _other_ marks, ~~gone~~, ==seen==, a [link](https://example.com/a "b"), \`code\` & more.
A second line, 2 * 3 = 6, https://example.com/c, $x^2$ and "quotes".

*   one item
*   another **item**
    1.  inside
    2.  of it

- [ ] to do
- [x] done

| name | value |
| --- | :---: |
| some text | 42 |
| a **cell** | \`x\` |

\`\`\`js
const a = b < c && d;
\`\`\`

> A quotation

> [!NOTE]
> Of a kind

`;

const SECTIONS = 60;
const ROUNDS = 6;

/**
 * Converts a text with every kind of markup back and forth, so that V8 has compiled the code when the first long text
 * comes; otherwise compiling takes half of the time of a thread's first megabyte.
 */
function warmUp(): void {
  const markdown = `${SECTION.repeat(SECTIONS)}With a note[^1].\n\n[^1]: The note`;
  for (let round = 0; round < ROUNDS; round++) conversions.toMarkdown(conversions.toHtml(markdown));
}

const jobs: Readonly<Record<string, (...args: never[]) => unknown>> = { ...conversions, warmUp };
const post = (message: ThreadMessage) => parentPort?.postMessage(message);

parentPort?.on('message', ({ name, args }: Job) => {
  try {
    post({ value: jobs[name]!(...(args as never[])) });
  } catch (error) {
    post({ failure: failureOf(error) });
  }
});
post({ state: 'ready' });

function failureOf(error: unknown): JobFailure {
  if (isAppError(error)) {
    const { code, title, subject, hint, reason } = error;
    return { code, title, subject, hint, reason };
  }
  return {
    code: 'internal',
    title: 'The text could not be converted',
    subject: error instanceof Error ? error.name : undefined,
    hint: 'Ask for its HTML instead.',
    reason: undefined,
  };
}
