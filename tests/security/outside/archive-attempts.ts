import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { deploy } from '../../harness/deploy.ts';
import { uniqueName } from '../../harness/names.ts';
import { greeter } from '../../harness/project-files.ts';
import { type TarEntry, tarGz } from '../../harness/tar.ts';
import type { Stage } from '../stage/open-stage.ts';
import type { OutsideAttempt } from './attempt.ts';

type Entries = (paths: { readonly mark: string; readonly secret: string }) => readonly TarEntry[];

/** Archives with an entry that leads out: to a mark that would be written, or to a secret that the service would serve. */
const ARCHIVES: Readonly<Record<string, Entries>> = {
  'absolute-path': ({ mark }) => [{ path: mark, body: 'planted' }],
  'path-upwards': ({ mark }) => [{ path: `${'../'.repeat(30)}${mark.slice(1)}`, body: 'planted' }],
  'path-upwards-inside': ({ mark }) => [{ path: `a/${'../'.repeat(30)}${mark.slice(1)}`, body: 'planted' }],
  'symlink-to-file': ({ secret }) => [{ path: 'served', type: 'symlink', linkTarget: secret }],
  'symlink-upwards': ({ secret }) => [
    { path: 'served', type: 'symlink', linkTarget: `${'../'.repeat(20)}${secret.slice(1)}` },
  ],
  'hard-link': ({ secret }) => [{ path: 'served', type: 'hard-link', linkTarget: secret }],
  'write-through-symlink': ({ mark }) => [
    { path: 'out', type: 'symlink', linkTarget: path.dirname(mark) },
    { path: `out/${path.basename(mark)}`, body: 'planted' },
  ],
  'write-through-chain': ({ mark }) => [
    { path: 'a', type: 'folder' },
    { path: 'a/up', type: 'symlink', linkTarget: '..' },
    { path: 'b', type: 'symlink', linkTarget: 'a/up/..' },
    { path: `b/${path.basename(mark)}`, body: 'planted' },
  ],
  device: () => [{ path: 'served', type: 'block-device' }],
  pipe: () => [{ path: 'served', type: 'fifo' }],
};

export const ARCHIVE_ATTEMPTS: readonly OutsideAttempt[] = Object.entries(ARCHIVES).map(([name, entries]) => ({
  id: `archives.${name}`,
  tries: `deploys an archive with ${name.replaceAll('-', ' ')}`,
  act: (stage) => send(stage, entries),
  control: controlOf,
}));

function controlOf(stage: Stage): Promise<string | undefined> {
  return send(stage, () => [{ path: 'plain', body: 'x' }]);
}

/** Evidence unless the archive is refused as one, and nothing was written. */
async function send({ berth, attacker, facts }: Stage, entries: Entries): Promise<string | undefined> {
  const mark = facts.marks['archive'] as string;
  const app = Object.entries(greeter('unpacked')).map(([name, body]) => ({ path: name, body }));
  const archive = tarGz([...app, ...entries({ mark, secret: facts.files['data-folder'] as string })]);
  const { last } = await deploy(berth, uniqueName('archive'), { archive, key: attacker.deployKey });
  if (existsSync(mark)) return `${mark} holds ${readFileSync(mark, 'utf8')}`;
  return last.status === 'ERROR' && last.code === 'archive_invalid' ? undefined : `${last.status}: ${last.message}`;
}
