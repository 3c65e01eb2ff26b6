import { createError } from '@berth/contract';
import { adaptMount } from './adapt-mount.ts';
import { type DockerfilePart, type Heredoc, readDockerfile } from './read-dockerfile.ts';

/** A Dockerfile for the classic builder of engines. */
export interface AdaptedDockerfile {
  readonly text: string;
  /** Additional files that it copies: path in the context to content. */
  readonly extra: Readonly<Record<string, string>>;
  /** Files of the context whose mode changes. */
  readonly modes: readonly FileMode[];
  /** Differences from BuildKit's behavior, as sentences. */
  readonly notices: readonly string[];
}

/** A mode set by `COPY --chmod`. */
export interface FileMode {
  /**
   * Path or pattern for `path.matchesGlob`, relative to the context; `.` for all files. A folder means everything in
   * it.
   */
  readonly pattern: string;
  readonly mode: number;
}

/** Folder in the context for the heredocs of COPY. */
const HEREDOC_FOLDER = '.berth-heredocs';
const DEFAULT_SHELL: readonly string[] = ['/bin/sh', '-c'];
const FLAG = /^--([a-z-]+)(?:=((?:"[^"]*"|'[^']*'|\S)*))?\s*/;

/**
 * Rewrites syntax that only BuildKit supports for the classic builder, so that the limits on builds still apply:
 * heredocs, `RUN --mount`, `COPY --link` and `--chmod`, and the platform arguments. Other Dockerfiles stay unchanged.
 * @param platform of the engine, such as `linux/amd64`.
 * @throws BerthError `build_failed` that names an instruction without an equivalent, and what to write instead.
 */
export function adaptDockerfile(text: string, platform: string): AdaptedDockerfile {
  const parts = readDockerfile(text);
  const extra: Record<string, string> = {};
  const modes: FileMode[] = [];
  const notices = new Set<string>();
  const [os = '', architecture = '', variant = ''] = platform.split('/');
  const known: Readonly<Record<string, string>> = Object.fromEntries(
    ['BUILD', 'TARGET'].flatMap((side) => [
      [`${side}PLATFORM`, platform] as const,
      [`${side}OS`, os] as const,
      [`${side}ARCH`, architecture] as const,
      [`${side}VARIANT`, variant] as const,
    ]),
  );
  let shell = DEFAULT_SHELL;

  const addHeredoc = ({ name, isLiteral, body }: Heredoc, shown: string) => {
    const path = `${HEREDOC_FOLDER}/${Object.keys(extra).length}/${name}`;
    extra[path] = isLiteral ? body : withoutVariables(body, name, shown);
    return path;
  };

  const adapt = (part: DockerfilePart): readonly string[] => {
    const { source, keyword, rest, heredocs, heredocLines } = part;
    switch (keyword) {
      case 'FROM':
        shell = DEFAULT_SHELL;
        return [source.replace(/--platform=["']?\$\{?(?:BUILD|TARGET)PLATFORM\}?["']?\s+/i, '')];
      case 'ARG':
        return [adaptArgument(part, known)];
      case 'SHELL':
        shell = parseWords(rest) ?? shell;
        return [source];
      case 'RUN': {
        const { flags, words } = readFlags(rest);
        if (flags.length === 0 && heredocs.length === 0) return [source];
        const shown = `RUN ${rest.slice(0, 120)}`;
        const mounted = flags.flatMap((flag) => adaptRunFlag(flag, shown, notices));
        return [...mounted, runLine(words, heredocs, heredocLines, shell)];
      }
      case 'COPY':
      case 'ADD': {
        const { flags, words } = readFlags(rest);
        const chmod = flags.find(({ name }) => name === 'chmod');
        const isAdapted = heredocs.length > 0 || flags.some(({ name }) => name === 'link' || name === 'chmod');
        if (!isAdapted) return [source];
        const shown = `${keyword} ${rest.slice(0, 120)}`;
        const paths = parseWords(words) ?? words.split(/\s+/).filter((word) => word !== '');
        const target = paths.at(-1) ?? '';
        let heredoc = 0;
        const sources = paths.slice(0, -1).map((path) => {
          const text = /^\d*<<-?["']?[A-Za-z_]/.test(path) ? heredocs[heredoc++] : undefined;
          return text === undefined ? path : addHeredoc(text, shown);
        });
        if (chmod) modes.push(...adaptChmod(chmod.value, sources, flags, shown));
        const kept = flags.filter(({ name }) => name !== 'link' && name !== 'chmod');
        return [`${keyword} ${[...kept.map(toText), JSON.stringify([...sources, target])].join(' ')}`];
      }
      default:
        return [source];
    }
  };
  const lines = parts.flatMap((part) => adapt(part));
  return { text: lines.join('\n'), extra, modes, notices: [...notices] };
}

interface Flag {
  readonly name: string;
  readonly value: string;
}

const toText = ({ name, value }: Flag) => (value === '' ? `--${name}` : `--${name}=${value}`);

function readFlags(rest: string): { readonly flags: readonly Flag[]; readonly words: string } {
  const flags: Flag[] = [];
  let words = rest.trimStart();
  for (let found = FLAG.exec(words); found !== null; found = FLAG.exec(words)) {
    flags.push({ name: found[1] ?? '', value: (found[2] ?? '').replaceAll(/["']/g, '') });
    words = words.slice(found[0].length);
  }
  return { flags, words };
}

/** Checks a flag of RUN. @returns the instructions that replace the flag, to be placed before the RUN. */
function adaptRunFlag(flag: Flag, shown: string, notices: Set<string>): string[] {
  if (flag.name === 'mount') {
    const { before, notice } = adaptMount(flag.value, shown);
    if (notice !== undefined) notices.add(notice);
    return before === undefined ? [] : [before];
  }
  if (flag.name === 'network' && flag.value === 'default') return [];
  if (flag.name === 'security' && flag.value === 'sandbox') return [];
  throw createError('build_failed', `${shown}: ${toText(flag)} is not supported. Remove it.`);
}

/** Returns a RUN without flags. Heredocs become part of the shell's script. */
function runLine(words: string, heredocs: readonly Heredoc[], lines: string, shell: readonly string[]): string {
  const [only] = heredocs;
  if (only === undefined) return `RUN ${words}`;
  const isScript = heredocs.length === 1 && /^\d*<<-?["']?[\w.-]+["']?\s*$/.test(words);
  if (!isScript) return `RUN ${JSON.stringify([...shell, `${words}\n${lines}\n`])}`;
  if (!only.body.startsWith('#!')) return `RUN ${JSON.stringify([...shell, only.body])}`;
  // A script with its own interpreter line is written to a file and run.
  const run = 'f=$(mktemp) && printf %s "$1" > "$f" && chmod +x "$f" && "$f"; code=$?; rm -f "$f"; exit $code';
  return `RUN ${JSON.stringify([...DEFAULT_SHELL, run, 'sh', only.body])}`;
}

/**
 * Returns the text without escapes. BuildKit expands variables, but the classic builder copies the text unchanged, so
 * variables are refused.
 */
function withoutVariables(body: string, name: string, shown: string): string {
  if (/(?<!\\)\$[\w{]/.test(body)) {
    throw createError(
      'build_failed',
      `${shown}: variables in the text of COPY <<${name} are not filled in here. Quote the delimiter (<<'${name}') where the text is meant as it is, or write the file with RUN cat <<${name} > FILE.`,
    );
  }
  return body.replaceAll('\\$', '$');
}

/** Gives platform arguments the values that BuildKit sets if they are declared without one. */
function adaptArgument({ source, rest }: DockerfilePart, known: Readonly<Record<string, string>>): string {
  const names = rest.trim().split(/\s+/);
  if (names.every((name) => !Object.hasOwn(known, name))) return source;
  return `ARG ${names.map((name) => (Object.hasOwn(known, name) ? `${name}=${known[name]}` : name)).join(' ')}`;
}

function adaptChmod(value: string, sources: readonly string[], flags: readonly Flag[], shown: string): FileMode[] {
  const refuse = (why: string) => createError('build_failed', `${shown}: ${why} Use COPY and RUN chmod.`);
  if (!/^0?[0-7]{3,4}$/.test(value)) throw refuse(`--chmod=${value} must be an octal mode.`);
  if (flags.some(({ name }) => name === 'from')) throw refuse("--chmod can't be combined with --from.");
  if (sources.some((source) => source.includes('$'))) throw refuse("--chmod can't be combined with variables.");
  const mode = Number.parseInt(value, 8);
  return sources.map((source) => ({ pattern: source.replace(/^(\.?\/)+/, '').replace(/\/$/, '') || '.', mode }));
}

/** Parses the JSON form of an instruction; returns undefined for any other form. */
function parseWords(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined;
  } catch {
    return undefined;
  }
}
