/** The tests of the start-up, of a session over stdio and of a login over HTTP, run by the other versions of Node. */
import { execFile } from 'node:child_process';
import { delimiter, dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { testWith } from '../kit/needs.ts';
import { NODES } from '../kit/programs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILES = ['test/launch.test.ts', 'test/wire/notebook/protocol.test.ts', 'test/wire/http/oauth.test.ts'];
/** Of the tests with a login only those of a whole one by the SDK's client, and of a restart after it. */
const TESTS = '^(?!the vault over HTTP, with a login (?!the SDK client|a restart))';

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

describe('the program', () => {
  for (const { version, program, need } of NODES.filter(({ program }) => program !== process.execPath))
    testWith(need, `starts, serves and logs in on Node ${version}`, async () => {
      const { PATH = '', HOME = '' } = process.env;
      const { stdout } = await promisify(execFile)(
        program,
        [
          'node_modules/vitest/vitest.mjs',
          'run',
          '--update=none',
          '--project=gate',
          '--reporter=json',
          `--testNamePattern=${TESTS}`,
          ...FILES,
        ],
        {
          cwd: ROOT,
          env: { PATH: [dirname(program), PATH].join(delimiter), HOME, QUIRE_BUILT: '1' },
          maxBuffer: 64 * 1024 * 1024,
        },
      );
      const { success, testResults } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Report;
      const passedIn = testResults
        .filter(({ assertionResults }) => assertionResults.some(({ status }) => status === 'passed'))
        .map(({ name }) => relative(ROOT, name));
      expect({ success, passedIn: passedIn.sort() }).toEqual({ success: true, passedIn: FILES.toSorted() });
    });
});
