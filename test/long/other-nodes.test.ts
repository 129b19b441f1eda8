/** The tests of the start-up, of a session over stdio and of a login over HTTP, run by the other versions of Node. */
import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { testWith } from '../kit/needs.ts';
import { NODES } from '../kit/programs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILES = [
  'test/launch',
  'test/wire/notebook/stdio',
  'test/wire/http/oauth.test',
  'test/wire/vault/command',
];

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
          ...FILES,
        ],
        {
          cwd: ROOT,
          env: { PATH: [dirname(program), PATH].join(delimiter), HOME, QUIRE_BUILT: '1' },
          maxBuffer: 64 * 1024 * 1024,
        },
      );
      const { success, numPassedTests } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
        success: boolean;
        numPassedTests: number;
      };
      expect([success, numPassedTests > 20]).toEqual([true, true]);
    });
});
