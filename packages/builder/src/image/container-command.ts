import { splitElement } from '@berth/runtime';

/** Text that sh reads as one word, as it is. Source: POSIX.1-2017, Shell, 2.2 Quoting. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * A plan's command as the argv of an image, which no one expands: a command that refers to its environment becomes one of a
 * shell that fills the values in, each in its own element, and gives its place to the program.
 */
export function toContainerCommand(argv: readonly string[]): readonly string[] {
  const elements = argv.map(splitElement);
  if (elements.every((parts) => parts.every((part) => part.kind === 'text'))) {
    return elements.map((parts) => parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''));
  }
  const words = elements.map((parts) => {
    const text = parts.map((part) => (part.kind === 'text' ? escapeQuoted(part.text) : `\${${part.name}}`)).join('');
    return `"${text}"`;
  });
  return ['/bin/sh', '-c', `exec ${words.join(' ')}`];
}

/** The same as one line for sh, as RUN takes it. */
export function toShellLine(argv: readonly string[]): string {
  const command = toContainerCommand(argv);
  const [program, flag, line] = command;
  if (program === '/bin/sh' && flag === '-c' && line !== undefined && command.length === 3) return line;
  return command.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

/** Within double quotes only these mean something. Source: POSIX.1-2017, Shell, 2.2.3. */
function escapeQuoted(text: string): string {
  return text.replaceAll(/[\\"$`]/g, '\\$&');
}
