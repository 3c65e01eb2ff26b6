import { buffer } from 'node:stream/consumers';
import { createError } from '@berth/contract';
import { expect, test } from 'vitest';
import { ownWorkFolder, type WorkFolderConfig } from './own-work-folder.ts';
import type { ImageSource } from './prepare-image-source.ts';

async function own(config: WorkFolderConfig, result: string | Error = 'sha256:owned') {
  const said: string[] = [];
  const built: ImageSource[] = [];
  const build = async (source: ImageSource) => {
    built.push(source);
    if (typeof result !== 'string') throw result;
    return result;
  };
  const image = await ownWorkFolder({
    ...{ image: 'sha256:made', uid: 10_001, config, build },
    say: async (line) => void said.push(line),
  });
  return { image, said: said.join('\n'), built };
}

// Fails when the step isn't built on the image, or doesn't run as root.
test('the folder of an image without a USER is given to the user that it runs as', async () => {
  const { image, said, built } = await own({ WorkingDir: '/app' });
  expect(image).toBe('sha256:owned');
  expect(said).toMatch(/no USER: \/app is given to user 10001/);
  const [source] = built;
  const text = (await buffer(source!.pack())).toString('latin1');
  expect(text).toContain('FROM sha256:made\nUSER 0:0\nRUN ["/bin/sh","-c","find . -xdev');
});

// Fails when a folder of the system is given away, or the folder of an image with a USER.
test.each([
  ['a USER', { User: 'node', WorkingDir: '/app' }],
  ['a user id', { User: '1000:1000', WorkingDir: '/app' }],
  ['no WORKDIR', {}],
  ['a folder of the system', { WorkingDir: '/usr/local/bin/' }],
  ['the root folder', { User: 'root', WorkingDir: '/' }],
])('%s: the image stays as it is', async (_name, config) => {
  expect(await own(config)).toEqual({ image: 'sha256:made', said: '', built: [] });
});

// Fails when triggers run in the added step, or a failed step fails the build.
test('where it cannot be given, the image stays and a hint says so', async () => {
  const hint = /^The image has no USER, and \/app can't be given to user 10001.*Add a USER line/;
  const triggers = await own({ WorkingDir: '/app', OnBuild: ['RUN x'] });
  expect(triggers).toMatchObject({ image: 'sha256:made', said: expect.stringMatching(hint), built: [] });
  const failed = await own({ WorkingDir: '/app' }, createError('build_failed', 'no shell'));
  expect(failed).toMatchObject({ image: 'sha256:made', said: expect.stringMatching(hint) });
  await expect(own({ WorkingDir: '/app' }, createError('cancelled', 'x.'))).rejects.toMatchObject({
    code: 'cancelled',
  });
});
