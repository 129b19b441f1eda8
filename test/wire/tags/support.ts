export const SEED = {
  'a.md': '---\ntags: [project/home, Urgent]\n---\ntext #idea\n',
  'b.md': '---\ntags:\n  - project\n---\n#urgent and #idea/small\n',
  'sub/c.md': 'only #project/work here, `#nothing`\n',
  'sub/d.md': 'no tags\n',
  '_trash/2026-01/old.md': '#gone #project\n',
};
