/** A process that reserves prompts as often as its arguments say, and says how many it got. */
import { openSharedWindow } from '../../src/state/shared-window.ts';

const [file = '', most = '0', times = '0'] = process.argv.slice(2);
const prompts = openSharedWindow(file, 3_600_000);
const got = await Promise.all(Array.from({ length: Number(times) }, () => prompts.reserve(Number(most))));
process.stdout.write(String(got.filter((one) => one !== undefined).length));
