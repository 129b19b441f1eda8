/** Refuses names for new files that SilverBullet's own editor could not open. What exists stays reachable. */
import { fileNameProblem, pageNameProblem, suggestPageName } from '../../notes/page-name.ts';
import { extensionOf, type NotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';

const PAGE = '.md';

export function assertPageName(path: NotePath): void {
  const extension = extensionOf(path);
  if (extension === '')
    throw invalid(path, 'has no extension, and SilverBullet does not show such files', `${path}${PAGE}`);
  const stem = path.slice(0, -extension.length);
  const problem = extension === PAGE ? pageNameProblem(stem) : fileNameProblem(stem);
  if (problem === undefined) return;
  const suggestion = suggestPageName(stem);
  throw invalid(path, problem, suggestion === undefined ? undefined : `${suggestion}${extension}`);
}

function invalid(path: NotePath, problem: string, suggestion: string | undefined): AppError {
  const next = suggestion === undefined ? 'Use another name.' : `Use "${suggestion}" instead.`;
  return new AppError('invalid_input', 'Invalid page name', {
    subject: path,
    hint: `SilverBullet could not open it: the name ${problem}. ${next}`,
  });
}
