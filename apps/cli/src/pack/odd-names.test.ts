import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readArchive } from '../testing/read-archive.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { collectEntries } from './collect-entries.ts';
import { packFolder } from './pack-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  return () => folder[Symbol.asyncDispose]();
});

const packed = async () => {
  await using scratch = await createTemporaryFolder();
  const options = { folder: folder.path, temporaryFolder: scratch.path, onWarning: () => {} };
  await using archive = await packFolder(options);
  // Awaited here: the archive is removed at the end of this function.
  return await readArchive(archive.file);
};
const files = async (below = '') => {
  const entries = await collectEntries(path.join(folder.path, below));
  return entries.filter((entry) => entry.kind === 'file').map((entry) => entry.path);
};

describe('names', () => {
  // Fails when a name is changed on its way into the archive, or a shell or a tar reads something into it.
  test.each([
    '-rf',
    '--checkpoint-action=exec=sh',
    ' leading and trailing ',
    'new\nline',
    'tab\tand "quotes" and \'more\'',
    'back\\slash',
    '$(id) `id` ;&|<>*?',
    '!not a pattern',
    '#not a comment',
    '..dots',
    '...',
    'e\u0301 is not \u00e9',
    '\u{1F600}',
    'x'.repeat(255),
    'ü'.repeat(127),
  ])('%j is packed as it is', async (name) => {
    await folder.write({ [name]: 'content', [`folder/${name}`]: 'deeper' });
    expect((await packed()).map((entry) => [entry.name, entry.content])).toEqual(
      [[name, 'content'] as const, ['folder/', ''] as const, [`folder/${name}`, 'deeper'] as const].sort(([a], [b]) =>
        a.replace(/\/$/, '') < b.replace(/\/$/, '') ? -1 : 1,
      ),
    );
  });

  test('that are not UTF-8 are refused by name, unless they are left out', async () => {
    const name = Buffer.from([0x62, 0xff, 0x64]);
    writeFileSync(Buffer.concat([Buffer.from(`${folder.path}/`), name]), 'x');
    await folder.write({ 'a.js': '' });
    // Fails when the name is packed with a replacement character: the file would be another one, or missing.
    await expect(files()).rejects.toMatchObject({
      code: 'archive_invalid',
      message: 'The name of b\uFFFDd is not UTF-8. Rename it.',
    });
    await folder.write({ '.berthignore': 'b*\n' });
    expect(await files()).toEqual(['.berthignore', 'a.js']);
  });
});

describe('ignore files', () => {
  // Fails when the byte order mark becomes part of the first pattern: editors of Windows write one, and git drops it.
  test.each(['', 'sub/'])('with a byte order mark leave out what their first line names: %j', async (place) => {
    await folder.write({
      [`${place}.gitignore`]: '\uFEFF.env\n*.log\n',
      [`${place}.env`]: 'SECRET=1',
      [`${place}a.log`]: '',
    });
    await folder.write({ [`${place}a.js`]: '' });
    expect(await files()).toEqual([`${place}.gitignore`, `${place}a.js`]);
  });

  test('of the repository around, with a byte order mark, do so too', async () => {
    const secrets = { 'apps/web/.env': 'SECRET=1', 'apps/web/key.pem': '' };
    await folder.write({
      '.git/HEAD': '',
      '.gitignore': '\uFEFF.env\n',
      'apps/.gitignore': '\uFEFF*.pem\n',
      ...secrets,
    });
    await folder.write({ 'apps/web/a.js': '' });
    expect(await files('apps/web')).toEqual(['a.js']);
  });

  test('with Windows line ends, empty lines and no last line end are read as meant', async () => {
    await folder.write({
      'a/.gitignore': '\r\n.env\r\n\r\n# comment\r\n*.log',
      'a/.env': '',
      'a/x.log': '',
      'a/b': '',
    });
    expect(await files()).toEqual(['a/.gitignore', 'a/b']);
  });

  test('that are folders or links are no ignore files', async () => {
    mkdirSync(path.join(folder.path, '.gitignore'));
    await folder.write({ 'rules/all': '*\n', 'a.js': '' });
    await folder.link('.berthignore', 'rules/all');
    // A link is not followed, as git does not follow one.
    expect(await files()).toEqual(['a.js', 'rules/all']);
  });
});

describe('links', () => {
  test('in a circle are packed as links', async () => {
    await folder.write({ 'a.js': '' });
    await folder.link('one', 'two');
    await folder.link('two', 'one');
    await folder.link('self', '.');
    await folder.link('sub/up', '../sub');
    const links = (await packed()).filter((entry) => entry.type === 'symlink');
    // Fails when a link is followed: a circle has no end.
    expect(links.map(({ name, target }) => [name, target])).toEqual([
      ['one', 'two'],
      ['self', '.'],
      ['sub/up', '../sub'],
      ['two', 'one'],
    ]);
  });

  test('to a folder with the same beginning as this one lead outside', async () => {
    await using other = await createTemporaryFolder();
    const inside = path.join(other.path, 'app');
    mkdirSync(inside);
    await other.write({ 'app-secrets/key': 'secret', 'app/a.js': '' });
    await other.link('app/link', `${inside}-secrets/key`);
    // Fails when paths are compared without the slash between them.
    await expect(collectEntries(inside)).rejects.toThrow('link is a symlink to outside the folder');
  });

  test('are not read through: what is packed is the link', async () => {
    await folder.write({ 'real.txt': 'content' });
    await folder.link('link.txt', 'real.txt');
    expect((await packed()).map(({ name, type, content }) => [name, type, content])).toEqual([
      ['link.txt', 'symlink', ''],
      ['real.txt', 'file', 'content'],
    ]);
  });
});
