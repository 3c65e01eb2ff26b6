import { findIsolationGaps, LAUNCH_CHECK } from '@berth/contract';
import type { Capability } from '@berth/runtime';
import type { OperatorKey } from '../data-folder/operator-key.ts';

/** What is told on standard output once the platform serves. */
export interface BannerOptions {
  readonly version: string;
  readonly apiUrl: string;
  /** What stands before the commands to type; see {@link commandFor}. */
  readonly command: string;
  /** Whether the console is served at the API's address. */
  readonly hasConsole: boolean;
  /** Of the link that makes the first person. */
  readonly firstRunSecret: string | undefined;
  readonly dataFolder: string;
  readonly runtime: string;
  /** Base URL of the admin listener, when there is one. */
  readonly adminUrl: string | undefined;
  readonly operatorKey: OperatorKey;
  /** What the runtime enforces here. */
  readonly protections: readonly Capability[];
  readonly startMs: number;
}

/** Where the `berth` command looks for a server and its key without being told. Source: apps/cli, resolve-target and main. */
export interface CommandDefaults {
  readonly url: string;
  readonly dataFolders: readonly string[];
}

/** The `berth` command that reaches this server and finds its key, with what it has to be told before it. */
export function commandFor(
  server: { readonly localUrl: string; readonly dataFolder: string },
  { url, dataFolders }: CommandDefaults,
): string {
  const variables = [
    ...(server.localUrl === url ? [] : [`BERTH_URL=${server.localUrl}`]),
    ...(dataFolders.includes(server.dataFolder) ? [] : [`BERTH_DATA=${quoteWord(server.dataFolder)}`]),
  ];
  return [...variables, 'npx berth'].join(' ');
}

/** A word as a POSIX shell reads it. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Of what is printed beside the labels. */
const INDENT = ' '.repeat(10);

/** The lines of a start. Everything a newcomer needs next is in them. */
export function banner(options: BannerOptions): string {
  const rows: [string, string][] = [
    ['API', options.apiUrl],
    ['API key', keyLines(options.operatorKey)],
    ['Data', options.dataFolder],
    ['Runtime', options.runtime],
  ];
  if (options.hasConsole) rows.splice(1, 0, ['Console', consoleLines(options)]);
  if (options.adminUrl !== undefined) rows.push(['Metrics', `${options.adminUrl}/metrics`]);
  const launch = options.protections.find(({ id }) => id === LAUNCH_CHECK);
  if (launch) rows.push(['Deploys', [`Refused: ${launch.detail}`, launch.remedy ?? ''].join(`\n  ${INDENT}`)]);
  const gaps = findIsolationGaps(options.protections);
  if (gaps.length > 0) {
    const lines = gaps.map(({ requirement, check }) => `${check?.title ?? requirement.id}: ${requirement.otherwise}`);
    rows.push([
      'Isolation',
      [`Not for strangers (${options.command} doctor says what to do):`, ...lines].join(`\n  ${INDENT}`),
    ]);
  }
  return [
    '',
    `  Berth ${options.version} is running (started in ${Math.round(options.startMs)} ms)`,
    '',
    ...rows.map(([label, value]) => `  ${label.padEnd(INDENT.length)}${value}`),
    '',
    `  Deploy a folder:   ${options.command} deploy ./my-project`,
    '  Stop:              Ctrl-C',
    '',
  ].join('\n');
}

/** The address of the console: while it has nobody who can sign in, the link that makes the first person. */
function consoleLines({ apiUrl, firstRunSecret }: BannerOptions): string {
  if (firstRunSecret === undefined) return apiUrl;
  return `${apiUrl}/first-run#${firstRunSecret}\n  ${INDENT}(creates your account; good once, for a day)`;
}

function keyLines({ secret, file, isGenerated, isChosen, isRevoked }: OperatorKey): string {
  if (isRevoked) {
    const remedy = isChosen ? 'set another BERTH_BOOTSTRAP_KEY' : `delete ${file}`;
    return `revoked (the one in ${file})\n  ${INDENT}For a new one, ${remedy} and start again.`;
  }
  return isGenerated ? `${secret}\n  ${INDENT}(shown this once; kept in ${file})` : `in ${file}`;
}
