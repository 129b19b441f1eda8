/**
 * A time of change for people: whole seconds, and never the very number that read_page gives out as a page's
 * version, also where a disk keeps whole seconds only.
 */
export function blurredTime(lastModified: number): number {
  const second = Math.floor(lastModified / 1000) * 1000;
  return second === lastModified ? second - 1000 : second;
}
