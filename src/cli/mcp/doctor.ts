/** `quire mcp doctor`: what would go wrong, and the line that mends it. */
import { dirname } from 'node:path';
import { mcpCommand } from '../../config/commands/notebook.ts';
import { loadConfig } from '../../config/load.ts';
import { type Check, type CheckStatus, fixesFor } from '../../governance/doctor/check.ts';
import { examinePlane, unreadableConfig } from '../../governance/doctor/doctor.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { type Column, tableOf } from '../table.ts';
import type { McpCall, McpCommand, McpOutput } from './command.ts';
import { McpFailure } from './exit.ts';
import { withPlane } from './plane.ts';

const COLUMNS: readonly Column<Check>[] = [
  { title: 'Check', value: ({ check }) => check, min: 12, priority: 5 },
  { title: 'Target', value: ({ target }) => target, min: 8, priority: 3 },
  { title: 'Status', value: ({ status }) => status, priority: 4 },
  { title: 'Detail', value: ({ detail }) => detail, min: 16, priority: 1 },
  { title: 'Fix', value: ({ fix = '' }) => fix, min: 10, priority: 2 },
];

export const doctor: McpCommand = {
  name: 'doctor',
  summary: 'look over the configuration, the state, this machine and every server',
  arguments: [{ name: 'server', description: 'only this one', optional: true }],
  options: [
    { flag: '--probe', description: 'start or reach the servers too' },
    { flag: '--strict', description: 'a warning is a failure' },
  ],
  examples: [
    ['doctor', 'everything that can be said without starting a server'],
    ['doctor memory --probe', 'one server, started once'],
  ],
  config: 'needed',
  async run(call) {
    const { config: file } = call;
    if (file === undefined) throw new AppError('internal', 'No configuration file');
    const fixes = fixesFor({
      program: call.program,
      configPath: file.path,
      configText: file.text,
      namesConfig: dirname(file.path) !== call.workingFolder || !file.path.endsWith('/quire.yaml'),
    });
    const config = await loadConfig({
      door: mcpCommand,
      flags: {},
      env: call.environment,
      file: file.path,
    }).catch((error: unknown) => {
      if (isAppError(error)) return error;
      throw error;
    });
    if (config instanceof AppError) return answerOf(unreadableConfig(config.message, fixes), call);
    return withPlane(call, async (plane) => {
      const { server } = call.args;
      const checks = await examinePlane(plane, {
        config,
        file: { path: file.path, text: file.text },
        environment: call.environment,
        fixes,
        server,
        isProbing: call.options.probe === true,
        signal: call.signal,
        progress: call.progress,
      });
      return answerOf(checks, call);
    });
  },
};

function answerOf(checks: readonly Check[], { options }: McpCall): McpOutput {
  const count = (wanted: CheckStatus) => checks.filter(({ status }) => status === wanted).length;
  const counts = { ok: count('ok'), warn: count('warn'), fail: count('fail'), skip: count('skip') };
  const failed = counts.fail + (options.strict === true ? counts.warn : 0);
  return {
    data: { counts, checks: checks.map((one) => ({ ...one, fix: one.fix ?? null })) },
    lines: (view) => {
      const { lines, hidden } = tableOf(COLUMNS, checks, view);
      const fixes = checks.flatMap(({ status, check, target, fix }) =>
        fix === undefined ? [] : [`${status} ${check} ${target}: ${fix}`],
      );
      const footer = `ok: ${counts.ok}, warn: ${counts.warn}, fail: ${counts.fail}, skip: ${counts.skip}`;
      return { lines: [...lines, footer, ...(fixes.length > 0 ? ['', ...fixes] : [])], hidden };
    },
    failure:
      failed > 0
        ? new McpFailure('internal', {
            code: 'checks_failed',
            message: failed === 1 ? 'One check failed' : `${failed} checks failed`,
            hint: 'Run what stands under Fix, then this again.',
          })
        : undefined,
  };
}
