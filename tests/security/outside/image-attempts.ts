import { spawnSync } from 'node:child_process';
import { deploy } from '../../harness/deploy.ts';
import { uniqueName } from '../../harness/names.ts';
import type { ProjectFiles } from '../../harness/project-files.ts';
import type { Stage } from '../stage/open-stage.ts';
import type { OutsideAttempt } from './attempt.ts';

const BASE = 'berth-base/node';

/** The victim's image as the engine knows it: its name, its id, and its id cut off. */
interface Image {
  readonly name: string;
  readonly id: string;
}

/** Dockerfiles of the attacker's. Each prints secrets that it got at. */
const DOCKERFILES: Readonly<Record<string, (image: Image, stage: Stage) => string>> = {
  'from-name': ({ name }) => `FROM ${name}\n${SHOW}`,
  'from-id': ({ id }) => `FROM sha256:${id}\n${SHOW}`,
  'from-bare-id': ({ id }) => `FROM ${id}\n${SHOW}`,
  'from-short-id': ({ id }) => `FROM ${id.slice(0, 12)}\n${SHOW}`,
  'from-host-spelled': ({ name }) => `FROM docker.io/${name}\n${SHOW}`,
  'from-library-spelled': ({ name }) => `FROM index.docker.io/${name}\n${SHOW}`,
  'from-digest': ({ name, id }) => `FROM ${name}@sha256:${id}\n${SHOW}`,
  'from-argument': ({ name }) => `ARG IMAGE=${name}\nFROM $IMAGE\n${SHOW}`,
  'from-argument-with-default': ({ name }) => `ARG IMAGE\nFROM \${IMAGE:-${name}}\n${SHOW}`,
  'from-lower-case': ({ name }) => `from ${name} as victim\n${SHOW}`,
  'from-continued': ({ name }) => `FROM \\\n  ${name}\n${SHOW}`,
  'from-escaped': ({ name }) => `# escape=\`\nFROM \`\n  ${name}\n${SHOW}`,
  'copy-from-name': ({ name }) => `FROM ${BASE}\nCOPY --from=${name} / /victim\n${SHOW}`,
  'copy-from-id': ({ id }) => `FROM ${BASE}\nCOPY --from=${id} / /victim\n${SHOW}`,
  'copy-from-id-of-argument': ({ id }) => `FROM ${BASE}\nARG X=${id}\nCOPY --from=$X / /victim\n${SHOW}`,
  'mount-from-name': ({ name }) =>
    `FROM ${BASE}\nRUN --mount=type=bind,from=${name},target=/victim ls /victim\n${SHOW}`,
  frontend: ({ name }) => `# syntax=${name}\nFROM ${BASE}\n${SHOW}`,
  'add-from-host': (_image, { facts: { host } }) =>
    `FROM ${BASE}\nADD http://127.0.0.1:${host.loopbackPort}/x /victim/\n${SHOW}`,
  'add-from-metadata': (_image, { facts: { metadata, host } }) =>
    `FROM ${BASE}\nADD http://${metadata[0]}:${host.tcpPort}/x /victim/\n${SHOW}`,
  'copy-upwards': (_image, { facts }) =>
    `FROM ${BASE}\nCOPY ../../../../..${facts.files['data-folder']} /victim/\n${SHOW}`,
  'copy-absolute': (_image, { facts }) => `FROM ${BASE}\nCOPY ${facts.files['data-folder']} /victim/\n${SHOW}`,
};

/** Run in the attacker's build: looks where the victim's files would be. */
const SHOW = `RUN for f in $(find / -xdev -name 'victim-source.txt') /victim/*; do cat "$f"; done 2>/dev/null; true`;

export const IMAGE_ATTEMPTS: readonly OutsideAttempt[] = Object.entries(DOCKERFILES).map(([name, write]) => ({
  id: `images.${name}`,
  tries: `builds with ${name.replaceAll('-', ' ')}: another account's image, or what the engine can reach`,
  in: ['docker'],
  act: async (stage) => stage.secrets.find(await build(stage, { Dockerfile: write(findImage(stage), stage) })),
  control: controlOf,
}));

async function controlOf(stage: Stage): Promise<string | undefined> {
  const secret = stage.secrets.make('own-file');
  const files = { Dockerfile: `FROM ${BASE}\nCOPY own /victim/\n${SHOW}`, own: secret };
  return (await build(stage, files)).includes(secret) ? 'a file of the build itself is shown' : undefined;
}

/** All that a deploy says. */
async function build({ berth, attacker }: Stage, files: ProjectFiles): Promise<string> {
  const { events } = await deploy(berth, uniqueName('image'), {
    // Each build is another one: nothing of it comes from a cache.
    files: { ...files, stamp: crypto.randomUUID() },
    key: attacker.deployKey,
  });
  return JSON.stringify(events);
}

function findImage({ berth, victim, victimAccount }: Stage): Image {
  const words = ['images', '--no-trunc', '--format', '{{.Repository}}:{{.Tag}} {{.ID}}'];
  const env = { ...process.env, DOCKER_HOST: process.env['BERTH_TEST_ENGINE'] };
  const { stdout } = spawnSync('docker', words, { encoding: 'utf8', env });
  const line = stdout.split('\n').find((one) => one.includes(`/${victimAccount.id}/${victim}:`));
  if (!line) throw new Error(`no image of ${victim} on ${berth.url}:\n${stdout}`);
  const [name = '', id = ''] = line.split(' ');
  return { name, id: id.replace('sha256:', '') };
}
