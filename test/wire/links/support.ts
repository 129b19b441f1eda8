export const SEED = {
  'hub.md': '# Hub\n\nSee [[Spoke One]] and [two](sub/two.md).\n',
  'Spoke One.md': '---\naliases: [Erste]\n---\nBack to [[hub]], on to [[sub/two|the second]].\n',
  'sub/two.md': 'On to [[three]]. ![[picture.png]]\n',
  'sub/three.md': '```\n[[hub]]\n```\nThe end.\n',
  'sub/lost.md': 'A typo: [[Spoke Onne]], nothing: [[zzzzqqqq]].\n',
  'alone.md': 'nothing here\n',
  'picture.png': 'png',
  '_trash/2026-01/old.md': '[[hub]] [[gone]]\n',
};
