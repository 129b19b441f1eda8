// The questions of a set of conversations (LoCoMo) by what should become of them: those that a note answers, those that
// mix two people up, and questions made from them about a name or a thing that stands in no note.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { notesIn } from '../vault.mjs';
import { isInHalf } from './judgements.mjs';

/** LoCoMo's number for questions that mix two people up. */
const ADVERSARIAL = 5;
const STRANGERS = ['Zebulon', 'Ottoline', 'Wilhelmina', 'Ignatius', 'Thaddeus', 'Percival', 'Leopold'];
/** What each asks for stands in no note; `*` is a person who does. */
const STRANGE_THINGS = [
  'When did * sell the houseboat?',
  "What colour is *'s submarine?",
  'Where did * learn to play the accordion?',
  'How much did * pay for the telescope?',
  'Why did * return the chainsaw?',
  'Who taught * to use a parachute?',
  'How many beehives does * have?',
  'What did * write about the lawsuit?',
  'When does the passport of * expire?',
  'Which bank gave * the mortgage?',
  "What is the name of *'s plumber?",
  'When did * visit the monastery with friends?',
  'What did * say about falconry last summer?',
  'How long did the burglary at the house of * take?',
  'Where does * keep the typewriter?',
  'Why is * afraid of the volcano?',
  'Who repaired the harpsichord of *?',
  'What kind of wheelbarrow did * buy for the garden?',
  'When was *’s appendix taken out?',
  'Which pharmacy does * go to?',
  'How did * react to the bankruptcy of the company?',
  'What did the referee tell * after the game?',
  'Where did * see the total eclipse with the family?',
  'What does * grow in the vineyard?',
  'How many times has * flown a glider?',
  'Why did * move to the lighthouse?',
  'When did * start fencing lessons?',
  'What did * inherit from the mayor?',
  'Who gave * the orchid for the birthday?',
  'What happened to *’s trampoline in the storm?',
];

export async function readConversations({ vault, questions: file, half }) {
  const notes = new Map(
    await Promise.all(
      (await notesIn(vault)).map(async (path) => [
        basename(path, '.md'),
        await readFile(join(vault, path), 'utf8'),
      ]),
    ),
  );
  const all = JSON.parse(await readFile(file, 'utf8')).filter(({ id }) => isInHalf(id, half));
  const answerable = all.filter(({ category, ev }) => category !== ADVERSARIAL && ev.length > 0);
  const people = peopleIn(notes);
  const about = answerable.flatMap((each) => {
    const name = people.find((one) => each.question.includes(one));
    return name === undefined ? [] : [{ ...each, name }];
  });
  const said = [...notes.values()].join('\n').toLowerCase();
  const isNowhere = (question, name) =>
    question.match(/\p{L}{4,}/gu).some((word) => word !== name && !said.includes(word.toLowerCase()));
  const strangers = about.map(({ id, question, name }, at) => ({
    id: `${id}-stranger`,
    question: question.replaceAll(name, STRANGERS[at % STRANGERS.length]),
  }));
  const things = people
    .flatMap((name) => STRANGE_THINGS.map((question) => ({ name, question: question.replace('*', name) })))
    .filter(({ name, question }) => isNowhere(question, name))
    .filter(({ question }) => isInHalf(question, half));
  return {
    answerable: answerable.map((each) => ({ ...each, evidence: evidenceOf(each, notes) })),
    adversarial: all.filter(({ category }) => category === ADVERSARIAL),
    strangers,
    things: things.map(({ question }, at) => ({ id: `thing-${at}`, question })),
  };
}

/** The paragraphs that answer: `D3:5` is the fifth one below the heading of the third session. */
function evidenceOf({ id, evidence }, notes) {
  return evidence.flatMap((places) =>
    [...places.matchAll(/D(\d+):(\d+)/g)].flatMap(([, session, turn]) => {
      const note = notes.get(`${id.replace(/-q\d+$/, '')}-session-${session}`);
      return note?.split(/\n\n+/)[Number(turn)] ?? [];
    }),
  );
}

/** Those who speak in the notes. */
function peopleIn(notes) {
  const said = [...notes.values()].flatMap((text) => [...text.matchAll(/^(\p{Lu}\p{Ll}+): /gmu)]);
  return [...new Set(said.map(([, name]) => name))].sort();
}
