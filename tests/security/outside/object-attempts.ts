import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { ObjectsPage, SignedUrl } from '@berth/contract';
import { cli } from '../../harness/cli.ts';
import { deploy } from '../../harness/deploy.ts';
import { uniqueName } from '../../harness/names.ts';
import { greeter } from '../../harness/project-files.ts';
import { packProject } from '../../harness/tar.ts';
import type { Stage } from '../stage/open-stage.ts';
import type { OutsideAttempt } from './attempt.ts';
import { findPuppet, OWN_VOLUME } from './puppet.ts';

/** Bound of one request: what waits longer for a pipe would wait for ever. */
const REQUEST_TIMEOUT_MS = 8_000;

/** Made by the puppet: `secret` and `data` lead to the host, `folder` is a folder with a file `inside`. */
async function plantLinks(stage: Stage): Promise<void> {
  const puppet = await findPuppet(stage);
  const said = await puppet.run(`
    const link = (target, name) => { fs.rmSync(volume + '/' + name, { force: true }); fs.symlinkSync(target, volume + '/' + name) };
    link(${JSON.stringify(stage.facts.files['data-folder'])}, 'secret');
    link(${JSON.stringify(stage.berth.dataFolder)}, 'data');
    link(${JSON.stringify(archiveOf(stage))}, 'archive');
    link(${JSON.stringify(stage.facts.files['root-home'])}, 'home');
    fs.mkdirSync(volume + '/folder', { recursive: true });
    fs.writeFileSync(volume + '/folder/inside', ${JSON.stringify(stage.secrets.make('own-object'))});
    fs.writeFileSync(volume + '/plain', 'x');
    return 'planted'`);
  if (said !== 'planted') throw new Error(`the puppet says ${said}`);
}

/** A whole project of the host's, which is no one's to deploy. */
function archiveOf({ berth, uid }: Stage): string {
  const file = path.join(berth.dataFolder, 'planted.tar.gz');
  if (!existsSync(file)) {
    writeFileSync(file, packProject(greeter('deployed')), { mode: 0o600 });
    chownSync(file, uid, uid);
  }
  return file;
}

const post = ({ berth, attacker }: Stage, route: string, body: object): Promise<Response> =>
  berth.post(`/v1/volume/${route}`, { volume: OWN_VOLUME, ...body }, { 'X-API-Key': attacker.key });

async function send(stage: Stage, route: 'upload' | 'download', object: string, body?: string): Promise<string> {
  const signed = await post(stage, route, { object });
  if (!signed.ok) return `${signed.status} ${await signed.text()}`;
  const { url } = (await signed.json()) as SignedUrl;
  const method = route === 'upload' ? 'PUT' : 'GET';
  const options = { method, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(body === undefined ? {} : { body }) };
  return fetch(url, options).then(
    async (answer) => `${answer.status} ${await answer.text()}`,
    (error: Error) => `no answer: ${error.message}`,
  );
}

/** The first secret in what `work` answers; the attacker's own object is one, for controls. */
const leaks = (work: (stage: Stage) => Promise<string>) => async (stage: Stage) => {
  await plantLinks(stage);
  return stage.secrets.find(await work(stage));
};

/** A mark in the data folder, after `work` tried to leave one there. */
const marks = (work: (stage: Stage, name: string) => Promise<unknown>) => async (stage: Stage) => {
  await plantLinks(stage);
  const file = stage.facts.marks['data-folder'] as string;
  await work(stage, path.basename(file));
  const found = existsSync(file);
  rmSync(file, { force: true });
  return found ? `${file} was made` : undefined;
};

const list = async (stage: Stage, prefix: string): Promise<string> => {
  const query = new URLSearchParams({ volume: OWN_VOLUME, prefix });
  const answer = await stage.berth.api(`/v1/volume/objects?${query}`, { headers: { 'X-API-Key': stage.attacker.key } });
  return answer.text();
};

/** An upload is stored, and read back by the puppet. */
const controlOfWriting = async (stage: Stage): Promise<string | undefined> => {
  await plantLinks(stage);
  await send(stage, 'upload', 'folder/written', 'by a client');
  const puppet = await findPuppet(stage);
  const text = await puppet.run(`return fs.readFileSync(volume + '/folder/written', 'utf8')`);
  return text === 'by a client' ? 'an upload is stored' : undefined;
};
const controlOfReading = leaks((stage) => send(stage, 'download', 'folder/inside'));

export const OBJECT_ATTEMPTS: readonly OutsideAttempt[] = [
  {
    id: 'objects.download-link',
    tries: 'downloads a file of the host through a symlink in its volume',
    act: leaks((stage) => send(stage, 'download', 'secret')),
    control: controlOfReading,
  },
  {
    id: 'objects.download-below-link',
    tries: 'downloads a file of the host through a folder that is a symlink',
    act: leaks((stage) => send(stage, 'download', 'data/planted')),
    control: controlOfReading,
  },
  {
    id: 'objects.list-link',
    tries: 'lists a folder of the host through a symlink',
    act: leaks(async (stage) => `${await list(stage, 'data/')}${await list(stage, '')}`),
    control: async (stage) => {
      await plantLinks(stage);
      const { objects } = JSON.parse(await list(stage, 'folder/')) as ObjectsPage;
      return objects.some((object) => object.path === 'folder/inside') ? 'a folder is listed' : undefined;
    },
  },
  {
    id: 'objects.upload-below-link',
    tries: 'uploads into a folder of the host through a symlink',
    act: marks((stage, name) => send(stage, 'upload', `data/${name}`, 'planted')),
    control: controlOfWriting,
  },
  {
    id: 'objects.resumable-below-link',
    tries: 'uploads resumably into a folder of the host through a symlink',
    act: marks(async (stage, name) => {
      const signed = await post(stage, 'upload', { object: `data/${name}`, resumable: true });
      if (!signed.ok) return;
      const { url } = (await signed.json()) as SignedUrl;
      const headers = {
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '7',
        'Content-Type': 'application/offset+octet-stream',
      };
      await fetch(url, { method: 'POST', headers, body: 'planted' }).then((answer) => answer.text());
    }),
    control: controlOfWriting,
  },
  {
    id: 'objects.upload-over-link',
    tries: 'replaces a file of the host by an upload over a symlink',
    async act(stage) {
      await plantLinks(stage);
      const file = stage.facts.files['data-folder'] as string;
      const before = readFileSync(file, 'utf8');
      await send(stage, 'upload', 'secret', 'replaced');
      const after = readFileSync(file, 'utf8');
      writeFileSync(file, before);
      return after === before ? undefined : `${file} holds ${after}`;
    },
    control: controlOfWriting,
  },
  {
    id: 'objects.delete-below-link',
    tries: 'deletes a file of the host through a symlink',
    async act(stage) {
      await plantLinks(stage);
      const file = path.join(stage.berth.dataFolder, 'to-delete');
      writeFileSync(file, 'x');
      await post(stage, 'delete-object', { path: 'data/to-delete' });
      return existsSync(file) ? undefined : `${file} is gone`;
    },
    async control(stage) {
      await plantLinks(stage);
      const answer = await post(stage, 'delete-object', { path: 'plain' });
      return answer.ok ? 'an object is deleted' : undefined;
    },
  },
  {
    id: 'objects.move-from-link',
    tries: 'moves a file of the host into its volume through a symlink',
    act: leaks(async (stage) => {
      const file = path.join(stage.berth.dataFolder, 'to-move');
      writeFileSync(file, stage.secrets.make('moved'));
      await post(stage, 'move-object', { from: 'data/to-move', to: 'moved', overwrite: true });
      return send(stage, 'download', 'moved');
    }),
    control: leaks(async (stage) => {
      await post(stage, 'move-object', { from: 'folder/inside', to: 'moved-inside', overwrite: true });
      return send(stage, 'download', 'moved-inside');
    }),
  },
  {
    id: 'objects.move-into-link',
    tries: 'moves an object into a folder of the host through a symlink',
    act: marks((stage, name) => post(stage, 'move-object', { from: 'plain', to: `data/${name}`, overwrite: true })),
    control: controlOfWriting,
  },
  {
    id: 'objects.pipe',
    tries: 'keeps the storage waiting with a named pipe',
    async act(stage) {
      const puppet = await findPuppet(stage);
      await puppet.run(
        `return new Promise((resolve) => spawn('mkfifo', [volume + '/pipe']).on('close', resolve).on('error', resolve))`,
      );
      const said = await send(stage, 'download', 'pipe');
      return said.startsWith('no answer') ? said : undefined;
    },
    control: controlOfReading,
  },
  {
    id: 'objects.deploy-link',
    tries: 'deploys an archive of the host through a symlink in its volume',
    act: (stage) => deployObject(stage, 'archive'),
    async control(stage) {
      const { attacker } = stage;
      const signed = await post(stage, 'upload', { object: 'own.tar.gz' });
      const { url } = (await signed.json()) as SignedUrl;
      await fetch(url, { method: 'PUT', body: new Uint8Array(packProject(greeter('deployed'))) });
      return attacker && deployObject(stage, 'own.tar.gz');
    },
  },
  {
    id: 'objects.backup',
    tries: 'has a file of the host copied into a backup of the platform through a symlink',
    act: (stage) => backUp(stage, stage.facts.files['root-home'] as string),
    control: async (stage) => {
      await plantLinks(stage);
      return backUp(stage, 'folder/inside');
    },
  },
];

async function deployObject(stage: Stage, object: string): Promise<string | undefined> {
  await plantLinks(stage);
  const fields = { source_object: `${OWN_VOLUME}/${object}` };
  try {
    // An API key with all scopes: an archive in a volume is more than `deploy` may read.
    const { last } = await deploy(stage.berth, uniqueName('linked'), { key: stage.attacker.key, fields });
    return last.status === 'DONE' ? `${object} was deployed` : undefined;
  } catch {
    return undefined;
  }
}

/** The secret of a file, a path on the host or one in the attacker's volume, when a backup holds it. */
async function backUp(stage: Stage, file: string): Promise<string | undefined> {
  await plantLinks(stage);
  const target = path.join(stage.scratch, `${uniqueName('backup')}.tar.zst`);
  const { code, stderr } = await cli(stage.berth, ['admin', 'backup', target]);
  if (code !== 0) throw new Error(`backup: ${stderr}`);
  const bytes = zstdDecompressSync(readFileSync(target));
  rmSync(target);
  const puppet = await findPuppet(stage);
  const secret = file.startsWith('/')
    ? readFileSync(file, 'utf8')
    : await puppet.run(`return fs.readFileSync(volume + '/${file}', 'utf8')`);
  return bytes.includes(secret) ? `the backup holds ${file}` : undefined;
}
