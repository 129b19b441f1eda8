/** What is wrong with each field of a call, in a few words. */
import type * as z from 'zod';
import type { ArgumentIssues } from '../../mcp/argument-issues.ts';

const MOST_FIELDS = 10;

export function invalidInput({ tool, issues }: ArgumentIssues): { message: string; suggestion: string } {
  const fields = issues.slice(0, MOST_FIELDS).map((issue) => `  - ${fieldOf(issue)}: ${reasonOf(issue)}`);
  return {
    message: `Invalid input for tool "${tool}"`,
    suggestion: ['Check the following fields and correct them:', ...fields].join('\n'),
  };
}

function fieldOf({ path }: z.core.$ZodIssue): string {
  return path.length === 0 ? 'input' : path.map(String).join('.').slice(0, 100);
}

function reasonOf(issue: z.core.$ZodIssue): string {
  const isMissing = issue.input === undefined && ['invalid_type', 'invalid_value'].includes(issue.code);
  if (isMissing) return 'Required field is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `Must be of type ${issue.expected}`;
    case 'invalid_value':
      return `Invalid value. Allowed values: ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `Must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `Must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_format':
      return `Invalid format${issue.format === 'regex' ? `, expected ${issue.pattern}` : ''}`;
    default:
      return issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' items' : '';
}
