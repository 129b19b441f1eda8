/** The prompts of several behind one endpoint; a name that is taken stays with who has it. */
import type { PromptDefinition, Prompts } from './prompts.ts';

export function joinPrompts(parts: readonly Prompts[]): Prompts {
  const firstOf = async <T>(ask: (part: Prompts) => Promise<T | undefined>): Promise<T | undefined> => {
    for (const part of parts) {
      const answer = await ask(part);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return {
    async list() {
      const all = (await Promise.all(parts.map((part) => part.list()))).flat();
      const byName = new Map<string, PromptDefinition>();
      for (const prompt of all) if (!byName.has(prompt.name)) byName.set(prompt.name, prompt);
      return [...byName.values()];
    },
    get: (request) => firstOf((part) => part.get(request)),
    complete: (request) => firstOf((part) => part.complete(request)),
    watch(changed) {
      const stops = parts.map((part) => part.watch(changed));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
