/** How the tasks of a vault are written, by the settings of Obsidian Tasks, else by the tasks that are there. */
import type { NoteTasks, SearchOptions } from './searcher.ts';
import type { Task, TaskForm } from './task.ts';
import { isObsidianVault, isPluginOn, type ReadSettings, settingsObject, textIn } from './vault-settings.ts';

export interface TaskStyle {
  readonly form: TaskForm;
  readonly ownerForm: TaskForm | 'name';
  /** A task that is done, or cancelled, says on which day. */
  readonly datesDone: boolean;
  readonly datesCancelled: boolean;
  readonly bullet: string;
  /** The tag by which Obsidian Tasks knows its tasks. */
  readonly filterTag?: string;
  /** The next one of a recurring task stands below it, not above. */
  readonly nextBelow: boolean;
}

/** Where the notes are kept, and the settings there. */
export interface TaskPlace {
  readonly kind: 'folder' | 'silverbullet' | 'trilium' | 'postgres';
  readonly settings?: ReadSettings;
}

/** `note` are the tasks of the note itself, which count before those of all notes. */
export async function taskStyle(
  note: readonly Task[],
  all: NoteTasks,
  place: TaskPlace,
  warn: Pick<SearchOptions, 'onWarning'>,
): Promise<TaskStyle> {
  const plugin = (await isPluginOn(place.settings, 'obsidian-tasks-plugin', warn))
    ? await settingsObject(place.settings, '.obsidian/plugins/obsidian-tasks-plugin/data.json', warn)
    : undefined;
  const vault = all.flatMap(([, tasks]) => tasks);
  const most = <T>(of: (task: Task) => T | undefined) => mostCommon(note, of) ?? mostCommon(vault, of);
  const set = (key: string, usual: boolean) =>
    plugin ? (typeof plugin[key] === 'boolean' ? (plugin[key] as boolean) : usual) : undefined;
  const filter = textIn(plugin, 'globalFilter');
  return {
    form: most(({ form }) => form) ?? (plugin ? pluginForm(plugin) : await usualForm(place)),
    ownerForm: most(({ ownerForm }) => ownerForm) ?? 'name',
    datesDone: set('setDoneDate', true) ?? mostCommon(vault, doneDated) === true,
    datesCancelled: set('setCancelledDate', true) ?? false,
    bullet: mostCommon(note, bulletOf) ?? (place.kind === 'silverbullet' ? '*' : '-'),
    filterTag: filter.startsWith('#') ? filter.slice(1) : undefined,
    nextBelow: set('recurrenceOnNextLine', false) ?? false,
  };
}

const doneDated = ({ done, doneOn }: Task) => (done ? doneOn !== undefined : undefined);
const bulletOf = ({ bullet }: Task) => bullet;

function pluginForm({ taskFormat }: Readonly<Record<string, unknown>>): TaskForm {
  return taskFormat === 'dataview' ? 'dataview' : 'emoji';
}

/** Without any example. */
async function usualForm({ kind, settings }: TaskPlace): Promise<TaskForm> {
  if (kind === 'silverbullet') return 'silverbullet';
  if (kind === 'trilium') return 'plain';
  return (await isObsidianVault(settings)) ? 'emoji' : 'dataview';
}

function mostCommon<T>(tasks: readonly Task[], of: (task: Task) => T | undefined): T | undefined {
  const counts = new Map<T, number>();
  for (const task of tasks) {
    const value = of(task);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  let best: readonly [T, number] | undefined;
  for (const entry of counts) if (!best || entry[1] > best[1]) best = entry;
  return best?.[0];
}
