/** The commands that copy notes between a folder and a notebook: `quire import` and `quire export`. */
import { transferCommand } from '../config/commands/transfer.ts';
import type { ProgramCommand } from './command.ts';

const OVERWRITE = ['--overwrite', 'replace files that are there already with another text'] as const;

const importing: ProgramCommand = {
  name: 'import',
  description: 'copy a folder of notes into a notebook of the configuration: quire import ~/notes --to team',
  usage: 'quire import <folder> --to <notebook>, with --config quire.yaml',
  spec: transferCommand,
  argument: ['<folder>', 'the folder that holds the notes'],
  extras: [['--to <notebook>', 'the notebook that takes them'], OVERWRITE],
  hasJson: true,
  findsFile: true,
  async run(command, input) {
    const { importNotes } = await import('./transfer/run.ts');
    return importNotes(command, input);
  },
};

const exporting: ProgramCommand = {
  name: 'export',
  description: 'copy a notebook of the configuration into a folder: quire export team --to ~/copy',
  usage: 'quire export <notebook> --to <folder>, with --config quire.yaml',
  spec: transferCommand,
  argument: ['<notebook>', 'a notebook of the configuration'],
  extras: [['--to <folder>', 'the folder that takes the files; it is made if there is none'], OVERWRITE],
  hasJson: true,
  findsFile: true,
  async run(command, input) {
    const { exportNotes } = await import('./transfer/run.ts');
    return exportNotes(command, input);
  },
};

export const TRANSFER_COMMANDS: readonly ProgramCommand[] = [importing, exporting];
