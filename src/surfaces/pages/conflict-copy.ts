/**
 * `Plan.conflicted:1794710171000.md`: when a page was changed in a browser and on the server at once, the browser's
 * text wins and SilverBullet keeps the other one, which may be what a tool wrote, beside it under such a name.
 */
import { pageNameOf } from '../../notes/page-path.ts';

/** The page it is a copy of; undefined for an ordinary page. */
export function conflictCopyOf(path: string): string | undefined {
  return /^(.+)\.conflicted[.:]\d+$/.exec(pageNameOf(path))?.[1];
}
