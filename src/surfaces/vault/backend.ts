import type * as z from 'zod';
import { type Call, defineTool as define, type Output, type Tool } from '../../mcp/tool.ts';
import type { Notebook } from '../../notes/notebook.ts';
import type { NoteSearcher } from '../../notes/searcher.ts';

/** What the vault's tools stand on. `files` shows every file that is not hidden, of any type. */
export interface VaultBackend extends Pick<Notebook, 'files' | 'rules'> {
  readonly searcher: NoteSearcher;
  /** Lines of a file shown at most when no range is asked for. */
  readonly readThreshold: number;
}

/** `defineTool` for this surface, so that each tool's file need not name the backend. */
export const defineTool: <Input extends z.ZodObject>(
  tool: Omit<Tool<VaultBackend>, 'input' | 'run'> & {
    readonly input: () => Input;
    run(input: z.infer<Input>, call: Call<VaultBackend>): Promise<Output>;
  },
) => Tool<VaultBackend> = define;
