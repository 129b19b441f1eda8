/**
 * Completion scripts. Each finds the command that the words before the cursor name, as a path (" mcp servers"), and looks
 * up what may follow it.
 */
import type { CommandNode, FlagNode, Value } from './tree.ts';

interface Place {
  /** Each word after a space; empty for the program itself. */
  readonly path: string;
  readonly node: CommandNode;
}

function places(node: CommandNode, path = ''): Place[] {
  const below = node.commands.flatMap((one) => places(one, `${path} ${one.name}`));
  return [{ path, node }, ...below];
}

/** In single quotes, for the shells whose quoted texts have no escapes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const namesIn = (flags: readonly FlagNode[]) => flags.flatMap(({ names }) => names);
const isWords = (value: Value): value is readonly string[] => typeof value !== 'string';
const commandPaths = (tree: CommandNode) => places(tree).flatMap(({ path }) => path || []);

/** The branches of a `case` over "path flag", for flags that take a value. */
function valueBranches(tree: CommandNode, branch: (value: Value) => string): string {
  const byValue = new Map<string, string[]>();
  for (const { path, node } of places(tree))
    for (const { names, value } of node.flags) {
      if (value === 'none') continue;
      const pattern = names.map((name) => quoted(`${path} ${name}`));
      const action = branch(value);
      byValue.set(action, [...(byValue.get(action) ?? []), ...pattern]);
    }
  return [...byValue].map(([action, patterns]) => `    ${patterns.join('|')}) ${action} ;;`).join('\n');
}

export function bashScript(name: string, tree: CommandNode): string {
  const branches = places(tree).map(({ path, node }) => {
    const words = [...node.commands.map((one) => one.name), ...(isWords(node.argument) ? node.argument : [])];
    const kind = isWords(node.argument) ? 'none' : node.argument;
    return `    ${quoted(path)}) words=${quoted(words.join(' '))} flags=${quoted(namesIn(node.flags).join(' '))} kind=${kind} ;;`;
  });
  return `# Completion of ${name} for bash. In ~/.bashrc:  eval "$(${name} completion bash)"
_${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at='' words='' flags='' kind='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
    ${commandPaths(tree).map(quoted).join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${valueBranches(tree, (value) => (isWords(value) ? `words=${quoted(value.join(' '))} kind=words` : `kind=${value}`))}
    *)
  case "$at" in
${branches.join('\n')}
  esac ;;
  esac
  if [[ $kind != words && -n $flags && $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  local found
  case "$kind" in
    file) compopt -o filenames 2>/dev/null; while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$cur") ;;
    folder) compopt -o filenames 2>/dev/null; while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -d -- "$cur") ;;
  esac
}
complete -F _${name} ${name}
`;
}

/** Texts of `_describe`: a colon ends the word. */
const described = (word: string, description: string) =>
  quoted(`${word.replaceAll(':', '\\:')}:${oneLine(description)}`);

const oneLine = (text: string) => text.replace(/\s+/g, ' ');

export function zshScript(name: string, tree: CommandNode): string {
  const branches = places(tree).map(({ path, node }) => {
    const words = isWords(node.argument) ? node.argument : [];
    const commands = [
      ...node.commands.map((one) => described(one.name, one.description)),
      ...words.map((word) => described(word, '')),
    ];
    const flags = node.flags.flatMap(({ names, description }) =>
      names.map((one) => described(one, description)),
    );
    return `    ${quoted(path)}) commands=(${commands.join(' ')}) flags=(${flags.join(' ')}) kind=${isWords(node.argument) ? 'none' : node.argument} ;;`;
  });
  const action = (value: Value) =>
    isWords(value)
      ? `compadd -- ${value.map(quoted).join(' ')}; return`
      : value === 'folder'
        ? '_files -/; return'
        : value === 'file'
          ? '_files; return'
          : 'return';
  return `#compdef ${name}
# Completion of ${name} for zsh. In ~/.zshrc, after compinit:  eval "$(${name} completion zsh)"
_${name}() {
  local at='' kind='' i
  local -a commands flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
    ${commandPaths(tree).map(quoted).join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${valueBranches(tree, action)}
  esac
  case "$at" in
${branches.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o flag flags
    return
  fi
  (( \${#commands} )) && _describe command commands
  case "$kind" in
    file) _files ;;
    folder) _files -/ ;;
  esac
}
if [ "\${funcstack[1]}" = "_${name}" ]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`;
}

/** fish has escapes in single quotes. */
const inFish = (text: string) => `'${oneLine(text).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export function fishScript(name: string, tree: CommandNode): string {
  const lines = places(tree).flatMap(({ path, node }) => {
    const when = `complete -c ${name} -n ${inFish(`__${name}_at "${path}"`)}`;
    const after = isWords(node.argument)
      ? `-a ${inFish(node.argument.join(' '))}`
      : FISH_PATHS[node.argument];
    return [
      ...(after === undefined ? [] : [`${when} ${after}`]),
      ...node.commands.map((one) => `${when} -a ${one.name} -d ${inFish(one.description)}`),
      ...node.flags.map((flag) => `${when} ${fishFlag(flag)}`),
    ];
  });
  return `# Completion of ${name} for fish:  ${name} completion fish > ~/.config/fish/completions/${name}.fish
function __${name}_at
    set -l at ''
    for word in (commandline -opc)[2..]
        contains -- "$at $word" ${commandPaths(tree).map(inFish).join(' ')}
        and set at "$at $word"
    end
    test "$at" = "$argv[1]"
end
complete -c ${name} -f
${lines.join('\n')}
`;
}

const FISH_PATHS: Readonly<Record<string, string | undefined>> = {
  file: '-F',
  folder: `-a '(__fish_complete_directories)'`,
};

function fishFlag({ names, description, value }: FlagNode): string {
  const parts = names.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`));
  const argument = isWords(value)
    ? `-x -a ${inFish(value.join(' '))}`
    : { none: '', text: '-x', file: '-r -F', folder: `-x -a '(__fish_complete_directories)'` }[value];
  return [...parts, argument, `-d ${inFish(description)}`].filter((part) => part !== '').join(' ');
}

/** PowerShell doubles a quote. */
const inPowershell = (text: string) => `'${oneLine(text).replaceAll("'", "''")}'`;

export function powershellScript(name: string, tree: CommandNode): string {
  const list = (words: readonly string[]) => `@(${words.map(inPowershell).join(', ')})`;
  const commands = places(tree).map(
    ({ path, node }) =>
      `    ${inPowershell(path)} = @{ Words = ${list([
        ...node.commands.map((one) => one.name),
        ...(isWords(node.argument) ? node.argument : []),
      ])}; Flags = ${list(namesIn(node.flags))} }`,
  );
  const values = places(tree).flatMap(({ path, node }) =>
    node.flags.flatMap(({ names, value }) =>
      isWords(value) ? names.map((one) => `    ${inPowershell(`${path} ${one}`)} = ${list(value)}`) : [],
    ),
  );
  return `# Completion of ${name} for PowerShell. In $PROFILE:  ${name} completion powershell | Out-String | Invoke-Expression
# A word for which nothing is offered is completed as a path.
Register-ArgumentCompleter -Native -CommandName ${inPowershell(name)} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = @{
${commands.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $at = ''
  $previous = ''
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete -ne '') { break }
    $previous = $element.ToString()
    if ($commands.ContainsKey("$at $previous")) { $at = "$at $previous" }
  }
  if ($values.ContainsKey("$at $previous")) { $offered = $values["$at $previous"] }
  elseif ($wordToComplete.StartsWith('-')) { $offered = $commands[$at].Flags }
  else { $offered = $commands[$at].Words }
  $offered | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}
