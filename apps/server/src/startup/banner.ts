import { findIsolationGaps, LAUNCH_CHECK } from '@berth/contract';
import type { Capability } from '@berth/runtime';
import type { OperatorKey } from '../data-folder/operator-key.ts';

/** Content of the start message. */
export interface BannerOptions {
  readonly version: string;
  readonly apiUrl: string;
  /** The command to type, from {@link commandFor}. */
  readonly command: string;
  /** True when the console is served at the API's address. */
  readonly hasConsole: boolean;
  /** Secret of the link that creates the first account. */
  readonly firstRunSecret: string | undefined;
  /** The file with that link, for output that is kept, such as systemd's journal. No secret is printed then. */
  readonly firstRunFile?: string;
  readonly dataFolder: string;
  readonly runtime: string;
  /** Base URL of the admin listener, when there is one. */
  readonly adminUrl: string | undefined;
  readonly operatorKey: OperatorKey | undefined;
  /** Isolation that the runtime enforces on this machine. */
  readonly protections: readonly Capability[];
  readonly startMs: number;
}

/** Where the `berth` command looks for a server and its key by default. Source: `apps/cli/src/config/resolve-target.ts` and `apps/cli/src/main.ts`. */
export interface CommandDefaults {
  readonly url: string;
  readonly dataFolders: readonly string[];
}

/** Returns the `berth` command that reaches this server and finds its key, with the variables it needs in front. */
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

/** Quotes a word for a POSIX shell. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Aligns lines with the text beside the labels. */
const INDENT = ' '.repeat(10);

/** Returns the message that a start prints: everything a newcomer needs next. */
export function banner(options: BannerOptions): string {
  const rows: [string, string][] = [
    ['API', options.apiUrl],
    ['API key', keyLines(options.operatorKey, options.firstRunFile === undefined)],
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
    `  Deploy a folder:   ${options.operatorKey ? '' : 'BERTH_API_KEY=berth_… '}${options.command} deploy ./my-project`,
    '  Stop:              Ctrl-C',
    '',
  ].join('\n');
}

/** Returns the console's address, or the link that creates the first account until there is one. */
function consoleLines({ apiUrl, firstRunSecret, firstRunFile }: BannerOptions): string {
  if (firstRunSecret === undefined) return apiUrl;
  if (firstRunFile !== undefined) return `${apiUrl}\n  ${INDENT}(the link in ${firstRunFile} creates your account)`;
  return `${apiUrl}/first-run#${firstRunSecret}\n  ${INDENT}(creates your account; works once, within a day)`;
}

function keyLines(key: OperatorKey | undefined, isSecretShown: boolean): string {
  if (key === undefined) {
    return `none on this server, which joined others\n  ${INDENT}(use a key of your account; BERTH_BOOTSTRAP_KEY sets one for all servers)`;
  }
  const { secret, file, isGenerated, isChosen, isRevoked } = key;
  if (isRevoked) {
    const remedy = isChosen ? 'set another BERTH_BOOTSTRAP_KEY' : `delete ${file}`;
    return `revoked (the one in ${file})\n  ${INDENT}For a new one, ${remedy} and start again.`;
  }
  return isGenerated && isSecretShown ? `${secret}\n  ${INDENT}(shown only once; stored in ${file})` : `in ${file}`;
}
