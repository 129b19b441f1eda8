// Questions and the notes that answer them, from tab-separated files.
import { readFile } from 'node:fs/promises';

export async function readRows(file) {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split('\t'));
}

/** From question to note to grade, of the notes that answer it. `gradeOf` may count all judgements alike. */
export async function readGrades(file, gradeOf = Number) {
  const byQuestion = new Map();
  for (const [id, note, grade = '1'] of await readRows(file)) {
    if (!(gradeOf(grade) > 0)) continue;
    if (!byQuestion.has(id)) byQuestion.set(id, new Map());
    byQuestion.get(id).set(note, gradeOf(grade));
  }
  return byQuestion;
}

/** Questions are tuned on and judged by in two halves, odd and even, by a hash of their id (FNV-1a of 32 bits). */
export function isInHalf(id, half) {
  let hash = 2166136261;
  for (const letter of id) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return (hash >>> 0) % 2 === Number(half === 'odd');
}
