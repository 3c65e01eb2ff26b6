import { createError } from '@berth/contract';

/** Text that stands in a Dockerfile below an instruction. Source: docs.docker.com/reference/dockerfile, Here-documents. */
export interface Heredoc {
  readonly name: string;
  /** The delimiter is quoted: the builder fills no variables in. */
  readonly isLiteral: boolean;
  /** With a line feed after each line; tabs that `<<-` drops are dropped. */
  readonly body: string;
}

/** A part of a Dockerfile: one instruction, or a line that is none (blank, comment, directive). */
export interface DockerfilePart {
  /** As it stands there, without the line feed after it. */
  readonly source: string;
  /** Upper case; undefined for a line without an instruction. */
  readonly keyword?: string;
  /** What follows the keyword on its joined line. */
  readonly rest: string;
  readonly heredocs: readonly Heredoc[];
  /** The lines of the heredocs with their ends, as they stand there. */
  readonly heredocLines: string;
}

/** Instructions that take heredocs. */
const WITH_HEREDOCS = new Set(['RUN', 'COPY', 'ADD']);
/** A word of its own. Source: moby/buildkit frontend/dockerfile/parser, reHeredoc. */
const HEREDOC = /(?:^|\s)\d*<<(-?)(["']?)([A-Za-z_][\w.-]*)\2(?=\s|$)/g;

/**
 * The parts of a Dockerfile as BuildKit's parser sees them, in order. What this reads wrongly can't reach anything by it: what is built
 * is checked after it was adapted.
 * @throws BerthError `build_failed` for a heredoc without an end.
 */
export function readDockerfile(text: string): DockerfilePart[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const escapeCharacter = findEscape(lines);
  const parts: DockerfilePart[] = [];
  for (let at = 0; at < lines.length; at++) {
    const first = at;
    let line = lines[at] ?? '';
    if (isNoInstruction(line)) {
      parts.push({ source: line, rest: '', heredocs: [], heredocLines: '' });
      continue;
    }
    let joined = '';
    for (;;) {
      const continued = withoutEscape(line, escapeCharacter);
      joined += continued ?? line;
      if (continued === undefined || at + 1 >= lines.length) break;
      // Blank lines and comments in the middle of an instruction are no part of it.
      do line = lines[++at] ?? '';
      while (at + 1 < lines.length && isNoInstruction(line));
    }
    const [, word = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(joined) ?? [];
    const keyword = word.toUpperCase();
    const heredocs: Heredoc[] = [];
    const last = at;
    if (WITH_HEREDOCS.has(keyword)) {
      for (const { isStripped, isLiteral, name } of findHeredocs(rest)) {
        const end = lines.findIndex((each, index) => index > at && strip(each, isStripped) === name);
        if (end < 0) throw createError('build_failed', `The Dockerfile has no line "${name}" that ends <<${name}.`);
        const body = lines.slice(at + 1, end).map((each) => `${strip(each, isStripped)}\n`);
        heredocs.push({ name, isLiteral, body: body.join('') });
        at = end;
      }
    }
    const heredocLines = lines.slice(last + 1, at + 1).join('\n');
    parts.push({ source: lines.slice(first, at + 1).join('\n'), keyword, rest, heredocs, heredocLines });
  }
  return parts;
}

const isNoInstruction = (line: string) => /^\s*(#|$)/.test(line);
const strip = (line: string, isStripped: boolean) => (isStripped ? line.replace(/^\t+/, '') : line);

/** Directives stand before everything else. */
function findEscape(lines: readonly string[]): string {
  for (const line of lines) {
    const [, name, value] = /^\s*#\s*(\w+)\s*=\s*(\S+)/.exec(line) ?? [];
    if (name === undefined) return '\\';
    if (name.toLowerCase() === 'escape') return value === '`' ? '`' : '\\';
  }
  return '\\';
}

/** A line without the escape character it ends in; undefined when it ends in none. */
function withoutEscape(line: string, escapeCharacter: string): string | undefined {
  const trimmed = line.trimEnd();
  return trimmed.endsWith(escapeCharacter) ? trimmed.slice(0, -1) : undefined;
}

function findHeredocs(rest: string) {
  return [...rest.matchAll(HEREDOC)]
    .filter(({ index }) => !isQuoted(rest, index))
    .map(([, dash, quote, name = '']) => ({ isStripped: dash === '-', isLiteral: quote !== '', name }));
}

/** Whether a place in a line is between quotes. */
function isQuoted(line: string, at: number): boolean {
  let quote = '';
  for (let i = 0; i < at; i++) {
    const char = line[i] ?? '';
    if (char === '\\' && quote !== "'") i++;
    else if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = '';
  }
  return quote !== '';
}
