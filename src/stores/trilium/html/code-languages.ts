/**
 * Languages of code blocks. Trilium's editor stores a MIME type with dashes in the block's class; its markdown has
 * the highlight.js name. Where several types share a name, one owns it and the others carry their class (```` ```sql
 * language-text-x-mysql ````), so that the round trip is lossless.
 */
const AUTOMATIC = 'text-x-trilium-auto';

/** Types by name. A name without an entry stands for `text-x-<name>`. */
const TYPES: ReadonlyMap<string, string> = new Map(
  (
    'abap dos:application-x-bat brainfuck c:text-x-csrc csharp cpp:text-x-c-src clojure cmake ' +
    'coffeescript:text-coffeescript lisp:text-x-common-lisp crystal css:text-css d dart:application-dart diff ' +
    'django dockerfile ebnf elixir elm erb:application-x-erb erlang fsharp fortran gherkin:text-x-feature go ' +
    'groovy haml haskell haxe html:text-html http:message-http java ' +
    'javascript:application-javascript-env-frontend json:application-json jsx:text-jsx julia kotlin ' +
    'kdl:application-vnd-kdl latex less livescript lua markdown mathematica mermaid:mermaid mips:text-x-asm-mips ' +
    'nix nginx:text-x-nginx-conf nsis objectivec ocaml delphi:text-x-pascal pgsql plaintext:text-plain ' +
    'powershell:application-x-powershell properties protobuf puppet python q r:text-x-rsrc ruby ' +
    'rust:text-x-rustsrc sas scss sh smalltalk:text-x-stsrc sml sql stylus:text-x-styl tcl terraform:text-x-hcl ' +
    'ini:text-x-toml twig typescript:application-typescript vbnet:text-x-vb vbscript:text-vbscript verilog vhdl ' +
    'xml:text-xml xquery:application-xquery yaml'
  )
    .split(' ')
    .map((entry): [string, string] => {
      const [name, type] = entry.split(':') as [string, string?];
      return [name, type ?? `text-x-${name}`];
    }),
);

const NAMES: ReadonlyMap<string, string> = new Map([...TYPES].map(([name, type]) => [type, name]));

/** Types that share the name of another. */
const SHARED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'application-javascript-env-backend': 'javascript',
    'application-ld-json': 'json',
    'application-x-jsp': 'java',
    'text-x-gfm': 'markdown',
    'text-x-mariadb': 'sql',
    'text-x-mssql': 'sql',
    'text-x-mysql': 'sql',
    'text-x-plsql': 'sql',
    'text-x-sqlite': 'sql',
    'text-x-sqlite-schema-trilium': 'sql',
  }),
);

const CLASS = /^language-[\w.+#-]+$/;

/** The class for a fence's info string. Unknown languages get Trilium's automatic detection. */
export function classOfFence(info: string): string {
  const words = info.trim().split(/\s+/);
  const written = words.find((word) => CLASS.test(word));
  return written ?? `language-${TYPES.get(words[0] ?? '') ?? AUTOMATIC}`;
}

/** The info string for a class; undefined if no fence yields this class. */
export function fenceOfClass(className: string): string | undefined {
  if (!CLASS.test(className)) return undefined;
  const type = className.slice('language-'.length);
  if (type === AUTOMATIC) return '';
  const shared = SHARED.get(type);
  return NAMES.get(type) ?? (shared === undefined ? className : `${shared} ${className}`);
}
