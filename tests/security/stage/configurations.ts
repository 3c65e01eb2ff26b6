import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { REPO } from '../../harness/berth.ts';
import { dockerSettings, TEST_ENGINE } from '../../harness/runtime.ts';

export type ConfigurationName = 'root+bubblewrap' | 'plain-user+bubblewrap' | 'docker' | 'root-without-bubblewrap';

/** A way to run the platform, in which all attempts that apply are made. */
export interface Configuration {
  readonly name: ConfigurationName;
  readonly settings: () => Readonly<Record<string, string>>;
  /** The user that the server runs as; root unless given. */
  readonly uid?: number;
  /** Capabilities that `GET /v1/doctor` must call enforced. */
  readonly enforced: readonly string[];
  /**
   * Attempts that get through, and the capability that is not enforced for that reason. `berth doctor` has to name it, and an
   * exception that is none any more fails.
   */
  readonly exceptions: Readonly<Record<string, string>>;
  /** Why it can't be tried on this machine; undefined when it can. */
  lacks(): string | undefined;
}

const PLAIN_USER = 60_107;

/** What accounts that do not trust each other need, by the ids of `GET /v1/doctor`. */
export const STRICT: readonly string[] = [
  'sandbox',
  'network-isolation',
  'metadata-address',
  'user-isolation',
  'syscall-filter',
];

const needsRoot = (): string | undefined =>
  process.getuid?.() === 0 ? undefined : 'the attack suite needs root: it plants files and sockets for attacks to find';
const needsBubblewrap = (): string | undefined => needsRoot() ?? needs('bwrap', 'bubblewrap');
const needs = (program: string, debianPackage: string): string | undefined =>
  ['/usr/bin', '/usr/sbin'].some((folder) => existsSync(`${folder}/${program}`))
    ? undefined
    : `needs ${program}: apt-get install ${debianPackage}`;

export const CONFIGURATIONS: Readonly<Record<ConfigurationName, Configuration>> = {
  'root+bubblewrap': {
    name: 'root+bubblewrap',
    settings: () => ({ BERTH_RUNTIME: 'process' }),
    enforced: STRICT,
    exceptions: {},
    lacks: () => needsBubblewrap() ?? needs('nft', 'nftables'),
  },
  'plain-user+bubblewrap': {
    name: 'plain-user+bubblewrap',
    settings: () => ({ BERTH_RUNTIME: 'process' }),
    uid: PLAIN_USER,
    enforced: STRICT.filter((id) => id !== 'user-isolation'),
    exceptions: {},
    lacks: () =>
      needsBubblewrap() ??
      needs('pasta', 'passt') ??
      (canEveryoneEnter(REPO) ? undefined : `the plain user ${PLAIN_USER} can't read this clone: ${REPO}`),
  },
  docker: {
    name: 'docker',
    settings: dockerSettings,
    enforced: STRICT,
    exceptions: {},
    lacks: () =>
      needsRoot() ??
      (TEST_ENGINE === undefined ? 'needs a Docker engine of its own (docs/guides/docker.md, Tests)' : undefined),
  },
  'root-without-bubblewrap': {
    name: 'root-without-bubblewrap',
    settings: () => ({ BERTH_RUNTIME: 'process', BERTH_ISOLATION: 'none' }),
    enforced: ['user-isolation', 'network-isolation', 'metadata-address'],
    exceptions: {
      'files.etc-open': 'sandbox',
      'files.run-open': 'sandbox',
      'files.tmp-open': 'sandbox',
      'files.srv-open': 'sandbox',
      'files.var-open': 'sandbox',
      'network.open-unix-sockets': 'sandbox',
      'processes.shared-memory': 'sandbox',
      'processes.all-environments': 'sandbox',
      'processes.session-keyring': 'syscall-filter',
      'kernel.uncover': 'sandbox',
      'kernel.leave-root': 'sandbox',
    },
    lacks: needsRoot,
  },
};

function canEveryoneEnter(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o005) === 0o005;
  return isOpen && (dirname(folder) === folder || canEveryoneEnter(dirname(folder)));
}
