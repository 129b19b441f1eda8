/** `quire mcp doctor`: checks the plane, and prints for each problem the command line that fixes it. */
import { dirname } from 'node:path';
import { examinePlane, unreadableConfig } from '../../governance/doctor/doctor.ts';
import { fixesFor } from '../../governance/doctor/fixes.ts';
import type { CheckResult } from '../../shared/checks.ts';
import { isAppError } from '../../shared/errors.ts';
import { countsOf, tableOfResults } from '../check-report.ts';
import { type McpCall, type McpCommand, type McpOutput, ONE_SERVER } from './command.ts';
import { McpFailure } from './exit.ts';
import { fileOf, loadFile, withPlane } from './plane.ts';

export const doctor: McpCommand = {
  name: 'doctor',
  summary: 'look over the configuration, the state, this machine and every server',
  arguments: [ONE_SERVER],
  options: [
    { flag: '--probe', description: 'start or reach the servers too' },
    { flag: '--strict', description: 'a warning is a failure' },
  ],
  examples: [
    ['doctor', 'everything that can be said without starting a server'],
    ['doctor memory --probe', 'one server, started once'],
  ],
  async run(call) {
    const file = fileOf(call);
    const fixes = fixesFor({
      program: call.program,
      configPath: file.path,
      configText: file.text,
      namesConfig: dirname(file.path) !== call.workingFolder || !file.path.endsWith('/quire.yaml'),
    });
    const problem = await loadFile(call, file).then(
      () => undefined,
      (error: unknown) => {
        if (isAppError(error)) return error;
        throw error;
      },
    );
    if (problem) return answerOf(unreadableConfig(problem.message, fixes), call);
    return withPlane(call, async (plane, config) => {
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
            hint: 'Follow each Fix above, then run this again.',
          })
        : undefined,
  };
}
