/** The commands about what assistants changed: `quire history`, `quire undo` and `quire review`. */
import { historyCommand, undoCommand } from '../config/commands/history.ts';
import { SINCE_FORMS } from '../history/since.ts';
import type { ProgramCommand } from './command.ts';

const NOTES_FOLDER = ['--folder <folder>', 'the folder that holds the notes'] as const;

const history: ProgramCommand = {
  name: 'history',
  description: 'list what was changed in notes through Quire, the newest first: quire history ~/notes',
  usage: 'quire history <folder>, or quire history --config quire.yaml [notebook or path]',
  spec: historyCommand,
  argument: [
    '[notebook|path]',
    'a folder of notes, a notebook of the configuration, or a note or folder in it',
  ],
  extras: [
    ['--since <time>', `only changes since then: ${SINCE_FORMS}`],
    ['--by <name>', 'only changes by clients with this in their name'],
    ['--limit <count>', 'how many changes to list (default: 50; with --json all)'],
    NOTES_FOLDER,
  ],
  hasJson: true,
  async run(command, input) {
    const { listHistory } = await import('./history/run.ts');
    return listHistory(command, input);
  },
};

const historyShow: ProgramCommand = {
  name: 'show',
  below: 'history',
  description: 'show a change, or all changes of a group, with the lines that were changed',
  usage: 'quire history show <id>',
  spec: historyCommand,
  argument: ['<id>', 'the id of a change or a group'],
  extras: [NOTES_FOLDER],
  hasJson: true,
  async run(command, input) {
    const { showHistory } = await import('./history/run.ts');
    return showHistory(command, input);
  },
};

const undo: ProgramCommand = {
  name: 'undo',
  description: 'undo changes that were made through Quire: quire undo --last --folder ~/notes',
  usage: 'quire undo <id...>, or quire undo --last, with --folder <folder> or --config quire.yaml',
  spec: undoCommand,
  argument: ['[ids...]', 'ids of changes and groups, as quire history lists them'],
  extras: [
    ['--last', 'the last change that is not undone'],
    ['--session <name>', 'all changes of a session; --since leaves older ones out'],
    ['--since <time>', `all changes since then: ${SINCE_FORMS}`],
    ['--dry-run', 'only show what would be done'],
    ['--copy', 'where a note was changed since, put its old text into a new note beside it'],
    NOTES_FOLDER,
  ],
  hasJson: true,
  async run(command, input) {
    const { undoHistory } = await import('./history/run.ts');
    return undoHistory(command, input);
  },
};

const review: ProgramCommand = {
  name: 'review',
  description:
    'decide on changes that wait for a person: quire review ~/notes, or quire review --interactive',
  usage: 'quire review <folder>, or quire review --config quire.yaml [notebook]',
  spec: historyCommand,
  argument: ['[notebook]', 'a folder of notes, or a notebook of the configuration'],
  extras: [
    ['--interactive', 'ask about each part of each proposal, one after another'],
    ['--decided', 'list those that were decided'],
    NOTES_FOLDER,
  ],
  hasJson: true,
  async run(command, input) {
    const { listReview } = await import('./review/run.ts');
    const spec = input.extras.interactive === true ? undoCommand : historyCommand;
    return listReview({ ...command, spec }, input);
  },
};

const reviewShow: ProgramCommand = {
  name: 'show',
  below: 'review',
  description: 'show a proposal, with the numbered parts that can be accepted by themselves',
  usage: 'quire review show <id>',
  spec: historyCommand,
  argument: ['<id>', 'the id of a proposal'],
  extras: [NOTES_FOLDER],
  hasJson: true,
  async run(command, input) {
    const { showReview } = await import('./review/run.ts');
    return showReview(command, input);
  },
};

const reviewAccept = decisionCommand('accept', 'accept proposals, whole or only some parts of one', [
  '--part <parts...>',
  'only this note (1) or this place in a note (1.2); other places in the same note are rejected',
]);
const reviewReject = decisionCommand('reject', 'reject proposals', [
  '--part <parts...>',
  'only this note of the proposal: 1',
]);

function decisionCommand(
  name: 'accept' | 'reject',
  description: string,
  part: readonly [string, string],
): ProgramCommand {
  return {
    name,
    below: 'review',
    description,
    usage: `quire review ${name} <id...>, or quire review ${name} --all`,
    spec: undoCommand,
    argument: ['[ids...]', 'ids of proposals, as quire review lists them'],
    extras: [
      ['--all', 'all that wait'],
      part,
      ['--comment <text>', 'what the assistant is told'],
      NOTES_FOLDER,
    ],
    hasJson: true,
    async run(command, input) {
      const { decideReview } = await import('./review/run.ts');
      return decideReview(command, input, name);
    },
  };
}

/** A command comes before those below it. */
export const CHANGE_COMMANDS: readonly ProgramCommand[] = [
  history,
  historyShow,
  undo,
  review,
  reviewShow,
  reviewAccept,
  reviewReject,
];
