import { createError } from '@berth/contract';

/** A here-document below a Dockerfile instruction. Source: docs.docker.com/reference/dockerfile, Here-documents. */
export interface Heredoc {
  readonly name: string;
  /** True if the delimiter is quoted, so that the builder doesn't expand variables. */
  readonly isLiteral: boolean;
  /** The text, with a line feed after each line and without the leading tabs that `<<-` removes. */
  readonly body: string;
}

/** A part of a Dockerfile: an instruction, or a line without one (blank, comment, directive). */
export interface DockerfilePart {
  /** The original text, without the final line feed. */
  readonly source: string;
  /** The keyword in upper case; undefined for a line without an instruction. */
  readonly keyword?: string;
  /** The rest of the instruction after the keyword, with continued lines joined. */
  readonly rest: string;
  readonly heredocs: readonly Heredoc[];
  /** The original lines of the heredocs, including the delimiters that end them. */
  readonly heredocLines: string;
}

/** Instructions that support heredocs. */
const WITH_HEREDOCS = new Set(['RUN', 'COPY', 'ADD']);
/** Matches a heredoc operator as a word of its own. Source: moby/buildkit frontend/dockerfile/parser, reHeredoc. */
const HEREDOC = /(?:^|\s)\d*<<(-?)(["']?)([A-Za-z_][\w.-]*)\2(?=\s|$)/g;

/**
 * Returns the parts of a Dockerfile in order, as BuildKit's parser reads them. A misread part can't bypass a check: the
 * adapted Dockerfile is checked afterwards.
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
      // Blank lines and comments inside an instruction don't belong to it.
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

/** Returns the escape character. Directives must come before everything else. */
function findEscape(lines: readonly string[]): string {
  for (const line of lines) {
    const [, name, value] = /^\s*#\s*(\w+)\s*=\s*(\S+)/.exec(line) ?? [];
    if (name === undefined) return '\\';
    if (name.toLowerCase() === 'escape') return value === '`' ? '`' : '\\';
  }
  return '\\';
}

/** Returns a line without its final escape character; undefined if it has none. */
function withoutEscape(line: string, escapeCharacter: string): string | undefined {
  const trimmed = line.trimEnd();
  return trimmed.endsWith(escapeCharacter) ? trimmed.slice(0, -1) : undefined;
}

function findHeredocs(rest: string) {
  return [...rest.matchAll(HEREDOC)]
    .filter(({ index }) => !isQuoted(rest, index))
    .map(([, dash, quote, name = '']) => ({ isStripped: dash === '-', isLiteral: quote !== '', name }));
}

/** Reports whether a position in a line is inside quotes. */
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
