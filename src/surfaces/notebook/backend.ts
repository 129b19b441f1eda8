import type * as z from 'zod';
import { type Call, defineTool as define, type Output, type Tool } from '../../mcp/tool.ts';
import type { Notebook } from '../../notes/notebook.ts';

/** `defineTool` for this surface, so that each tool's file need not name the backend. */
export const defineTool: <Input extends z.ZodObject>(
  tool: Omit<Tool<Notebook>, 'input' | 'run'> & {
    readonly input: () => Input;
    run(input: z.infer<Input>, call: Call<Notebook>): Promise<Output>;
  },
) => Tool<Notebook> = define;
