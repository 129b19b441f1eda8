/** The program's entry. */
import { runCommand } from './entry.ts';
import { createProgram } from './program.ts';
import { refuseMistypedCommand } from './suggest.ts';

runCommand(async () => {
  const program = createProgram(process.argv, process.env);
  await refuseMistypedCommand(program, process.argv.slice(2));
  await program.parseAsync();
});
