import { globSync } from 'node:fs';
import path from 'node:path';
import { NO_BROWSER } from '../../packages/agent/src/page/testing/open-browser.ts';
import { findPostgres, NO_POSTGRES } from '../../packages/postgres/src/testing/start-postgres.ts';
import { findAgentFiles, ONE_INSTANCE } from './agent-instances.ts';

/** A group of test files that one vitest process runs. */
export interface Lane {
  readonly name: string;
  readonly include: readonly string[];
  /** Files of `include` that belong to another lane. */
  readonly exclude?: readonly string[];
  /** Maximum files that run at once. Most tests wait as much as they compute, so it exceeds the cores of a small machine. */
  readonly maxWorkers: number;
  readonly testTimeoutMs: number;
  /** Workers keep their modules from file to file. Loading them again for each file is a third of the time of small tests. */
  readonly isSharing?: boolean;
  /** Environment variables of its tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Run once before its workers start, in the process that starts them. */
  readonly globalSetup?: string;
  /** Files that are left out, and why. */
  readonly leftOut?: Readonly<Record<string, string>>;
  /** Returns why it can't run on this machine; undefined when it can. */
  lacks?(): string | undefined;
}

const toAcceptance = (name: string) => `tests/acceptance/${name}.test.ts`;

/** What meets the runtime: how projects are built, started, fed, bounded and ended. */
const ON_DOCKER = [
  'builds',
  'busy',
  'capacity',
  'concurrent-deploys',
  'deploy-stream',
  'deployments',
  'dockerfiles',
  'examples',
  'exec',
  'gateway',
  'git-push',
  'repositories',
  'isolation',
  'logs',
  'metrics',
  'misbehaving-apps',
  'protocols',
  'proxy',
  'resource-metrics',
  'suspend',
  'volumes',
  'zero-downtime',
].map(toAcceptance);

/** The paths that differ on a cluster. All of {@link ON_DOCKER} can run there: `BERTH_RUNTIME=kubernetes`. */
const ON_KUBERNETES = ['move-to-cluster', 'several-gateways', 'volumes'].map(toAcceptance);

/** Tests of the drivers for a cluster, which do nothing without one. */
const OF_CLUSTER = ['build/create-cluster-builder', 'create-kubernetes-runtime', 'run/cluster-events'].map(
  (name) => `packages/runtime-kubernetes/src/${name}.test.ts`,
);
const lacksCluster = () =>
  process.env['KUBECONFIG'] && process.env['BERTH_TEST_REGISTRY']
    ? undefined
    : 'by design: runs on the cluster of KUBECONFIG (docs/guides/kubernetes.md, Tests)';

/** What may depend on how the platform is spread over processes; the rest can't tell. */
const ON_WORKERS = [
  'authentication',
  'busy',
  'capacity',
  'deploy-stream',
  'gateway',
  'logs',
  'misbehaving-apps',
  'protocols',
  'traffic',
  'upload',
  'zero-downtime',
].map(toAcceptance);

const hasPostgres = findPostgres() !== undefined;
const hasEngine = process.env['BERTH_TEST_ENGINE'] !== undefined;

/** One Postgres for the tests of a lane, and its database in place of SQLite for their servers. */
const SHARED_POSTGRES = 'packages/database/src/testing/start-shared-postgres.ts';
/** The lanes on containers and on workers run on Postgres too where it is there, so that no file runs twice for it. */
const onPostgres = hasPostgres ? { globalSetup: SHARED_POSTGRES } : {};
const lacksPostgres = () => (hasPostgres ? undefined : NO_POSTGRES);

/**
 * Acceptance tests of what is in the database, besides those that the lanes on containers and on workers run on Postgres. The lane
 * `stores-postgres` tests every query. Agents, certificates, forms, the disk, ports and paths of volumes do not depend on the database.
 */
const ON_POSTGRES = [
  'backups',
  'billing',
  'cli',
  'environments',
  'min-instances',
  'schedule-restarts',
  'schedules',
  'shared-key',
  'sql',
  'tenancy',
].map(toAcceptance);

/** Tests that start a Postgres of their own, of files that a Postgres takes the place of, and of packages. */
const NEVER_ON_POSTGRES = [
  'data-folder',
  'disaster-recovery',
  'install',
  'moved-folders',
  'service',
  'several-servers',
  'shared-folder',
];

/** Returns the files of the lane `acceptance-postgres`: with BERTH_TEST_WHOLE=true, all that can run on Postgres. */
function findOnPostgres(): readonly string[] {
  if (process.env['BERTH_TEST_WHOLE'] === 'true') {
    const never = new Set(NEVER_ON_POSTGRES.map(toAcceptance));
    const all = globSync('tests/acceptance/*.test.ts', { cwd: path.join(import.meta.dirname, '../..') });
    return all.filter((file) => !never.has(file)).sort();
  }
  return hasEngine ? ON_POSTGRES : [...new Set([...ON_POSTGRES, ...ON_DOCKER])];
}

/** Every test file of the repo lies in one of these; those of `acceptance` run on processes, and those that can tell also on containers and over several processes. */
export const LANES: readonly Lane[] = [
  {
    name: 'unit',
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: OF_CLUSTER,
    maxWorkers: 3,
    testTimeoutMs: 60_000,
    isSharing: true,
  },
  { name: 'kubernetes', include: OF_CLUSTER, maxWorkers: 3, testTimeoutMs: 60_000, lacks: lacksCluster },
  {
    // The gateway's tests over real sockets again, served through a worker and its core.
    name: 'gateway-workers',
    include: [
      'compose/create-gateway.wire',
      'front/create-front-server.wire',
      'front/settle-target.wire',
      'headers/cookie-guard.wire',
      'instances/readiness.wire',
      'proxy/exchange-endings.wire',
      'proxy/exchange.wire',
      'proxy/open-tunnel.wire',
      'proxy/timeout-grant',
    ].map((name) => `packages/gateway/src/${name}.test.ts`),
    maxWorkers: 3,
    testTimeoutMs: 60_000,
    isSharing: true,
    env: { BERTH_TEST_WIRE: 'worker' },
  },
  {
    // Everything that a test asks an agent over its address, asked of two instances in turn.
    name: 'agent-instances',
    include: findAgentFiles(),
    maxWorkers: 3,
    testTimeoutMs: 60_000,
    isSharing: true,
    globalSetup: 'packages/agent/src/testing/start-shared-postgres.ts',
    leftOut: ONE_INSTANCE,
    lacks: lacksPostgres,
  },
  {
    // Every store of the control plane again, and what is built on it.
    name: 'stores-postgres',
    include: ['accounts', 'control', 'mail'].map((name) => `packages/${name}/src/**/*.test.ts`),
    maxWorkers: 3,
    testTimeoutMs: 60_000,
    isSharing: true,
    globalSetup: SHARED_POSTGRES,
    lacks: lacksPostgres,
  },
  {
    // One more than the other lanes: some of it only waits, for minutes of the clock and for services that never listen.
    name: 'acceptance',
    include: ['tests/acceptance/**/*.test.ts'],
    maxWorkers: 4,
    testTimeoutMs: 180_000,
  },
  {
    // With the next two lanes: what the database decides. `BERTH_TEST_WHOLE=true npm test -- acceptance-postgres` runs the rest, too.
    name: 'acceptance-postgres',
    include: findOnPostgres(),
    maxWorkers: 4,
    testTimeoutMs: 180_000,
    globalSetup: SHARED_POSTGRES,
    lacks: lacksPostgres,
  },
  {
    name: 'acceptance-docker',
    include: ON_DOCKER,
    maxWorkers: 3,
    testTimeoutMs: 180_000,
    env: { BERTH_RUNTIME: 'docker' },
    ...onPostgres,
    lacks: () => (hasEngine ? undefined : 'needs a Docker engine of its own (docs/guides/docker.md, Tests)'),
  },
  {
    // On the cluster of KUBECONFIG. Services start in seconds there, and a new account's first build has to fetch its base image.
    name: 'acceptance-kubernetes',
    include: ON_KUBERNETES,
    maxWorkers: 2,
    testTimeoutMs: 240_000,
    env: { BERTH_RUNTIME: 'kubernetes' },
    ...onPostgres,
    lacks: () => lacksCluster() ?? lacksPostgres(),
  },
  {
    name: 'acceptance-workers',
    include: ON_WORKERS,
    maxWorkers: 3,
    testTimeoutMs: 180_000,
    env: { BERTH_GATEWAY_WORKERS: '2' },
    ...onPostgres,
  },
  {
    // The built pages in Chromium: one server and one browser for all files.
    name: 'browser',
    include: ['tests/browser/**/*.test.ts'],
    maxWorkers: 2,
    testTimeoutMs: 90_000,
    globalSetup: 'tests/browser/harness/start-shared-platform.ts',
    lacks: () => NO_BROWSER,
  },
  {
    // Attacks on the whole platform, once for each way to run it.
    name: 'security',
    include: ['tests/security/**/*.test.ts'],
    maxWorkers: 2,
    testTimeoutMs: 60_000,
  },
  // They wait for restarts more than they work.
  { name: 'faults', include: ['tests/faults/**/*.test.ts'], maxWorkers: 4, testTimeoutMs: 180_000 },
  // Reads the sources of all the others, so it comes last.
  { name: 'conformance', include: ['tests/conformance/**/*.test.ts'], maxWorkers: 1, testTimeoutMs: 60_000 },
];
