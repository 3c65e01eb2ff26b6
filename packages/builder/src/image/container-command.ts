import { splitElement } from '@berth/runtime';

/** Matches text that sh reads unchanged as one word. Source: POSIX.1-2017, Shell, 2.2 Quoting. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Converts a plan's command to the argv of an image, which isn't expanded. A command that refers to its environment
 * becomes a shell command that expands each element separately and then replaces itself with the program.
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

/** Converts a plan's command to one line for sh, for use in RUN. */
export function toShellLine(argv: readonly string[]): string {
  const command = toContainerCommand(argv);
  const [program, flag, line] = command;
  if (program === '/bin/sh' && flag === '-c' && line !== undefined && command.length === 3) return line;
  return command.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

/** Escapes text for use within double quotes. Source: POSIX.1-2017, Shell, 2.2.3. */
function escapeQuoted(text: string): string {
  return text.replaceAll(/[\\"$`]/g, '\\$&');
}
