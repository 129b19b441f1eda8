import { stemOf } from './path.ts';

/** The frontmatter's title, else the first heading of the first level, else the file's name. */
export function titleOf(path: string, frontmatter: Readonly<Record<string, unknown>>, body: string): string {
  const title = frontmatter.title;
  if (typeof title === 'string' && title.trim() !== '') return title.trim();
  if (typeof title === 'number') return String(title);
  const heading = /^# +(.+?)[ \t#]*$/m.exec(body.slice(0, 20_000));
  return heading?.[1] ?? stemOf(path);
}
