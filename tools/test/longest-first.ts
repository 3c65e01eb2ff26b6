import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take half a minute or more. Started last, they would run alone at the end of their lane. */
const LONG = [
  'create-kubernetes-runtime',
  'acceptance/several-gateways',
  'acceptance/guides',
  'acceptance/backups',
  'acceptance/schedule-restarts',
  'acceptance/disaster-recovery',
  'acceptance/first-run',
  'acceptance/volume-cli',
  'acceptance/front',
  'acceptance/agent-guide',
  'acceptance/slow-services',
  'acceptance/examples',
  'acceptance/agent-echo',
  'acceptance/busy',
  'acceptance/shared-key',
  'acceptance/moved-folders',
  'acceptance/several-servers',
  'acceptance/repositories',
  'faults/processes',
  'faults/kill-during-deploy',
  'faults/move-database',
  'faults/postgres-failover',
  'create-docker-runtime',
  'build/create-cluster-builder',
  'run/cluster-events',
  'build/create-image-builder',
  'deploys/crash',
  'logstore/src/crash',
  'control/src/schedules/schedule-runner',
  'commands/commands',
  'runtime-process/src/networks',
  'sql-host/memory',
  'routes/session',
  'build/build-limits',
  'runtime-docker/src/limits',
  'soffice/open-soffice',
  'plain-user',
  'create-process-runtime',
].map((name) => `${name}.test.ts`);

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONG.findIndex((name) => moduleId.endsWith(name));
  return rank === -1 ? LONG.length : rank;
};

/** Orders long files first, and the others as Vitest does: large files before small ones. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
