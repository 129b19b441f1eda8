/** People whom a note links to, or names in its frontmatter. */
import { describe, expect, it } from 'vitest';
import { meetingIn } from '../../../src/brain/extract/ops/extract.ts';
import { openLoopsIn } from '../../kit/extract.ts';

const MEETING = { sourcePath: 'Meetings/2026-11-16.md' };
const owners = async (text: string, note = MEETING) =>
  (await openLoopsIn(text, note)).map(({ owner }) => owner);

describe('a linked person', () => {
  it.each([
    '- [[Tilda Marsh]] will send the contract',
    '- [[Tilda Marsh|Tilda]] to check the roof',
    '- **[[Tilda Marsh]]** will send the contract',
    '- [ ] [[People/Tilda Marsh|Tilda]] to check the roof',
    '- [[people/tilda-marsh|Tilda Marsh]] will check the roof',
    '- [[Tilda Marsh]] needs to call the baker',
    'TODO: [[Tilda Marsh]] to call the baker',
    '- send the contract (owner: [[Tilda Marsh]])',
    '- [[Tilda Marsh]] kümmert sich um den Vertrag',
    '- [[Tilda Marsh]] soll das Dach prüfen',
    '- [[Tilda Marsh]] prüft das Dach',
    "- [[Tilda Marsh]] s'occupe du contrat",
    '- [[Tilda Marsh]] se encarga del contrato',
  ])('owns what they are going to do: %s', async (line) => {
    expect(await owners(line)).toEqual(['Tilda Marsh']);
  });

  it('may be one of several', async () => {
    expect(await owners('- [[Tilda Marsh]] and [[Omar Haddad|Omar]] will paint the door')).toEqual([
      'Tilda Marsh, Omar Haddad',
    ]);
  });

  it('owns an action item of a meeting', async () => {
    const text =
      'We met.\n\n[[Tilda Marsh|Tilda]] will send the contract.\n\n## Actions\n\n- [[Omar Haddad]] to check the roof\n';
    const { actionItems } = await meetingIn(text, MEETING);
    expect(actionItems.map(({ owner }) => owner)).toEqual(['Tilda Marsh', 'Omar Haddad']);
  });

  it.each([
    '- [[the roof plan]] to be signed',
    '- [[Roof plan]] will be ready soon',
    '- see [[Tilda Marsh]]',
  ])('is not found in: %s', async (line) => {
    expect(await owners(line)).toEqual([]);
  });
});

describe('people in the frontmatter of a note without a date', () => {
  const note = { sourcePath: 'Kitchen talk.md' };

  it.each([
    'attendees: [Tilda Marsh, Omar Haddad]',
    'participants:\n  - "[[Tilda Marsh]]"\n  - Omar Haddad',
    'people: Tilda Marsh, Omar Haddad',
  ])('were there, and own what they promise: %s', async (field) => {
    const text = `---\n${field}\n---\n# Kitchen talk\n\n- Tilda will order the tiles\n`;
    expect(await owners(text, note)).toEqual(['Tilda Marsh']);
    const { meeting, actionItems } = await meetingIn(text, note);
    expect(meeting.attendees).toEqual(['Tilda Marsh', 'Omar Haddad']);
    expect(actionItems.map(({ owner }) => owner)).toEqual(['Tilda Marsh']);
  });

  it('do not count where there are none', async () => {
    const text = '---\npeople: []\n---\n# Kitchen talk\n\n- Tilda will order the tiles\n';
    expect(await owners(text, note)).toEqual([]);
  });
});
