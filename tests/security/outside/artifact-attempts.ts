import { spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { type DeployOutcome, deploy, deployed } from '../../harness/deploy.ts';
import { uniqueName } from '../../harness/names.ts';
import { nodeProject, type ProjectFiles } from '../../harness/project-files.ts';
import { request } from '../../harness/request.ts';
import type { Stage } from '../stage/open-stage.ts';
import { ON_PROCESSES, type OutsideAttempt } from './attempt.ts';
import { findPuppet, OWN_VOLUME } from './puppet.ts';

/** A site whose build leaves links of all kinds to a file and its folder in what is served. */
function linkingSite(target: string): ProjectFiles {
  const build = `mkdir -p public/real && echo visible > public/real/page.txt && ln -s ${target} public/file.txt && ln -s ${path.dirname(target)} public/folder
    cp public/file.txt public/copied.txt; ln ${target} public/hard.txt; ln -s real/page.txt public/inner.txt; echo site > public/index.html`;
  return { 'berth.json': JSON.stringify({ build: [['sh', '-c', build]], static: { folder: 'public' } }) };
}

async function readSite(stage: Stage, target: string, paths: readonly string[]): Promise<string> {
  const name = uniqueName('site');
  await deploy(stage.berth, name, { files: linkingSite(target), key: stage.attacker.deployKey });
  const answers = await Promise.all(paths.map((one) => request(stage.berth, name, one)));
  return answers.map(({ text }) => text).join('\n');
}

export const ARTIFACT_ATTEMPTS: readonly OutsideAttempt[] = [
  {
    id: 'artifacts.serve-links',
    tries: 'has links to files of the host served by the file server of sites',
    async act(stage) {
      const target = stage.facts.files['data-folder'] as string;
      const paths = ['/file.txt', `/folder/${path.basename(target)}`, '/copied.txt', '/hard.txt'];
      return stage.secrets.find(await readSite(stage, target, paths));
    },
    control: async (stage) =>
      (await readSite(stage, '/nowhere/file', ['/real/page.txt'])).includes('visible') ? 'a file is served' : undefined,
  },
  {
    id: 'artifacts.change-owner',
    tries: 'has the owner and the mode of a file of the host changed through links in what was built',
    async act(stage) {
      const target = stage.facts.files['data-folder'] as string;
      const before = lstatSync(target);
      await readSite(stage, target, ['/']);
      const after = lstatSync(target);
      const isSame = before.uid === after.uid && before.gid === after.gid && before.mode === after.mode;
      return isSame ? undefined : `${target} belongs to ${after.uid}:${after.gid}, mode ${after.mode.toString(8)}`;
    },
    control: async (stage) =>
      (await readSite(stage, '/nowhere/file', ['/'])).includes('site') ? 'what was built is served' : undefined,
  },
  {
    id: 'artifacts.set-user-id',
    tries: 'leaves a program on the host that runs as its owner, from an archive, a build and a volume',
    in: ON_PROCESSES,
    async act(stage) {
      const puppet = await findPuppet(stage);
      await puppet.run(`fs.writeFileSync(volume + '/suid', '#!/bin/sh'); fs.chmodSync(volume + '/suid', 0o6755)`);
      const build = 'cp /bin/true ./suid; chmod 6755 suid; mkdir public; mv suid public; echo x > public/index.html';
      const files = { 'berth.json': JSON.stringify({ build: [['sh', '-c', build]], static: { folder: 'public' } }) };
      await deploy(stage.berth, uniqueName('suid'), { files, key: stage.attacker.deployKey });
      const workFolder = path.dirname(path.dirname(stage.facts.marks['toolchain'] as string));
      return findSetUserId(workFolder);
    },
    async control(stage) {
      const puppet = await findPuppet(stage);
      const said = await puppet.run(
        `fs.writeFileSync('./suid', ''); fs.chmodSync('./suid', 0o4755); return (fs.statSync('./suid').mode & 0o4000) > 0`,
      );
      return said === 'true' ? 'the mode can be set in its own folder' : undefined;
    },
  },
  {
    id: 'artifacts.shared-cache',
    tries: "gets at dependencies that another account's build installed",
    async act(stage) {
      const [own, other] = [
        await stampOf(stage, stage.attacker.deployKey),
        await stampOf(stage, stage.victimAccount.key),
      ];
      return own === other ? `both have ${own}` : undefined;
    },
    control: async (stage) =>
      (await stampOf(stage, stage.attacker.deployKey)).length > 30 ? 'a stamp is read' : undefined,
  },
  {
    id: 'environment.linker',
    tries: 'has the dynamic linker load into programs that start its own',
    in: ON_PROCESSES,
    async act(stage) {
      const programs = await programsOf(stage);
      const foreign = programs.filter((program) => !/(^|\/)(node|sh|dash)$/.test(program));
      return foreign.length > 0 ? `the linker obeyed it in ${foreign.join(', ')}` : undefined;
    },
    control: async (stage) => {
      const programs = await programsOf(stage);
      return programs.some((program) => program.endsWith('/node'))
        ? 'the linker obeyed it in its own program'
        : undefined;
    },
  },
  {
    id: 'environment.path',
    tries: 'has its own programs of the same names run in place of those that limit it',
    in: ON_PROCESSES,
    async act(stage) {
      const trace = await pathTrace(stage);
      return /prlimit|setpriv|nice|env |bwrap|pasta/.test(trace) ? trace : undefined;
    },
    control: async (stage) =>
      (await pathTrace(stage)).includes('own-program') ? 'its own PATH is obeyed by itself' : undefined,
  },
];

/** Evidence for a set-user-id or set-group-id file below a folder that any other user of the machine can run. */
function findSetUserId(folder: string): string | undefined {
  const { stdout } = spawnSync('find', [folder, '-type', 'f', '-perm', '/6000'], { encoding: 'utf8' });
  const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups', 'test', '-x'];
  const found = stdout.split('\n').find((file) => file && spawnSync('setpriv', [...asNobody, file]).status === 0);
  return found && `everybody can run ${found}`;
}

/** Deploys a project whose installation makes a random stamp, and reads the stamp. */
async function stampOf(stage: Stage, key: string): Promise<string> {
  const name = uniqueName('stamped');
  const lock = { name: 'stamped', lockfileVersion: 3, requires: true, packages: { '': { name: 'stamped' } } };
  const scripts = {
    postinstall: `node -e "fs.mkdirSync('node_modules',{recursive:true});fs.writeFileSync('node_modules/stamp',crypto.randomUUID())"`,
    start: 'node server.js',
  };
  const files = {
    ...nodeProject(`import { createServer } from 'node:http'; import { readFileSync } from 'node:fs';
      createServer((request, response) => response.end(readFileSync('node_modules/stamp'))).listen(process.env.PORT, '0.0.0.0');`),
    'package.json': JSON.stringify({ name: 'stamped', type: 'module', scripts }),
    'package-lock.json': JSON.stringify(lock),
  };
  await deployed(stage.berth, name, { files, key });
  return (await request(stage.berth, name)).text;
}

/** Programs that the dynamic linker told of, with LD_DEBUG of the tenant's in their environment. */
async function programsOf(stage: Stage): Promise<string[]> {
  const puppet = await findPuppet(stage);
  await withVariables(stage, { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: `${await volumeOf(stage)}/linker` });
  const text = await puppet.run(
    `return fs.readdirSync(volume).filter((name) => name.startsWith('linker')).map((name) => fs.readFileSync(volume + '/' + name, 'utf8')).join('\\n')`,
  );
  return [...new Set([...text.matchAll(/initialize program: (\S+)/g)].map(([, program]) => program as string))];
}

/** What programs in a folder of the tenant's wrote down when they were run. */
async function pathTrace(stage: Stage): Promise<string> {
  const puppet = await findPuppet(stage);
  const names = ['prlimit', 'setpriv', 'nice', 'ionice', 'env', 'bwrap', 'pasta', 'mkfifo', 'ip', 'own-program'];
  await puppet.run(`fs.mkdirSync(volume + '/bin', { recursive: true });
    for (const name of ${JSON.stringify(names)}) {
      fs.writeFileSync(volume + '/bin/' + name, '#!/bin/sh\\necho ' + name + ' ran as $(id -u) >> ' + volume + '/trace\\nexec /usr/bin/' + name + ' "$@"\\n');
      fs.chmodSync(volume + '/bin/' + name, 0o755);
    }`);
  const PATH = `${await volumeOf(stage)}/bin:/usr/local/bin:/usr/bin:/bin`;
  await withVariables(stage, { PATH }, 'own-program; ');
  return puppet.run(`return fs.existsSync(volume + '/trace') ? fs.readFileSync(volume + '/trace', 'utf8') : ''`);
}

/** Where services of the attacker have their volume. */
async function volumeOf(stage: Stage): Promise<string> {
  return (await findPuppet(stage)).run('return volume');
}

/** Deploys a service with variables and the attacker's volume, and waits for its first answer. */
async function withVariables(stage: Stage, set: Record<string, string>, before = ''): Promise<DeployOutcome> {
  const { berth, attacker } = stage;
  const name = uniqueName('variables');
  const headers = { 'X-API-Key': attacker.deployKey };
  await berth.post('/v1/env/set', { deployment_name: name, set }, headers);
  const source = `import { createServer } from 'node:http';
    createServer((request, response) => response.end('ready')).listen(process.env.PORT, '0.0.0.0');`;
  const files = {
    ...nodeProject(source),
    'berth.json': JSON.stringify({ start: ['sh', '-c', `${before}exec "$(command -v node)" server.js`] }),
  };
  const outcome = await deploy(berth, name, {
    files,
    key: attacker.deployKey,
    fields: { volumes: JSON.stringify({ '/mnt/own': OWN_VOLUME }) },
  });
  await request(berth, name, '/', { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  return outcome;
}
