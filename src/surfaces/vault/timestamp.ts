/** `2026-02-08T14:30:00Z`: UTC, to the second. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
