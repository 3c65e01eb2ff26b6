import { lstatSync } from 'node:fs';
import { deploy, postDeploy, readDeployStream } from '../../harness/deploy.ts';
import { uniqueName } from '../../harness/names.ts';
import { greeter } from '../../harness/project-files.ts';
import type { Stage } from '../stage/open-stage.ts';
import { ON_PROCESSES, type OutsideAttempt } from './attempt.ts';

/** Refused wherever services run as processes: what a sandbox shows of the host, what is above or below it, and private places. */
const PROCESS_TARGETS = [
  ...['/usr', '/usr/bin', '/usr/local/bin', '/usr/lib/systemd', '/bin', '/sbin', '/lib', '/lib64', '/nix/store'],
  ...['/etc/cron.d', '/tmp', '/tmp/x', '/run', '/run/berth', '/var', '/var/run', '/var/tmp', '/var/spool/cron'],
  ...['/root', '/root/.ssh', '/home', '/home/user/.ssh', '/boot', '/var/lib', '/USR/bin'],
] as const;

/** Refused everywhere. */
const TARGETS = [
  ...['/', '/proc', '/proc/self', '/sys', '/sys/fs/cgroup', '/dev', '/dev/shm', '/etc'],
  ...['/data/../usr/bin', '/usr/', '//usr/bin', '/usr/./bin', 'usr/bin', '/mnt/a\0b'],
] as const;

const SUB_PATHS = ['..', '../victim', 'a/../../b', '/etc', 'a//b', './a', 'a\0b'] as const;

const targetAttempt = (target: string): OutsideAttempt => ({
  id: `mounts.at-${target.replaceAll('\0', '-nul-').replaceAll('/', '-').replace(/^-/, '') || 'everything'}`,
  tries: `mounts a volume at ${JSON.stringify(target)}`,
  act: (stage) => declare(stage, { [target]: 'targets' }, target),
  control: controlOf,
});

export const MOUNT_ATTEMPTS: readonly OutsideAttempt[] = [
  ...TARGETS.map(targetAttempt),
  ...PROCESS_TARGETS.map((target) => ({ ...targetAttempt(target), in: ON_PROCESSES })),
  ...(['dataFolder', 'workFolder', 'toolFolder'] as const).map(
    (place): OutsideAttempt => ({
      id: `mounts.${place.replace('F', '-f')}`,
      tries: `mounts a volume over the platform's ${place.replace('Folder', ' folder')}`,
      in: ON_PROCESSES,
      act: (stage) => declare(stage, { [places(stage)[place]]: 'targets' }, places(stage)[place]),
      control: controlOf,
    }),
  ),
  ...SUB_PATHS.map(
    (subPath): OutsideAttempt => ({
      id: `mounts.sub-path-${JSON.stringify(subPath).replaceAll(/[^a-z.]+/g, '-')}`,
      tries: `mounts ${JSON.stringify(subPath)} of a volume`,
      act: (stage) => declare(stage, { '/mnt/x': { name: 'targets', sub_path: subPath } }, '/mnt/x'),
      control: controlOf,
    }),
  ),
  ...['../victim', 'a/b', '..', '/etc'].map(
    (name): OutsideAttempt => ({
      id: `mounts.volume-${name.replaceAll('/', '-')}`,
      tries: `mounts a volume named ${name}`,
      act: (stage) => declare(stage, { '/mnt/x': name }, '/mnt/x'),
      control: controlOf,
    }),
  ),
  ...['/usr/bin', '/mnt/free'].map(
    (folder): OutsideAttempt => ({
      id: `mounts.link-in-${folder.slice(1).replaceAll('/', '-')}`,
      tries: `has a link to its volume made in ${folder} of the host`,
      async act(stage) {
        const target = `${folder}-${stage.secrets.prefix}link`;
        const answer = await postDeploy(stage.berth, uniqueName('linker'), {
          files: greeter('linked'),
          key: stage.attacker.deployKey,
          fields: { volumes: JSON.stringify({ [target]: 'targets' }) },
        });
        if (answer.status === 200) await readDeployStream(answer).finish();
        const found = lstatSync(target, { throwIfNoEntry: false });
        return found && `${target} of the host is there, and belongs to ${found.uid}`;
      },
      control: controlOf,
    }),
  ),
];

function places({ berth, facts }: Stage) {
  const toolFolder = facts.marks['toolchain']?.replace(/\/[^/]+$/, '') as string;
  return { dataFolder: berth.dataFolder, toolFolder, workFolder: toolFolder.replace(/\/toolchain$/, '') };
}

/** Evidence unless the deploy is refused at `volumes`, naming what is wrong. */
async function declare({ berth, attacker }: Stage, volumes: object, named: string): Promise<string | undefined> {
  const answer = await postDeploy(berth, uniqueName('mounter'), {
    files: greeter('mounted'),
    key: attacker.deployKey,
    fields: { volumes: JSON.stringify(volumes) },
  });
  if (answer.status !== 200) {
    const text = await answer.text();
    const issue = (JSON.parse(text) as { detail: { loc: readonly string[] }[] }).detail[0];
    const isNamed = issue?.loc.includes('volumes') && text.includes(JSON.stringify(named).slice(1, -1));
    return answer.status === 422 && isNamed ? undefined : `refused with ${answer.status}, but not at volumes: ${text}`;
  }
  const stream = readDeployStream(answer);
  const { deploy_id: id } = await stream.until(() => true);
  await berth.post(`/v1/deploys/${id}/cancel`, {}, { 'X-API-Key': attacker.deployKey });
  return `the deploy was accepted`;
}

async function controlOf({ berth, attacker }: Stage): Promise<string | undefined> {
  const { last } = await deploy(berth, uniqueName('mounter'), {
    files: greeter('mounted'),
    key: attacker.deployKey,
    fields: { volumes: '{"/mnt/allowed":"targets"}' },
  });
  return last.status === 'DONE' ? 'a volume is mounted at /mnt/allowed' : undefined;
}
