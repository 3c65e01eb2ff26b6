import { escapeElement } from '@berth/runtime';

/** A parsed command line. `needsShell`: the line uses more shell syntax than words, quotes and `$NAME`. */
export type ParsedCommand =
  | { readonly kind: 'argv'; readonly argv: readonly string[] }
  | { readonly kind: 'needsShell' }
  | { readonly kind: 'invalid'; readonly problem: string };

/**
 * Characters with a special meaning outside quotes. Source: POSIX.1-2017, Shell Command Language 2.2, 2.6, 2.7, 2.13.
 */
const OPERATORS = new Set('&|;<>()`\n*?[{}');
/** Builtins and reserved words, which aren't programs. Source: POSIX.1-2017, Shell Command Language 2.4, 2.14, 1.7. */
const SHELL_WORDS = new Set(
  '. : ! alias bg break case cd command continue do done elif else esac eval exec exit export fi fg for getopts hash if jobs read readonly return set shift source then times trap type ulimit umask unalias unset until wait while'.split(
    ' ',
  ),
);
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const NAME_REFERENCE = /^\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})/;

/**
 * Splits a line as sh does, into elements for `expandCommand`: references to the environment are kept, and every other
 * `$` is escaped. Lines with further shell syntax are not split. One difference is intentional: the value of an
 * unquoted reference is neither split at spaces nor dropped when empty.
 */
export function parseCommand(line: string): ParsedCommand {
  const argv: string[] = [];
  let word: string | undefined;
  let at = 0;
  const rest = () => line.slice(at);

  while (at < line.length) {
    const char = line[at] ?? '';
    if (char === ' ' || char === '\t' || char === '\r') {
      if (word !== undefined) argv.push(word);
      word = undefined;
      at++;
    } else if (char === "'") {
      const end = line.indexOf("'", at + 1);
      if (end < 0) return { kind: 'invalid', problem: 'a quote is not closed' };
      word = (word ?? '') + escapeElement(line.slice(at + 1, end));
      at = end + 1;
    } else if (char === '"') {
      const quoted = parseDoubleQuoted(line, at + 1);
      if (quoted.kind !== 'text') return quoted;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      if (at + 1 >= line.length) return { kind: 'invalid', problem: 'it ends in a backslash' };
      if (line[at + 1] === '\n') return { kind: 'needsShell' };
      word = (word ?? '') + escapeElement(line[at + 1] ?? '');
      at += 2;
    } else if (char === '$') {
      const reference = parseDollar(rest());
      if (reference === undefined) return { kind: 'needsShell' };
      word = (word ?? '') + reference.element;
      at += reference.length;
    } else if (OPERATORS.has(char) || (word === undefined && (char === '#' || char === '~'))) {
      return { kind: 'needsShell' };
    } else {
      if (argv.length === 0 && word === undefined && ASSIGNMENT.test(rest())) return { kind: 'needsShell' };
      word = (word ?? '') + char;
      at++;
    }
  }
  if (word !== undefined) argv.push(word);
  const [program] = argv;
  if (program === undefined || program === '') return { kind: 'invalid', problem: 'it is empty' };
  return SHELL_WORDS.has(program) ? { kind: 'needsShell' } : { kind: 'argv', argv };
}

type Quoted = { readonly kind: 'text'; readonly text: string; readonly end: number };

function parseDoubleQuoted(line: string, start: number): Quoted | ParsedCommand {
  let text = '';
  let at = start;
  while (at < line.length) {
    const char = line[at] ?? '';
    if (char === '"') return { kind: 'text', text, end: at + 1 };
    if (char === '`') return { kind: 'needsShell' };
    if (char === '\\' && '"\\$`'.includes(line[at + 1] ?? 'none')) {
      text += escapeElement(line[at + 1] ?? '');
      at += 2;
    } else if (char === '\\' && line[at + 1] === '\n') {
      return { kind: 'needsShell' };
    } else if (char === '$') {
      const reference = parseDollar(line.slice(at));
      if (reference === undefined) return { kind: 'needsShell' };
      text += reference.element;
      at += reference.length;
    } else {
      text += char;
      at++;
    }
  }
  return { kind: 'invalid', problem: 'a quote is not closed' };
}

/** Parses the text after a `$`: a reference, a literal `$`, or (undefined) syntax that needs a shell. */
function parseDollar(text: string): { readonly element: string; readonly length: number } | undefined {
  const name = NAME_REFERENCE.exec(text)?.[0];
  if (name !== undefined) return { element: name, length: name.length };
  return /^\$(?:[ \t\r\n"/,.:=%+\\]|$)/.test(text) ? { element: '$$', length: 1 } : undefined;
}
