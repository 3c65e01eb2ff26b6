import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import tar from 'tar-stream';
import { LOST_LAYER } from '../build/run-build.ts';
import type { Engine } from '../engine/open-engine.ts';

/**
 * Builds an image of a few files, `Dockerfile` among them, without any of what the platform's own builder does.
 *
 * @returns its id.
 */
export async function buildImage(engine: Engine, files: Readonly<Record<string, string>>): Promise<string> {
  // Another test that removes its image takes the layers that both have with it.
  return tryBuild(engine, files).catch((error: unknown) => {
    if (error instanceof Error && LOST_LAYER.test(error.message)) return tryBuild(engine, files);
    throw error;
  });
}

async function tryBuild({ docker }: Engine, files: Readonly<Record<string, string>>): Promise<string> {
  const context = tar.pack();
  for (const [name, content] of Object.entries(files)) context.entry({ name, mtime: new Date(0) }, content);
  context.finalize();
  const stream = await docker.buildImage(context as unknown as Readable, { rm: true, forcerm: true });
  let id: string | undefined;
  for await (const line of createInterface({ input: stream })) {
    const { aux, error } = JSON.parse(line || '{}') as {
      readonly aux?: { readonly ID?: string };
      readonly error?: string;
    };
    if (error !== undefined) throw new Error(error);
    id = aux?.ID ?? id;
  }
  if (id === undefined) throw new Error('the engine made no image and said nothing');
  return id;
}
