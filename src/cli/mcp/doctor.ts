/** `quire mcp doctor`: what would go wrong, and the line that mends it. */
import { dirname } from 'node:path';
import { mcpCommand } from '../../config/commands/notebook.ts';
import { loadConfig } from '../../config/load.ts';
import { examinePlane, unreadableConfig } from '../../governance/doctor/doctor.ts';
import { fixesFor } from '../../governance/doctor/fixes.ts';
import type { CheckResult } from '../../shared/checks.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { countsOf, tableOfResults } from '../check-report.ts';
import type { McpCall, McpCommand, McpOutput } from './command.ts';
import { McpFailure } from './exit.ts';
import { withPlane } from './plane.ts';

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
      spec: mcpCommand,
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
      const results = await examinePlane(plane, {
        config,
        file: { path: file.path, text: file.text },
        environment: call.environment,
        fixes,
        server,
        isProbing: call.options.probe === true,
        signal: call.signal,
        progress: call.progress,
      });
      return answerOf(results, call);
    });
  },
};

function answerOf(results: readonly CheckResult[], { options }: McpCall): McpOutput {
  const counts = countsOf(results);
  const failed = counts.fail + (options.strict === true ? counts.warn : 0);
  return {
    data: { counts, checks: results.map((one) => ({ ...one, fix: one.fix ?? null })) },
    lines: (view) => tableOfResults(results, view),
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
