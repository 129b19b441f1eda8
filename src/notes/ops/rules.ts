/** Refuses a change whose frontmatter breaks the notebook's own rules or stops being YAML. */
import { AppError } from '../../shared/errors.ts';
import { takesFrontmatter } from '../frontmatter/kinds.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { ruleProblems } from '../frontmatter/rules.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';

export async function assertRules(
  notebook: Pick<Notebook, 'rules'>,
  path: NotePath,
  text: string,
): Promise<void> {
  if (notebook.rules.length === 0 || !takesFrontmatter(path)) return;
  const { data, problem } = await parseFrontmatter(text);
  const problems = problem === undefined ? ruleProblems(notebook.rules, path, data) : [problem];
  if (problems.length > 0) {
    throw new AppError('invalid_input', 'Invalid frontmatter', {
      subject: problems.join('; '),
      hint: 'Nothing was changed. The notebook has rules for its frontmatter.',
    });
  }
}

/** An edit must not turn readable frontmatter into something that is not. */
export async function assertStillReadable(path: NotePath, before: string, after: string): Promise<void> {
  if (!takesFrontmatter(path)) return;
  const then = await parseFrontmatter(before);
  if (then.problem !== undefined) return;
  const now = await parseFrontmatter(after);
  if (now.problem !== undefined) {
    throw new AppError('invalid_input', 'Invalid frontmatter', {
      subject: now.problem,
      hint: 'Nothing was changed. The edit would leave frontmatter that is not valid YAML.',
    });
  }
}
