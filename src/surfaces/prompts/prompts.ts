/** Prompts that people pick in their client: each brings what the index knows, and says which tools to use in which order. */
import type { Completion, CompletionRequest, PromptDefinition, Prompts } from '../../mcp/offers.ts';
import { pathKey } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import {
  ARGUMENTS,
  type ArgumentName,
  dayAfter,
  dayOf,
  foldersOf,
  type NotePrompt,
  type PromptContext,
  tagsOf,
} from './prompt.ts';
import { dailyReview, weeklyReview } from './review.ts';
import { tidyNote } from './tidy-note.ts';
import { findDuplicates, summarizeFolder } from './whole-folder.ts';

const PROMPTS: readonly NotePrompt[] = [dailyReview, weeklyReview, tidyNote, summarizeFolder, findDuplicates];

const LONGEST_ARGUMENT = 4_096;
const MOST_COMPLETIONS = 100;

export function notePrompts(open: () => Promise<NoteSetBackend>): Prompts {
  const named = (name: string) => PROMPTS.find((prompt) => prompt.name === name);
  return {
    list: async () => PROMPTS.map(definitionOf),
    async get({ name, args, tools = [], prefix = '', signal }) {
      const prompt = named(name);
      if (!prompt) return undefined;
      const context: PromptContext = {
        backend: await open(),
        args: checked(prompt, args),
        signal,
        tool: (...wanted) => {
          const found = wanted.find((tool) => tools.includes(prefix + tool));
          return found && `\`${prefix}${found}\``;
        },
      };
      return { description: prompt.description, messages: await prompt.messages(context) };
    },
    async complete(request) {
      const argument = named(request.of)?.takes.find((taken) => taken === request.argument);
      return argument && completionOf(await candidates(argument, await open(), request), request.value);
    },
    watch: () => () => {},
  };
}

function definitionOf({ name, title, description, takes, needs }: NotePrompt): PromptDefinition {
  const arguments_ = takes.map((argument) => ({
    name: argument,
    description: ARGUMENTS[argument],
    ...(argument === needs && { required: true }),
  }));
  return { name, title, description, arguments: arguments_ };
}

/** Without those that are blank: clients send what a person left empty. */
function checked(
  { name, takes, needs }: NotePrompt,
  given: Readonly<Record<string, string>>,
): PromptContext['args'] {
  const args: Partial<Record<ArgumentName, string>> = {};
  for (const [key, value] of Object.entries(given)) {
    const argument = takes.find((taken) => taken === key);
    if (!argument) {
      const meant = nearest(key, takes);
      throw new AppError('invalid_input', `${name} has no argument "${key.slice(0, 60)}"`, {
        hint: meant ? `Did you mean ${meant}?` : `It takes: ${takes.join(', ')}.`,
      });
    }
    if (value.length > LONGEST_ARGUMENT)
      throw new AppError('invalid_input', `${argument} is longer than ${LONGEST_ARGUMENT} characters`);
    if (value.trim() !== '') args[argument] = value.trim();
  }
  if (needs !== undefined && args[needs] === undefined)
    throw new AppError('invalid_input', `${needs} is missing`, { hint: `${ARGUMENTS[needs]}.` });
  return args;
}

async function candidates(
  argument: ArgumentName,
  { searcher, now }: NoteSetBackend,
  { signal }: CompletionRequest,
): Promise<readonly string[]> {
  if (argument === 'days') return ['1', '7', '14', '30', '90'];
  if (argument === 'date') return Array.from({ length: 31 }, (_, back) => dayAfter(dayOf(now()), -back));
  const notes = await searcher.notes({ signal });
  if (argument === 'path') return notes.map(({ path }) => path);
  if (argument === 'folder') return foldersOf(notes);
  return [...new Set(notes.flatMap(tagsOf))].sort();
}

/** Those that begin with what was typed come before those that only have it in them. */
function completionOf(all: readonly string[], typed: string): Completion {
  const wanted = pathKey(typed.trim());
  const placeIn = (value: string) => pathKey(value).indexOf(wanted);
  const found = [
    ...all.filter((value) => placeIn(value) === 0),
    ...all.filter((value) => placeIn(value) > 0),
  ];
  return {
    values: found.slice(0, MOST_COMPLETIONS),
    total: found.length,
    hasMore: found.length > MOST_COMPLETIONS,
  };
}
