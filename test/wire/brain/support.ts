/** A small body of notes, and the built binary over it. */
import { expect } from 'vitest';
import { type Answer, startProgram, type ToolClient } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';

export const NOTES = {
  'projects/harbour.md': `---
title: Harbour crane
tags: [harbour, project]
---
# Harbour crane

The harbour crane lifts 40 tonnes. Its steel cable was replaced in March 2026.

## Decisions

DECISION: We use a steel cable, because hemp rots.

## Next

- [ ] Order grease for the crane 📅 2020-01-10
- [x] Inspect the cable
- [ ] Paint the rail @Ana

\`\`\`
- [ ] not a task
\`\`\`
`,
  'meetings/2020-11-02.md': `---
type: meeting
date: 2020-11-02
attendees: [Ana, Ben]
---
# Harbour meeting

## Actions

- Ana will call the inspector by Friday

## Risks

- The wind season starts early
`,
  'garden.md': '# Garden\n\nTomatoes stand along the south wall and are watered every evening.\n',
} as const;

export interface Brain extends ToolClient {
  readonly folder: string;
  readonly pid: number;
}

export async function startBrain(
  flags: readonly string[] = [],
  seed: Readonly<Record<string, string>> = NOTES,
): Promise<Brain> {
  const folder = await temporaryFolder(seed);
  return { ...(await startProgram(['brain', folder, '--embeddings', 'off', ...flags])), folder };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
export type Value = any;

/** The whole answer. */
export function wholeOf(answer: Answer): Value {
  expect(answer.isError, answer.text).toBe(false);
  return answer.json;
}

/** The passage stands in the note, with the span of its citation. */
export function expectRecalled({ citation, snippet }: Value): void {
  expectCited(citation);
  expect(NOTES[citation.source_path as keyof typeof NOTES]).toContain(snippet);
  expect(snippet).toContain(citation.text_span);
}

/** The span stands in the note at exactly its lines. */
export function expectCited(
  { source_path: path, line_start: from, line_end: to, text_span: span, ...rest }: Value,
  notes: Readonly<Record<string, string>> = NOTES,
): void {
  const text = notes[path];
  expect(text, `no note ${path}`).toBeDefined();
  const lines = (text ?? '')
    .split('\n')
    .slice(from - 1, to)
    .join('\n');
  expect(lines).toContain(span);
  expect(span.length).toBeLessThanOrEqual(300);
  expect(rest.chunk_hash).toMatch(/^[0-9a-f]{12}$/);
  expect(rest.score).toBeGreaterThanOrEqual(0);
  expect(rest.score).toBeLessThanOrEqual(1);
  expect(Date.parse(rest.retrieved_at)).not.toBeNaN();
}
