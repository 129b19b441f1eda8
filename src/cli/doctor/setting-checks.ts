/** Every setting of a configuration, with the place it comes from; secrets are not shown. */
import type { SettingOrigin } from '../../config/origins.ts';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';

const TARGET = 'Configuration';
const DEFAULT = 'default';

export const configuration = resultsFor(TARGET);

export function settingChecks(settings: readonly SettingOrigin[], file: string | undefined): CheckResult[] {
  const said = settings.map(({ key, value, origin }) =>
    configuration.ok(origin.kind === 'default' ? DEFAULT : 'setting', `${key}: ${value} (${origin.name})`),
  );
  return file === undefined ? said : [configuration.ok('file', `${file} is valid.`), ...said];
}

/** A variable that looks like one of ours and is none. */
export function strangeVariable(sentence: string): CheckResult {
  const what = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  return configuration.warn('variables', what, 'Correct its name, or unset it.');
}

/** In a list for people, defaults would hide what was set. */
export function withoutDefaults(results: readonly CheckResult[]): CheckResult[] {
  return results.filter(({ target, check }) => target !== TARGET || check !== DEFAULT);
}

export function nothingNamed(): CheckResult {
  return configuration.warn(
    'configuration',
    'No notes are named: no folder, no configuration, no SB_URL or TRILIUM_TOKEN.',
    'Write a configuration with: quire init. Or look at a folder with: quire doctor <folder>',
  );
}
