export const SEED = {
  'all.base': 'views:\n  - type: table\n    name: All\n',
  'a.md': '---\nstatus: open\nprio: 2\ndue: 2026-05-01\nowner: [Ann, Bo]\n---\n[[b]] #work\n',
  'b.md': '---\nstatus: done\nprio: 1\n---\ntext\n',
  'sub/c.md': '---\nstatus: Open\nprio: 10\ndue: 2026-12-24\n---\n#work/home\n',
  'sub/d.md': 'no properties\n',
  '_trash/2026-01/old.md': '---\nstatus: open\n---\n',
};
