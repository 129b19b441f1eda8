// The suite starts a client for every scenario at once. Here they wait for one of three places, so that a small
// machine is not swamped: gate.mjs <folder for the places> <program> <address>.
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, program] = process.argv.slice(2);
const PLACES = [1, 2, 3].map((number) => join(folder, `place-${number}`));

const take = (place) => {
  try {
    mkdirSync(place);
    return true;
  } catch {
    return false;
  }
};

let place;
for (let tries = 0; tries < 2000 && !place; tries++) {
  place = PLACES.find(take);
  if (!place) await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 50));
}
process.on('exit', () => place && rmdirSync(place));
await import(pathToFileURL(program).href);
